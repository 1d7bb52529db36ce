// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest';
import { patchRows } from './lists';
import { mutation } from './mutation';
import { queryClient } from './queryClient';

const KEY = ['get', '/orders', { params: { query: { page: 1 } } }];
const stale = () => queryClient.getQueryState(KEY)?.isInvalidated;
const rows = () => queryClient.getQueryData<{ data: object[] }>(KEY)?.data;

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData(KEY, { data: [{ _id: 'a', version: 2, own: 'kept' }], meta: {} });
});

test('what a call makes untrue is asked again after it, and not after a refusal', async () => {
  const fails = mutation({ send: async () => Promise.reject(new Error('no')), changes: ['/orders'] });
  await expect(fails(null)).rejects.toThrow('no');
  expect(stale()).toBe(false);
  const works = mutation({ send: async (_: null, key) => key, changes: ['/orders'] });
  expect(await works(null, 'key')).toBe('key');
  expect(stale()).toBe(true);
});

test('after a refusal too, where it says that the screen is behind', async () => {
  const fails = mutation({
    send: async () => Promise.reject(new Error('no')),
    changes: ['/orders'],
    always: true,
  });
  await expect(fails(null)).rejects.toThrow('no');
  expect(stale()).toBe(true);
});

test('one of many writes its answer and asks nothing', async () => {
  const works = mutation({
    send: async (version: number) => ({ _id: 'a', version }),
    patch: (row) => void patchRows(['/orders'], row),
    changes: ['/orders'],
  });
  await works.one(3, 'key');
  expect(stale()).toBe(false);
  expect(rows()).toEqual([{ _id: 'a', version: 3, own: 'kept' }]);
  await works.renew();
  expect(stale()).toBe(true);
});

test('a row keeps what only its list knows, unless the fact is the whole row; an older version never wins', () => {
  expect(patchRows(['/orders'], { _id: 'a', version: 1 })).toBe(true);
  expect(rows()).toEqual([{ _id: 'a', version: 2, own: 'kept' }]);
  patchRows(['/orders'], { _id: 'a', version: 3 }, { whole: true });
  expect(rows()).toEqual([{ _id: 'a', version: 3 }]);
  expect(patchRows(['/orders'], { _id: 'b', version: 9 })).toBe(false);
});
