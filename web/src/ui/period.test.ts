// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { daysOf, readDay } from './period';

test('periods end today, and last month is whole', () => {
  expect(daysOf('today', '2026-03-01')).toEqual(['2026-03-01', '2026-03-01']);
  expect(daysOf('week', '2026-03-01')).toEqual(['2026-02-23', '2026-03-01']);
  expect(daysOf('month30', '2026-03-01')).toEqual(['2026-01-31', '2026-03-01']);
  expect(daysOf('thisMonth', '2026-03-31')).toEqual(['2026-03-01', '2026-03-31']);
  expect(daysOf('lastMonth', '2026-03-31')).toEqual(['2026-02-01', '2026-02-28']);
  expect(daysOf('lastMonth', '2024-03-05')).toEqual(['2024-02-01', '2024-02-29']);
  expect(daysOf('lastMonth', '2026-01-15')).toEqual(['2025-12-01', '2025-12-31']);
});

test('a day is read in the order of the language, and only when it is whole', () => {
  expect(readDay('pt-BR', '05/11/2026')).toBe('2026-11-05');
  expect(readDay('es-ES', ' 5/11/2026 ')).toBe('2026-11-05');
  expect(readDay('en-US', '11/05/2026')).toBe('2026-11-05');
  expect(readDay('en-US', '2026-11-05')).toBe('2026-11-05');
  for (const bad of ['', '05/11', '05/11/20', '31/02/2026', '05/13/2026', '00/01/2026', 'hoje'])
    expect(readDay('pt-BR', bad), bad).toBeNull();
});
