// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { spendableOf } from './spendable';

const state = {
  young: '0.000000',
  perTransaction: '50000.000000',
  leftToday: '100000.000000',
  hold: null,
  pause: null,
  debt: '0.000000',
};

test('all of the balance may leave where nothing stands before it', () => {
  expect(spendableOf('1234.567891', state)).toEqual({ max: '1234.567891', young: null, limit: null });
});

test('young money stays, all of it where the balance is less', () => {
  expect(spendableOf('1000.000000', { ...state, young: '250.500000' })).toEqual({
    max: '749.500000',
    young: '250.500000',
    limit: null,
  });
  expect(spendableOf('100.000000', { ...state, young: '250.500000' })).toEqual({
    max: '0.000000',
    young: '100.000000',
    limit: null,
  });
});

test('a limit bounds what is old enough, and is named', () => {
  const tight = { ...state, young: '100.000000', perTransaction: '500.000000' };
  expect(spendableOf('1000.000000', tight)).toEqual({
    max: '500.000000',
    young: '100.000000',
    limit: 'request',
  });
  expect(spendableOf('1000.000000', { ...tight, leftToday: '20.000000' })).toEqual({
    max: '20.000000',
    young: '100.000000',
    limit: 'day',
  });
  // What is left of the old money is less than the limit: that is why.
  expect(spendableOf('550.000000', tight).limit).toBeNull();
});

test('a hold, a pause or a debt lets nothing leave', () => {
  const hold = { until: '2026-12-24T15:00:00Z', reason: 'Senha nova', reasonCode: 'password' };
  for (const stopped of [
    { ...state, hold },
    { ...state, debt: '0.010000' },
  ])
    expect(spendableOf('1000.000000', stopped)).toEqual({ max: '0.000000', young: null, limit: 'stopped' });
});
