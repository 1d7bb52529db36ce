// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { queryClient } from '@/api/queryClient';
import { inFours } from '@/live/chain/address';
import {
  isUndecided,
  lookAlike,
  looksLikeAddress,
  patchWithdrawals,
  readLink,
  toDo,
  type Withdrawal,
} from './withdrawals';

const ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

describe('addresses', () => {
  it('have their shape; the checksum is the server’s word', () => {
    expect(looksLikeAddress(` ${ADDRESS} `)).toBe(true);
    for (const bad of ['', '0x', ADDRESS.slice(0, -1), `${ADDRESS}0`, ADDRESS.replace('f', 'g')])
      expect(looksLikeAddress(bad)).toBe(false);
  });
  it('are read in fours', () => {
    expect(inFours(ADDRESS)).toBe('0x fB69 1609 5ca1 df60 bB79 Ce92 cE3E a74c 37c5 d359');
  });
  it('that look like a known one and are another are told', () => {
    const planted = `0xfB69${'0'.repeat(32)}d359`;
    expect(lookAlike(planted, [ADDRESS])).toBe(ADDRESS);
    expect(lookAlike(ADDRESS.toLowerCase(), [ADDRESS])).toBeUndefined();
    expect(lookAlike('0x12', [ADDRESS])).toBeUndefined();
  });
});

describe('the mailed link', () => {
  it('has two halves', () => {
    expect(readLink('id.token')).toEqual({ id: 'id', token: 'token' });
    for (const bad of [null, '', 'id', 'id.', '.token', 'a.b.c']) expect(readLink(bad)).toBeNull();
  });
});

describe('who acts', () => {
  it('is its user until somebody has decided', () => {
    expect(isUndecided({ status: 'awaiting_email' })).toBe(true);
    expect(isUndecided({ status: 'approved' })).toBe(false);
  });
  it('is staff while it waits, failed, or can still be stopped', () => {
    expect(toDo({ status: 'pending' })).toBe('decide');
    expect(toDo({ status: 'failed' })).toBe('failed');
    expect(toDo({ status: 'approved' })).toBe('stop');
    expect(toDo({ status: 'sent' })).toBeNull();
  });
});

describe('lists', () => {
  it('take a newer state and never an older one', () => {
    const row = (version: number, status: Withdrawal['status']) =>
      ({ _id: 'w', version, status }) as Withdrawal;
    queryClient.setQueryData(['get', '/list-withdraws', 1], { data: [row(3, 'sent')] });
    const read = () =>
      queryClient.getQueryData<{ data: Withdrawal[] }>(['get', '/list-withdraws', 1])?.data[0]?.status;
    expect(patchWithdrawals(row(2, 'approved'))).toBe(true);
    expect(read()).toBe('sent');
    patchWithdrawals(row(4, 'complete'));
    expect(read()).toBe('complete');
    expect(patchWithdrawals({ ...row(9, 'complete'), _id: 'other' })).toBe(false);
    queryClient.clear();
  });
});
