import { beforeEach, expect, test } from 'vitest';
import { newest, showRow } from './lists';
import { queryClient } from './queryClient';

const key = (query: object, path = '/orders') => ['get', path, { params: { query } }];
const PLAIN = key({
  page: 1,
  limit: 10,
  sortby: 'created_at',
  sortdirection: 'desc',
  startDate: '2026-11-01',
});
const SECOND = key({ page: 2, limit: 10 });
const OPEN = key({ page: 1, status: 'open' });
const SORTED = key({ page: 1, sortby: 'status' });
const FILLED = key({ page: 1, status: 'filled' });

const put = (queryKey: unknown[], ...data: object[]) =>
  queryClient.setQueryData(queryKey, { data, meta: {} });
const rows = (queryKey: unknown[]) => queryClient.getQueryData<{ data: object[] }>(queryKey)?.data;
/** Which of the lists are asked for again. */
const asked = () =>
  Object.entries({ PLAIN, SECOND, OPEN, SORTED, FILLED }).flatMap(([name, queryKey]) =>
    queryClient.getQueryState(queryKey)?.isInvalidated ? [name] : [],
  );

beforeEach(() => {
  queryClient.clear();
  for (const list of [PLAIN, OPEN, SORTED]) put(list, { _id: 'a', version: 2, own: 'kept' });
  for (const list of [SECOND, FILLED]) put(list, { _id: 'z', version: 1 });
});

test('a row that is shown is written where it stands; only lists that it may enter, leave or move in are asked for', () => {
  expect(showRow(['/orders'], { _id: 'a', version: 3 })).toBe(true);
  expect(rows(PLAIN)).toEqual([{ _id: 'a', version: 3, own: 'kept' }]);
  expect(asked()).toEqual(['OPEN', 'SORTED', 'FILLED']);
});

test('what a list knows already makes it no question', () => {
  showRow(['/orders'], { _id: 'a', version: 2 });
  expect(rows(PLAIN)).toEqual([{ _id: 'a', version: 2, own: 'kept' }]);
  expect(asked()).toEqual(['FILLED']);
});

test('a row that no list shows is asked for in all', () => {
  expect(showRow(['/orders'], { _id: 'new', version: 1 })).toBe(false);
  expect(asked()).toEqual(['PLAIN', 'SECOND', 'OPEN', 'SORTED', 'FILLED']);
});

test('an answer that is on its way may be older than the fact', () => {
  const answer = new Promise(() => {});
  void queryClient.fetchQuery({ queryKey: PLAIN, queryFn: () => answer, staleTime: 0 }).catch(() => {});
  showRow(['/orders'], { _id: 'a', version: 3 });
  expect(asked()).toContain('PLAIN');
});

test('a fact of a part of the row is known by the part, and written into it', () => {
  const list = key({ page: 1 }, '/admin/graduation');
  put(list, { _id: 'rank', payment: { _id: 'pay', version: 2 } }, { _id: 'other', payment: null });
  const show = (version: number) =>
    showRow(
      ['/admin/graduation'],
      { _id: 'pay', version },
      {
        part: { of: ({ payment }) => payment, write: (row) => ({ ...row, isBonusPaid: true }) },
      },
    );
  expect(show(1)).toBe(true);
  expect(rows(list)?.[0]).not.toHaveProperty('isBonusPaid');
  show(3);
  expect(rows(list)).toEqual([
    { _id: 'rank', payment: { _id: 'pay', version: 2 }, isBonusPaid: true },
    { _id: 'other', payment: null },
  ]);
});

test('the newest of two lines stays, and a line that is not there is none of theirs', () => {
  const lines = [{ _id: 'a', version: 2, word: 'now' }];
  expect(newest(lines, { _id: 'a', version: 1, word: 'before' })).toEqual(lines);
  expect(newest(lines, { _id: 'a', version: 3, word: 'then' })).toEqual([
    { _id: 'a', version: 3, word: 'then' },
  ]);
  expect(newest(lines, { _id: 'b', version: 9, word: 'other' })).toBeNull();
});
