// @vitest-environment jsdom
import { describe, expect, test } from 'vitest';
import { queryClient } from '@/api/queryClient';
import { CASES, type Case, type CasePage, isDecidedHere, patchCases, screenOf } from './cases';

const one = (part: Partial<Case>): Case => ({
  _id: 'c1',
  user: 'u1',
  username: 'ana21',
  counterparty: null,
  flow: 'transfer',
  value: '10.000000',
  reasons: ['amount'],
  waits: null,
  subject: null,
  status: 'open',
  decidedBy: null,
  note: null,
  openedAt: '2026-11-20T12:00:00Z',
  decidedAt: null,
  version: 1,
  ...part,
});

describe('where a case is decided', () => {
  test('on the screen of what waits, but for a deposit by PIX, a rank’s bonus and what nothing waits for', () => {
    expect(isDecidedHere(one({}))).toBe(true);
    expect(isDecidedHere(one({ waits: 'pix_deposit' }))).toBe(true);
    expect(isDecidedHere(one({ waits: 'graduation_bonus' }))).toBe(true);
    expect(isDecidedHere(one({ waits: 'transfer' }))).toBe(false);
    expect(isDecidedHere(one({ status: 'cleared' }))).toBe(false);
  });

  test('every kind has its screen', () => {
    for (const waits of [
      'transfer',
      'pix_deposit',
      'pix_withdrawal',
      'crypto_deposit',
      'crypto_withdrawal',
      'graduation_bonus',
    ])
      expect(screenOf(one({ waits }))).toMatch(/search=ana21$/);
    expect(screenOf(one({}))).toBeNull();
  });
});

test('a newer state replaces a row, an older one never', () => {
  const key = ['get', CASES, {}];
  const page: CasePage = {
    data: [one({ version: 2 })],
    meta: { page: 1, limit: 10, total: 1, lastPage: 1 },
    pending: 1,
    oldest: null,
  };
  queryClient.setQueryData(key, page);
  const row = () => queryClient.getQueryData<CasePage>(key)?.data[0];
  expect(patchCases(one({ version: 1, note: 'old' }))).toBe(true);
  expect(row()?.note).toBeNull();
  expect(patchCases(one({ version: 3, status: 'cleared' }))).toBe(true);
  expect(row()?.status).toBe('cleared');
  expect(patchCases(one({ _id: 'other' }))).toBe(false);
  queryClient.clear();
});
