// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { type Graduation, payWord, toDo } from './graduations';

const row = (
  status: NonNullable<Graduation['payment']>['status'] | null,
  more: Partial<Graduation> = {},
) => ({
  isBonusPaid: false,
  givenUpAt: null,
  bonus: '50.000000',
  payment: status && {
    _id: 'p1',
    status,
    approvals: 1,
    approvalsNeeded: 2,
    reason: null,
    transaction: null,
    version: 1,
  },
  ...more,
});

test.each([
  [null, 'pending', 'pay'],
  ['pending', 'pending_approval', 'agree'],
  ['approved', 'approved', 'stop'],
  ['sent', 'sent', null],
  ['failed', 'failed', 'pay'],
  ['rejected', 'pending', 'pay'],
] as const)('a payment that is %s reads %s', (status, word, task) => {
  expect([payWord(row(status)), toDo(row(status))]).toEqual([word, task]);
});

test('what is paid is over, and nothing is paid where nothing is due', () => {
  expect(toDo(row('complete', { isBonusPaid: true }))).toBeNull();
  expect(payWord(row('complete', { isBonusPaid: true }))).toBe('paid');
  expect(toDo(row(null, { bonus: '0.000000' }))).toBeNull();
  const left = row(null, { givenUpAt: '2026-11-28T12:00:00Z' });
  expect([payWord(left), toDo(left)]).toEqual(['given_up', null]);
});
