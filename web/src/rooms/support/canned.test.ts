import { expect, test } from 'vitest';
import { fill, firstName, found, moved, put, soughtIn } from './canned';
import type { Canned } from './desk';

const VALUES = { name: 'Marina', ticket: '41', subject: 'Depósito {name}', agent: 'Bia' };

test('values come in once, and what they say is no template', () => {
  expect(fill('Olá, {name}! Chamado {ticket}: {subject}. {agent}', VALUES)).toBe(
    'Olá, Marina! Chamado 41: Depósito {name}. Bia',
  );
  expect(fill('{name}', { ...VALUES, name: '{ticket}{agent}$&$1' })).toBe('{ticket}{agent}$&$1');
  expect(fill('{toString} {nome} {name', VALUES)).toBe('{toString} {nome} {name');
});

test('the first name is the first word', () => {
  expect(firstName('  Marina  Duarte ')).toBe('Marina');
  expect(firstName('')).toBe('');
});

test.each<[string, number, ReturnType<typeof soughtIn>]>([
  ['/', 1, { from: 0, words: '' }],
  ['/pix pra', 8, { from: 0, words: 'pix pra' }],
  ['/pix pra', 4, { from: 0, words: 'pix' }],
  ['Olá\n/fim', 8, { from: 4, words: 'fim' }],
  ['Olá /fim', 8, null],
  ['e/ou', 4, null],
  ['/pix\nmais', 9, null],
  ['/pix', 0, null],
  ['', 0, null],
])('what is looked for in %j at %i', (text, caret, sought) => {
  expect(soughtIn(text, caret)).toEqual(sought);
});

const reply = (title: string, text: string, retired = false): Canned => ({
  _id: title,
  title,
  text: { pt: text, en: `${text} (en)`, es: text },
  retired,
  version: 1,
});
const REPLIES = [
  reply('Prazo do PIX', 'Até um dia útil.'),
  reply('Comprovação', 'Envie o comprovante do PIX.'),
  reply('Fim', 'Até logo!'),
  reply('Antiga', 'PIX', true),
];
const titles = (words: string, locale: 'pt' | 'en' = 'pt') =>
  found(REPLIES, words, locale).map(({ title }) => title);

test('replies are found by their title first, then by what they say in the language that is written', () => {
  expect(titles('')).toEqual(['Prazo do PIX', 'Comprovação', 'Fim']);
  expect(titles('pix')).toEqual(['Prazo do PIX', 'Comprovação']);
  expect(titles('COMPROVACAO')).toEqual(['Comprovação']);
  expect(titles('pix envie')).toEqual(['Comprovação']);
  expect(titles('(en)')).toEqual([]);
  expect(titles('(en)', 'en')).toEqual(['Prazo do PIX', 'Comprovação', 'Fim']);
});

test('one stands in the place of what was looked for, and one writes on behind it', () => {
  expect(put('Olá\n/fim e mais', { from: 4, words: 'fim' }, 8, 'Até logo!')).toEqual({
    text: 'Olá\nAté logo! e mais',
    caret: 13,
  });
});

test('one moves by a place, and stays at the ends', () => {
  expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
  expect(moved(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b']);
  expect(moved(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
  expect(moved(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
});
