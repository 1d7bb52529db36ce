import { expect, test } from 'vitest';
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
