import { expect, test } from 'vitest';
import { LOCALES } from '@/i18n/locales';
import { type CardWords, type Format, linesOf, type Measure, sheetOf } from './card';

type Texts = { card: Record<string, string> };
const files = import.meta.glob<{ default: Texts }>('../../i18n/*/content.json', { eager: true });

/** As wide as the widest of a plain letter: what is drawn is narrower. */
const measure: Measure = (text, size) => [...text].length * size * 0.6;

const wordsIn = (locale: string, result: boolean): CardWords => {
  const { card = {} } = files[`../../i18n/${locale}/content.json`]?.default ?? {};
  const text = (name: string) => card[name] ?? '';
  return {
    brand: 'Arbora',
    headline: text('headline'),
    body: text('body'),
    by: text('by').replace('{{name}}', 'maria.fernanda12345'),
    link: 'https://arbora.example/ref/mariafernanda12345',
    scan: text('scan'),
    note: text('note'),
    result: result
      ? {
          label: text('result'),
          value: '+1.234.567,89 USDT',
          period: '28/10/2026 – 27/11/2026',
          mode: 'SIMULADO',
          past: text('past'),
        }
      : undefined,
  };
};

test.each(
  LOCALES.flatMap((locale) =>
    (['square', 'story'] as const).flatMap((format) =>
      [true, false].map((result) => [locale, format, result] as [string, Format, boolean]),
    ),
  ),
)(
  'a card in %s, %s, with a result: %s, keeps its margins and nothing covers anything',
  (locale, format, result) => {
    const card = wordsIn(locale, result);
    expect(card.headline).not.toBe('');
    const { width, height, words, qr, frame } = sheetOf(card, format, measure);
    for (const { text, x, y, size, weight } of words) {
      expect(x + measure(text, size, weight)).toBeLessThanOrEqual(width - 60);
      expect(y).toBeLessThanOrEqual(height - 60);
      const inside = x < qr.x + qr.width && y > qr.y && y - size < qr.y + qr.height;
      expect(inside, text).toBe(false);
    }
    const above = words.filter(({ x, y }) => x < qr.x + qr.width && y < qr.y + qr.height);
    expect(Math.max(...above.map(({ y }) => y))).toBeLessThan(qr.y);
    if (frame) expect(frame.y + frame.height).toBeLessThanOrEqual(qr.y);
  },
);

test('a result is never without its mode and its period, and no card is without its note', () => {
  const said = (result: boolean) =>
    sheetOf(wordsIn('pt', result), 'square', measure)
      .words.map(({ text }) => text)
      .join(' ');
  for (const text of ['SIMULADO', '28/10/2026 – 27/11/2026', '+1.234.567,89 USDT'])
    expect(said(true)).toContain(text);
  expect(said(false)).not.toContain('USDT');
  const { note } = wordsIn('pt', false);
  for (const result of [true, false]) expect(said(result)).toContain(note.split(' ')[0]);
});

test('a long word is broken between its letters', () => {
  const one: Measure = (text) => [...text].length;
  expect(linesOf('ab abcdefgh c', 4, 1, 400, one)).toEqual(['ab', 'abcd', 'efgh', 'c']);
  expect(linesOf('  ', 4, 1, 400, one)).toEqual([]);
});
