// @vitest-environment node
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import en from '@/i18n/en/logs.json';
import texts from '@/i18n/pt/logs.json';
import { actionOf, actionsIn, detailsOf } from './words';

const server = resolve(import.meta.dirname, '../../../../server/src');
const walk = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
/** What writes lines of the log: the program without its tests. */
const program = walk(server)
  .filter((path) => path.endsWith('.rs'))
  .map((path) => readFileSync(path, 'utf8').split('#[cfg(test)]')[0] ?? '');
const sources = program.filter((text) =>
  /\b(audit::record\(|payouts::record|fn record<|\brecord::<|\brecord\(|of_request)/.test(text),
);
const matches = (pattern: RegExp, texts = sources) =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, found = '']) => found));

/** The arguments of a call, brackets within them included. */
const CALL = /\b(?:record|finish|save)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;
const CODE = /"([a-z_]+\.[a-z_]+)"/g;
const codesIn = (text: string) => [...text.matchAll(CODE)].map(([, code = '']) => code);

/** Payouts write their kind's name before the deed. */
const KINDS = matches(/const DECIDED: Decided = Decided::(\w+)/g, program).map((name) =>
  name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
);
const DEEDS = [
  ...matches(/record::<\w+>\([^;]*?"([a-z_]+)",/g),
  ...matches(/const TAKEN: &'static str = "([a-z_]+)"/g),
];
const CODES = [
  ...matches(CALL).flatMap(codesIn),
  ...matches(/Category::\w+,\s*"([a-z_.]+)"/g),
  // One of several, chosen before the call.
  ...matches(/let action =([\s\S]*?);\n(?= *(?:let|audit))/g).flatMap(codesIn),
  ...matches(/Category::Money,\s*match [^{]*\{([^}]*)\}/g).flatMap(codesIn),
];

const WRITTEN = [
  ...new Set([...CODES, ...KINDS.flatMap((kind) => DEEDS.map((deed) => `${kind}.${deed}`))]),
].sort();

test('every action that the server writes has words', () => {
  expect(WRITTEN.length).toBeGreaterThan(110);
  expect(WRITTEN.filter((code) => actionOf(texts, code) === code)).toEqual([]);
});

test('the audit is narrowed to the actions that there are: the same for the server and for the pages', () => {
  const code = readFileSync(join(server, 'reports/audit/actions.rs'), 'utf8').split('#[cfg(test)]')[0] ?? '';
  const known = (name: string) => {
    const [, list = ''] = new RegExp(`const ${name}: &\\[&str\\] = &\\[([^\\]]*)\\]`).exec(code) ?? [];
    return [...list.matchAll(/"([^"]+)"/g)].map(([, word = '']) => word);
  };
  const paid = known('PAYOUTS').flatMap((way) => known('DEEDS').map((deed) => `${way}.${deed}`));
  const taken = [...known('ACTIONS'), ...paid].sort();
  expect(taken).toEqual(actionsIn(texts).sort());
  expect(WRITTEN.filter((code) => !taken.includes(code))).toEqual([]);
});

test('every detail that the server writes has words', () => {
  const names = new Set(
    matches(/json!\(\{([\s\S]*?)\}\)/g).flatMap((block) =>
      [...block.matchAll(/"(\w+)":/g)].map(([, name = '']) => name),
    ),
  );
  expect(names.size).toBeGreaterThan(90);
  const shown = ['before', 'after'];
  expect([...names].filter((name) => !Object.hasOwn(texts.details, name) && !shown.includes(name))).toEqual(
    [],
  );
});

test('an action is said in the language of the reader, one that is not known by its code', () => {
  expect(actionOf(texts, 'auth.signed_in')).toBe('Entrou');
  expect(actionOf(en, 'auth.signed_in')).toBe('Signed in');
  expect(actionOf(en, 'pix_withdrawal.requote')).toBe('PIX withdrawal: new quote offered');
  expect(actionOf(texts, 'announced')).toBe('Aviso a todos publicado');
  expect(actionOf(texts, 'auth.constructor')).toBe('auth.constructor');
});

const log = (details: Record<string, unknown>) =>
  detailsOf(texts, { details: details as Record<string, never> });

test('a change of the log has its before and after, all else one line', () => {
  expect(log({ before: 'active', after: 'inactive', status: 'inactive' })).toEqual({
    before: 'active',
    after: 'inactive',
    rest: 'situação: inactive',
  });
  expect(log({ fields: ['fullName', 'address'], again: true, unheard: 2 })).toEqual({
    before: null,
    after: null,
    rest: 'campos: fullName, address · de novo: sim · unheard: 2',
  });
  expect(log({ before: null, after: { a: 1 } })).toEqual({ before: '–', after: '{"a":1}', rest: '' });
  expect(log({})).toEqual({ before: null, after: null, rest: '' });
});

test('a word of a closed list is said in the language of the reader, what is not known as it is written', () => {
  const said = (words: typeof texts, details: Record<string, unknown>) =>
    detailsOf(words, { details: details as Record<string, never> }).rest;
  expect(said(texts, { method: 'password' })).toContain(': senha');
  expect(said(en, { leg: 'left' })).toContain(': left');
  expect(said(texts, { method: 'constructor', leg: 'up' })).toMatch(/: constructor · .*: up$/);
});
