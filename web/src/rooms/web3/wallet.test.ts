// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { inFours } from '@/live/chain/address';
import { freeOf, impactOf, isAddress, rateOf } from './wallet';

const wei = (whole: number) => `${whole}${'0'.repeat(18)}`;

test('what is free is what no order needs', () => {
  expect(freeOf({ coin: 'usdt', wei: wei(100), aside: wei(40), usdt: null })).toBe('60');
  expect(freeOf({ coin: 'usdt', wei: '3', aside: '1', usdt: null })).toBe('0.000000000000000002');
  expect(freeOf(undefined)).toBe('0');
});

test('an address by its form, and as people compare it', () => {
  expect(isAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe(true);
  expect(isAddress(' 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed ')).toBe(true);
  for (const bad of [
    '',
    'ana',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe',
    '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  ])
    expect(isAddress(bad)).toBe(false);
  expect(inFours('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe(
    '0x 5aAe b605 3F3E 94C9 b9A0 9f33 6694 35E7 Ef1B eAed',
  );
});

test('the price of a swap, exact to six digits and never rounded up', () => {
  expect(rateOf('10', wei(20))).toBe('2.000000');
  expect(rateOf('3', wei(1))).toBe('0.333333');
  expect(rateOf('0', wei(1))).toBeNull();
  expect(rateOf('', wei(1))).toBeNull();
});

test('a bad price warns, a worse one asks for a word', () => {
  expect([impactOf('0.10'), impactOf('3.00'), impactOf('14.99'), impactOf('15.00')]).toEqual([
    'fine',
    'warns',
    'warns',
    'stops',
  ]);
});
