// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { bought, most, onStep, total } from './exchange';

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
