import { expect, test } from 'vitest';
import { detailsOf } from './logs';
import { usernameStem } from './username';

test.each([
  ['Ana', 'ana'],
  ['José Antônio da Conceição', 'joseantonioda'],
  ["  Zoë  O'Neil-Čapek ", 'zoeoneilcapek'],
  ['李 小龍', null],
  ['Jürgen Weiß', null],
  ['123 !!', null],
  ['', null],
])('the username of %j begins with %s', (name, stem) => {
  expect(usernameStem(name)).toBe(stem);
});

const log = (details: Record<string, unknown>) => detailsOf({ details: details as Record<string, never> });

test('a change of the log has its before and after, all else one line', () => {
  expect(log({ before: 'active', after: 'inactive', status: 'inactive' })).toEqual({
    before: 'active',
    after: 'inactive',
    rest: 'status: inactive',
  });
  expect(log({ fields: ['fullName', 'address'], count: 2 })).toEqual({
    before: null,
    after: null,
    rest: 'fields: ["fullName","address"] · count: 2',
  });
  expect(log({ before: null, after: { a: 1 } })).toEqual({ before: '–', after: '{"a":1}', rest: '' });
  expect(log({})).toEqual({ before: null, after: null, rest: '' });
});
