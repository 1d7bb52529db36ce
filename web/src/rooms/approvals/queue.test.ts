// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest';
import { queryClient } from '@/api/queryClient';
import { alone, type Deposit, depositRows, isEndToEndId, paidAt, QUEUE, type QueuePage } from './queue';

test('a bank id is told from other text', () => {
  expect(isEndToEndId(' E6070119020261120123400000000aB1 ')).toBe(true);
  for (const bad of [
    '',
    'E607011902026112012340000000aB1',
    'D6070119020261120123400000000aB1',
    'E60701190202611201234000000-0aB1',
    'E607011a020261120123400000000aB1',
  ])
    expect(isEndToEndId(bad), bad).toBe(false);
});

test('the minute of the payment stands inside it, in UTC', () => {
  expect(new Date(paidAt('E6070119020261120123400000000aB1')).toISOString()).toBe('2026-11-20T12:34:00.000Z');
  expect(paidAt('nothing')).toBeNaN();
});

test('among others is approved what was asked for, and nothing that is looked at by itself', () => {
  const payment = { endToEndId: 'E6070119020261120123400000000aB1', payerName: 'Ana', brl: '539.23' };
  const asked = { brl: '539.23', rateLockedUntil: '2026-11-20T12:34:00Z', statement: payment };
  const claim = { ...payment, usdt: '100.000000', by: 'Bia' };
  const open = { _id: 'c', reasons: [], status: 'open' as const };
  expect(alone(asked)).toBeNull();
  expect(alone({ ...asked, brl: '539.230' })).toBeNull();
  expect(alone({ ...asked, statement: null })).toBe('noPayment');
  // The bank's word of another amount, and an approver's.
  expect(alone({ ...asked, brl: '53.92' })).toBe('differs');
  expect(alone({ ...asked, claim: { ...claim, brl: '5392.30' } })).toBe('differs');
  // After the lock the rate of the decision may credit less; what was read off has its rate.
  expect(alone({ ...asked, rateLockedUntil: '2026-11-20T12:33:00Z' })).toBe('late');
  expect(alone({ ...asked, claim, rateLockedUntil: '2026-11-20T12:33:00Z' })).toBeNull();
  expect(alone({ ...asked, case: open })).toBe('case');
  expect(alone({ ...asked, case: { ...open, status: 'cleared' } })).toBeNull();
});

const row = (id: string, version: number, status = 'pending_approval') =>
  ({ _id: id, version, status }) as Deposit;
const key = ['get', QUEUE, { params: { query: { status: 'pending_approval' } } }];

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData(key, { data: [row('a', 2), row('b', 2)], pending: 2, oldest: null, meta: {} });
});
const page = () => queryClient.getQueryData<QueuePage>(key);

test('a row decided elsewhere stays where it is, with its new state and the new length', () => {
  expect(depositRows.patch(row('b', 3, 'approved'), 1)).toBe(true);
  expect(page()?.data.map(({ status }) => status)).toEqual(['pending_approval', 'approved']);
  expect(page()?.pending).toBe(1);
});

test('an older version never wins, a double does no harm', () => {
  depositRows.patch(row('a', 3, 'approved'), 1);
  depositRows.patch(row('a', 2), 2);
  expect(page()?.data[0]?.status).toBe('approved');
});

test('what is not on screen is told as such', () => {
  expect(depositRows.patch(row('c', 1), 3)).toBe(false);
  expect(page()?.data.length).toBe(2);
});
