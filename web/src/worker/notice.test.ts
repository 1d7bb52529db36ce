import { expect, test } from 'vitest';
import { languageOf, noticeOf, ownPath } from './notice';

const SITE = 'https://arbora.example';
const NEUTRAL = { title: 'Novidade na sua conta', text: 'Abra a Arbora para ver.' };
const WHOLE = {
  id: '018f0000-0000-7000-8000-000000000001',
  title: 'Depósito creditado',
  text: '100,00 USDT no seu saldo.',
  url: '/wallet/my-deposits-pix?status=approved',
  tag: 'deposit:1',
  at: '2026-11-28T06:00:00Z',
};
const read = (payload: string | null) => noticeOf(payload, SITE, NEUTRAL);

test('a push says what the server said, and leads there', () => {
  expect(read(JSON.stringify(WHOLE))).toEqual({
    title: WHOLE.title,
    text: WHOLE.text,
    url: WHOLE.url,
    tag: WHOLE.tag,
    at: Date.parse(WHOLE.at),
  });
});

test.each([
  ['nothing', null],
  ['no JSON', 'Olá'],
  ['a list', '[1]'],
  ['null', 'null'],
  ['a number', '7'],
  ['no title', JSON.stringify({ ...WHOLE, title: ' ' })],
  ['a title that is no text', JSON.stringify({ ...WHOLE, title: { toString: 'x' } })],
  ['no text', JSON.stringify({ ...WHOLE, text: undefined })],
])('of %s the neutral words stay', (_, payload) => {
  expect(read(payload)).toMatchObject({ ...NEUTRAL, tag: 'neutral', url: '/' });
});

test('what is too long is cut, and what is not understood is left away', () => {
  const notice = read(
    JSON.stringify({ ...WHOLE, text: 'x'.repeat(5_000), tag: 7, at: 'yesterday', more: 1 }),
  );
  expect(notice).toEqual({ title: WHOLE.title, text: 'x'.repeat(240), url: WHOLE.url, tag: '', at: null });
});

test.each([
  ['/support/ticket/41', '/support/ticket/41'],
  ['/notifications?announcement=1#a', '/notifications?announcement=1#a'],
  ['/a/../robots-in-operation', '/robots-in-operation'],
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['support', '/'],
  ['', '/'],
  ['/api/files/1', '/'],
  ['/x/../api/files/1', '/'],
  [`/${'a'.repeat(600)}`, '/'],
  [null, '/'],
  [{ href: '/support' }, '/'],
])('%j leads to %s', (url, path) => {
  expect(ownPath(url, SITE)).toBe(path);
});

test('the neutral words come in the language that the browser wants most, of those that there are', () => {
  expect(languageOf(['fr-FR', 'es-AR', 'en'])).toBe('es');
  expect(languageOf(['EN-us'])).toBe('en');
  expect(languageOf(['fr'])).toBe('pt');
  expect(languageOf([])).toBe('pt');
});
