import { expect, test } from 'vitest';
import { LOCALES } from './locales';

type Tree = { [key: string]: string | Tree };
const files = import.meta.glob<{ default: Tree }>('./*/*.json', { eager: true });

const flatten = (tree: Tree, path = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : flatten(value, `${path}${key}.`),
  );
const texts = (locale: string, name: string) =>
  new Map(flatten(files[`./${locale}/${name}.json`]?.default ?? {}));
const names = [...new Set(Object.keys(files).map((path) => path.split('/')[2]?.replace('.json', '') ?? ''))];
const variables = (text: string) => [...text.matchAll(/\{\{-?\s*(\w+)/g)].map(([, name]) => name).sort();

test.each(names)('%s holds the same keys in all languages', (name) => {
  const keys = LOCALES.map((locale) => [...texts(locale, name).keys()].sort());
  expect(keys[1]).toEqual(keys[0]);
  expect(keys[2]).toEqual(keys[0]);
  expect(keys[0]?.length).toBeGreaterThan(0);
});

test.each(names)('%s has no empty text and the same values in each language', (name) => {
  const base = texts('pt', name);
  for (const locale of LOCALES)
    for (const [key, text] of texts(locale, name)) {
      expect(text.trim(), `${locale}/${name}: ${key}`).not.toBe('');
      expect(variables(text), `${locale}/${name}: ${key}`).toEqual(variables(base.get(key) ?? ''));
    }
});

test('a sentence is not left in Portuguese by mistake', () => {
  // Short words may well be the same; a whole sentence is not.
  const same: string[] = [];
  for (const name of names)
    for (const locale of ['en', 'es'])
      for (const [key, text] of texts(locale, name))
        if (text.replace(/\{\{.*?\}\}/g, '').length > 24 && text === texts('pt', name).get(key))
          same.push(`${locale}/${name}: ${key}`);
  expect(same).toEqual([]);
});
