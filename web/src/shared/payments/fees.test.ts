import { describe, expect, test } from 'vitest';
import { parts, pyxParts } from './fees';

const terms = { minimum: '10.000000', feePercent: '2.0000', feeMinimum: '1.000000' };

describe('what a withdrawal costs', () => {
  test.each([
    ['10', '1.000000', '9.000000'],
    ['50.00005', '1.000001', '49.000049'],
    ['100', '2.000000', '98.000000'],
    ['1234.567891', '24.691357', '1209.876534'],
  ])('%s', (value, fee, net) => {
    expect(parts(value, terms)).toEqual({ fee, net });
  });
  test('a part of a percent counts', () => {
    expect(parts('100', { ...terms, feePercent: '2.5125' })).toEqual({ fee: '2.512500', net: '97.487500' });
  });
  test.each(['9.999999', '0'])('%s is refused', (value) => {
    expect(parts(value, terms)).toBeNull();
  });
  test('nothing left is refused', () => {
    expect(parts('1', { ...terms, minimum: '1' })).toBeNull();
  });
  test('of PYX it stands beside them: they leave whole, at least one', () => {
    const pyx = { pyxFee: '1.000000', pyxMinimum: '1.000000' };
    expect(pyxParts('40.5', pyx)).toEqual({ fee: '1.000000', net: '40.5' });
    expect(pyxParts('0.999999', pyx)).toBeNull();
  });
});
