// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { everyDay, MOST_DAYS } from './everyDay';

const on = (day: string, count = 1, total = '5.000000') => ({ day, count, total });

test('a day without a row stands between its neighbours, over the end of a month', () => {
  expect(everyDay([on('2026-02-27', 2, '9.500000'), on('2026-03-02')])).toEqual([
    on('2026-02-27', 2, '9.500000'),
    on('2026-02-28', 0, '0.000000'),
    on('2026-03-01', 0, '0.000000'),
    on('2026-03-02'),
  ]);
});

test('one day is one day, and none is none', () => {
  expect(everyDay([on('2026-11-20')])).toEqual([on('2026-11-20')]);
  expect(everyDay([])).toEqual([]);
});

test('of years apart the newest days are shown', () => {
  const all = everyDay([on('2020-01-01'), on('2026-11-20')]);
  expect(all).toHaveLength(MOST_DAYS);
  expect(all[0]).toEqual(on('2025-10-17', 0, '0.000000'));
  expect(all.at(-1)).toEqual(on('2026-11-20'));
});
