import { expect, test } from 'vitest';
import { squareFor } from './squares';

test.each([
  [32, 1, '32'],
  [32, 2, '64'],
  [36, 1, '64'],
  [36, 1.25, '64'],
  [40, 3, '128'],
  [96, 1, '128'],
  [96, 2, undefined],
] as const)('a face of %s points at %s pixels each: %s', (points, pixels, square) => {
  expect(squareFor(points, pixels)).toBe(square);
});
