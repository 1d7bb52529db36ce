import { expect, test } from 'vitest';
import { businessDay, dayEnds } from './clock';

test('days are those of São Paulo', () => {
  const late = Date.parse('2026-11-24T02:59:58.250Z');
  expect(businessDay(late)).toBe('2026-11-23');
  expect(new Date(dayEnds(late)).toISOString()).toBe('2026-11-24T03:00:00.000Z');
  const midnight = Date.parse('2026-11-24T03:00:00Z');
  expect(businessDay(midnight)).toBe('2026-11-24');
  expect(new Date(dayEnds(midnight)).toISOString()).toBe('2026-11-25T03:00:00.000Z');
});
