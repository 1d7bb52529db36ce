import { expect, test } from 'vitest';
import { valueAxis } from './axis';
import type { Series } from './HistoryChart';

const bar: Series = { key: 'net', label: '', color: '', shape: 'bar' };
const rows = (...values: string[]) => values.map((net, at) => ({ at: String(at), values: { net } }));

test.each([
  [
    ['2.98', '4.00'],
    [0, 'auto'],
  ],
  [
    ['-2.98', '-4.00'],
    ['auto', 0],
  ],
  [
    ['-2.98', '4.00'],
    ['auto', 'auto'],
  ],
  [
    ['-2.98', '0'],
    ['auto', 0],
  ],
  [
    ['0', '0'],
    [0, 'auto'],
  ],
  [[], [0, 'auto']],
])('bars of %j stand on zero', (values, axis) => {
  expect(valueAxis(rows(...values), [bar])).toEqual(axis);
});

test('a line begins where it is', () => {
  expect(valueAxis(rows('2.98', '4.00'), [{ ...bar, shape: 'area' }])).toEqual(['auto', 'auto']);
});
