// @vitest-environment node
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import en from '@/i18n/en/identity.json';
import es from '@/i18n/es/identity.json';
import pt from '@/i18n/pt/identity.json';

const server = resolve(import.meta.dirname, '../../../../../server');
const walk = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
/** The program without its tests. */
const program = walk(join(server, 'src'))
  .filter((path) => path.endsWith('.rs'))
  .map((path) => readFileSync(path, 'utf8').split('#[cfg(test)]')[0] ?? '');
const matches = (pattern: RegExp) =>
  program.flatMap((text) => [...text.matchAll(pattern)].map(([, found = '']) => found));
const wordsIn = (text: string) => [...text.matchAll(/"([a-z_]+)"/g)].map(([, word = '']) => word);

/** Why the server holds outgoing money: by a hold of its own, with what changed an account's safety, and as it tells who looks. */
const WRITTEN = [
  ...new Set([
    ...matches(/\b(?:service|identity|accounts)::hold\(((?:[^()]|\([^()]*\))*)\)/g).flatMap(wordsIn),
    ...matches(/\bsafety_changed\([^;"]*"([a-z_]+)", true\)/g),
    ...matches(/\bfn hold_reason\b([\s\S]*?)\n {4}\}\n/g).flatMap(wordsIn),
  ]),
].sort();

test('every reason for which the server holds outgoing money has words, on the account and in a refusal', () => {
  expect(WRITTEN).toEqual(expect.arrayContaining(['password', 'frozen', 'staff_document', 'safety']));
  expect(WRITTEN.length).toBeGreaterThan(12);
  for (const [locale, texts] of Object.entries({ pt, en, es })) {
    const { holds } = JSON.parse(readFileSync(join(server, `locales/${locale}.json`), 'utf8'));
    expect(WRITTEN.filter((reason) => !Object.hasOwn(texts.account.hold.reasons, reason))).toEqual([]);
    expect(WRITTEN.filter((reason) => !Object.hasOwn(holds, reason))).toEqual([]);
  }
});
