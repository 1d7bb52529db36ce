// @vitest-environment jsdom
import { afterEach, expect, test, vi } from 'vitest';
import { dropFigures } from './dropFigures';
import { figuresOf, keepFigures, lastFigures } from './lastFigures';

const FIGURES = { person: 'u1', at: '28/11/2026 06:20', lines: [['available', '48.213,57 USDT'] as const] };

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

test('what was kept is there until it is dropped', () => {
  expect(lastFigures()).toBeNull();
  keepFigures(FIGURES);
  expect(lastFigures()).toEqual(FIGURES);
  dropFigures();
  expect(lastFigures()).toBeNull();
  expect(localStorage).toHaveLength(0);
});

test.each([
  ['nothing', null],
  ['no JSON', '{'],
  ['null', 'null'],
  ['of nobody', JSON.stringify({ ...FIGURES, person: null })],
  ['without a time', JSON.stringify({ ...FIGURES, at: undefined })],
  ['of an account that is none', JSON.stringify({ ...FIGURES, lines: [['secret', '1']] })],
  ['an amount that is no text', JSON.stringify({ ...FIGURES, lines: [['available', 1]] })],
  ['a whole book', JSON.stringify({ ...FIGURES, lines: [['available', 'x'.repeat(500)]] })],
])('%s: no figures', (_, kept) => {
  expect(figuresOf(kept)).toBeNull();
});

test('a browser that keeps nothing is no reason to fail', () => {
  for (const call of ['getItem', 'setItem', 'removeItem'] as const)
    vi.spyOn(Storage.prototype, call).mockImplementation(() => {
      throw new DOMException('no room', 'QuotaExceededError');
    });
  keepFigures(FIGURES);
  dropFigures();
  expect(lastFigures()).toBeNull();
});
