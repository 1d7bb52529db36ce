// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { wordOf } from './withdrawals';

test('what is approved is to be paid until it is paid', () => {
  expect(wordOf({ status: 'approved', paidAt: null })).toBe('to_pay');
  expect(wordOf({ status: 'approved', paidAt: '2026-11-20T12:00:00Z' })).toBe('paid');
  expect(wordOf({ status: 'pending', paidAt: null })).toBe('pending');
});
