// @vitest-environment jsdom
import { expect, test } from 'vitest';
import {
  formatAgo,
  formatCompact,
  formatDate,
  formatDateTime,
  formatDecimal,
  formatSpan,
  formatTime,
  knowsZone,
  zoneOf,
} from './format';

const NOON = '2026-11-20T12:30:00Z';

test('a moment is written by the clocks of a zone, Brasília without one', () => {
  expect(formatDateTime('pt-BR', NOON)).toBe('20/11/2026 09:30');
  expect(formatDateTime('pt-BR', NOON, false, 'Pacific/Auckland')).toBe('21/11/2026 01:30');
  expect(formatTime('pt-BR', NOON, true, 'America/Manaus')).toBe('08:30:00');
  expect(formatDate('en-US', NOON, 'short', 'Pacific/Auckland')).toBe('11/21/2026');
  expect(formatAgo('pt-BR', NOON, Date.parse('2026-11-25T12:00:00Z'), 'Asia/Tokyo')).toBe('20/11/2026 21:30');
});

test.each(['Pacific/Auckland', 'Pacific/Honolulu'])('a day of the business is the same day in %s', (zone) => {
  expect(formatDate('pt-BR', '2026-11-20', 'short', zone)).toBe('20/11/2026');
  expect(formatDate('pt-BR', '2026-11', 'short', zone)).toBe('11/2026');
});

test('a zone that is not known here is Brasília', () => {
  expect(knowsZone('Mars/Olympus')).toBe(false);
  expect(zoneOf({ timeZone: 'Mars/Olympus' })).toBe('America/Sao_Paulo');
  expect(zoneOf({ timeZone: null })).toBe('America/Sao_Paulo');
  expect(zoneOf(null)).toBe('America/Sao_Paulo');
  expect(zoneOf({ timeZone: 'Europe/Lisbon' })).toBe('Europe/Lisbon');
});

test.each([
  ['58.800000', 6, '58,80'],
  ['58.80000000', 8, '58,80'],
  ['58.812345', 6, '58,812345'],
  ['0.00000001', 8, '0,00000001'],
  ['2500', 6, '2.500,00'],
  ['58.8', 4, '58,8000'],
  ['58.812345', 2, '58,81'],
] as const)('%s with %i digits is written %s', (value, digits, text) => {
  expect(formatDecimal('pt-BR', value, digits)).toBe(text);
});

test('a span is told in its two greatest units', () => {
  const spans = [-5, 59, 60, 12 * 60 + 59, 3600, 3 * 3600 + 5 * 60, 24 * 3600, 52 * 3600 + 59 * 60];
  expect(spans.map((seconds) => formatSpan('en-US', seconds * 1000))).toEqual([
    '<1m',
    '<1m',
    '1m',
    '12m',
    '1h',
    '3h 5m',
    '1d',
    '2d 4h',
  ]);
});

test.each([
  [0.25, '0,25'],
  [0.075, '0,075'],
  [750, '750'],
  [2250, '2,25\u00a0mil'],
  [1_250_000, '1,25\u00a0mi'],
])('%d stands at an axis whole', (value, shown) => {
  expect(formatCompact('pt-BR', value)).toBe(shown);
});
