import { expect, test } from 'vitest';
import { compare } from '@/ui/money';
import { totalFor } from './totalFor';

test('what is sent credits at least what was asked for', () => {
  for (const [value, total] of [
    ['100', '105'],
    ['10', '11.4'],
    ['10.01', '11.42'],
    ['0.01', '1.02'],
  ] as const)
    expect(compare(totalFor(value), total)).toBe(0);
});
