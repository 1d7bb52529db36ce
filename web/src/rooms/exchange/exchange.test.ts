// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from '@/api/queryClient';
import { asked } from '@/testing/facts';
import { type Book, bought, type Market, most, onStep, showBook, showTrade, total } from './exchange';

test('a purchase is counted as the server counts it', () => {
  expect(bought('10.000001', '0.5')).toBe('20.000002');
  expect(bought('1', '0.300000')).toBe('3.333333');
  expect(bought('0.000001', '1.5')).toBe('0.000000');
  expect(bought('1', '0')).toBe('0.000000');
});

test('orders move in ticks and lots, and cost exactly', () => {
  expect(total('12.34', '0.0567')).toBe('0.699678');
  expect(most('10', '0.300000', '0.010000')).toBe('33.33');
  expect(onStep('0.0567', '0.000100')).toBe(true);
  expect(onStep('0.05671', '0.000100')).toBe(false);
  expect(onStep('3', '0.010000')).toBe(true);
  expect(onStep('3.001', '0.010000')).toBe(false);
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // What one test has set off another one does not find.
  vi.runAllTimers();
  queryClient.clear();
  vi.useRealTimers();
});

const trade = (number: number, price = '0.050000') => ({
  number,
  price,
  quantity: '10.000000',
  side: 'buy' as const,
  at: `2026-11-20T12:00:0${number}Z`,
});
const book = (trades: number, more: Partial<Book> = {}): Book => ({ bids: [], asks: [], trades, ...more });
const TRADES = ['get', '/orders/trades', { params: { query: { limit: 2 } } }];
const BOOK = ['get', '/orders/book', {}];
const trades = () => queryClient.getQueryData<{ data: { number: number }[]; meta: object }>(TRADES);
const market = () => queryClient.getQueryData<Market>(BOOK);
const know = () => {
  queryClient.setQueryData(TRADES, {
    data: [trade(4), trade(3)],
    meta: { page: 1, limit: 2, total: 4, lastPage: 2, asOf: trade(4).at },
  });
  queryClient.setQueryData(BOOK, { book: book(4), last: '0.050000', dayFirst: null, reference: '0.050000' });
};

test('a trade stands on top of the one before it, and its price is the last one; the list is not asked for', () => {
  know();
  showTrade(trade(5, '0.060000'));
  expect(trades()).toEqual({
    data: [trade(5, '0.060000'), trade(4)],
    meta: { page: 1, limit: 2, total: 5, lastPage: 3, asOf: trade(5).at },
  });
  expect(market()).toMatchObject({ last: '0.060000', dayFirst: '0.060000', reference: '0.050000' });
  expect(asked()).toEqual([]);
  // The band is the server's reckoning: once for a burst.
  vi.advanceTimersByTime(1_000);
  expect(asked()).toEqual(['/orders/book']);
});

test('a trade that was not seen: nothing is put above the gap, the list is asked for', () => {
  know();
  showTrade(trade(6));
  showTrade(trade(7));
  expect(trades()?.data.map(({ number }) => number)).toEqual([4, 3]);
  vi.advanceTimersByTime(1_000);
  expect(asked()).toEqual(['/orders/trades', '/orders/book']);
});

test('a trade that is known, or older than the book, changes nothing', () => {
  know();
  showTrade(trade(4));
  expect(trades()?.meta).toMatchObject({ total: 4 });
  showTrade(trade(3, '0.010000'));
  expect(market()).toMatchObject({ last: '0.050000' });
});

test('an answer on its way may be older than what is seen: it is asked for again', async () => {
  know();
  const old = trades();
  let answer = (_: typeof old) => {};
  const queryFn = () => new Promise<typeof old>((done) => (answer = done));
  const read = queryClient.fetchQuery({ queryKey: TRADES, queryFn, staleTime: 0 });
  showTrade(trade(5));
  answer(old);
  expect(await read).toEqual(old);
  expect(trades()).toEqual(old);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked()).toContain('/orders/trades');
});

test('the depth as last seen; an older one never wins', () => {
  know();
  const asks = [{ price: '0.060000', quantity: '1.000000' }];
  showBook(book(4, { asks }));
  expect(market()?.book.asks).toEqual(asks);
  showBook(book(3));
  expect(market()?.book.asks).toEqual(asks);
  vi.advanceTimersByTime(1_000);
  expect(asked()).toEqual([]);
});
