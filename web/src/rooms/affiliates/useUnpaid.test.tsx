// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from '@/api/queryClient';
import { useUnpaid } from './useUnpaid';

const asked: URLSearchParams[] = [];
let refused = new Set<number>();

beforeEach(() => {
  vi.stubGlobal('fetch', async (request: Request) => {
    const { searchParams } = new URL(request.url);
    asked.push(searchParams);
    const page = Number(searchParams.get('page'));
    if (refused.has(page)) return Response.json({ error: { code: 'request.invalid' } }, { status: 422 });
    const data = [{ _id: `r${page}`, user: `u${page}`, isBonusPaid: false, bonus: '50.000000' }];
    return Response.json({ data, meta: { page, limit: 500, total: 1_001, lastPage: 3 } });
  });
});
afterEach(() => {
  asked.length = 0;
  refused = new Set();
  queryClient.clear();
  vi.unstubAllGlobals();
});

const show = () =>
  renderHook(useUnpaid, {
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  });

test('all pages are read, and each once', async () => {
  const { result } = show();
  expect(result.current.rows).toBeUndefined();
  await vi.waitFor(() => expect(result.current.isPending).toBe(false));
  expect(result.current.rows?.map(({ _id }) => _id)).toEqual(['r1', 'r2', 'r3']);
  expect(asked.map((query) => query.get('page')).sort()).toEqual(['1', '2', '3']);
  expect(new Set(asked.map((query) => query.get('isBonusPaid')))).toEqual(new Set(['false']));
});

test('a page that fails is said, and it alone is asked for again', async () => {
  refused = new Set([2]);
  const { result } = show();
  await vi.waitFor(() => expect(result.current.error).toBeTruthy());
  await vi.waitFor(() => expect(result.current.rows?.map(({ _id }) => _id)).toEqual(['r1', 'r3']));
  refused = new Set();
  asked.length = 0;
  await act(() => result.current.retry());
  await vi.waitFor(() => expect(result.current.rows).toHaveLength(3));
  expect(asked.map((query) => query.get('page'))).toEqual(['2']);
  expect(result.current.error).toBeUndefined();
});
