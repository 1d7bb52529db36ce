// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { brief, came, type Deposit, fromWei, isOpen, missing, stageOf } from './deposits';

const wei = (whole: number) => `${whole}${'0'.repeat(18)}`;
const deposit = (change: Partial<Deposit>) =>
  ({ received: '0', seen: '0', due: wei(105), expiresAt: '2026-11-20T12:00:00Z', ...change }) as Deposit;

describe('amounts on the chain', () => {
  it('are exact', () => {
    expect(fromWei('0')).toBe('0');
    expect(fromWei('1')).toBe('0.000000000000000001');
    expect(fromWei(wei(105))).toBe('105');
    expect(fromWei('56730769230769230769')).toBe('56.730769230769230769');
  });

  it('tell what has come and what is missing', () => {
    const part = deposit({ received: wei(40), seen: wei(20) });
    expect([came(part), missing(part)]).toEqual(['60', '45']);
    expect(missing(deposit({ seen: wei(110) }))).toBe('0');
    expect(missing(deposit({ due: null }))).toBeNull();
  });
});

describe('a deposit', () => {
  it('is at one stage', () => {
    expect(stageOf(deposit({ status: 'waiting_for_buyer_funds' }))).toBe('waiting');
    expect(stageOf(deposit({ status: 'pending', seen: wei(60) }))).toBe('part');
    expect(stageOf(deposit({ status: 'pending', seen: wei(105) }))).toBe('seen');
    expect(stageOf(deposit({ status: 'pending', due: null, seen: wei(1) }))).toBe('seen');
    expect(stageOf(deposit({ status: 'pending_approval' }))).toBe('review');
    expect(stageOf(deposit({ status: 'complete' }))).toBe('credited');
    expect(stageOf(deposit({ status: 'cancelled_timed_out' }))).toBe('over');
  });

  it('is open while it can be paid', () => {
    expect(isOpen(deposit({ status: 'pending' }))).toBe(true);
    expect(isOpen(deposit({ status: 'pending', expiresAt: null }))).toBe(false);
    expect(isOpen(deposit({ status: 'complete' }))).toBe(false);
  });

  it('shows long texts in brief', () => {
    expect(brief('0x55d398326f99059fF775485246999027B3197955')).toBe('0x55d398…197955');
  });
});
