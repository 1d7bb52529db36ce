/** Periods of business days, as lists are narrowed by them: `2026-11-01` to `2026-11-30`, both included. */
import { useTranslation } from 'react-i18next';
import { businessDay } from '@/api/clock';
import { useFormat } from './format';

const DAY_MS = 86_400_000;

/** The day so many days on, of a day without a zone; UTC keeps it the same day everywhere. */
export const shift = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

export const PRESETS = ['today', 'week', 'month30', 'thisMonth', 'lastMonth'] as const;
export type Preset = (typeof PRESETS)[number];
export type Days = readonly [from: string, to: string];

/** Seven days are today and the six before it. A month is not longer than it is by now. */
export function daysOf(preset: Preset, today: string = businessDay()): Days {
  const first = `${today.slice(0, 8)}01`;
  switch (preset) {
    case 'today':
      return [today, today];
    case 'week':
      return [shift(today, -6), today];
    case 'month30':
      return [shift(today, -29), today];
    case 'thisMonth':
      return [first, today];
    case 'lastMonth': {
      const last = shift(first, -1);
      return [`${last.slice(0, 8)}01`, last];
    }
  }
}

/** A period in the reader's words; an open end says so. */
export function usePeriodText(): (from: string | null, to: string | null) => string {
  const { t: lists } = useTranslation('lists');
  const { date } = useFormat();
  return (from, to) => {
    if (from === null) return to === null ? '' : lists(($) => $.period.until, { day: date(to) });
    if (to === null) return lists(($) => $.period.since, { day: date(from) });
    return from === to ? date(from) : `${date(from)} – ${date(to)}`;
  };
}

/** A day as the reader types it, in the order of their language, or as the server writes it; none while it is no whole day. */
export function readDay(tag: string, text: string): string | null {
  const [first = 0, second = 0, third = 0] = (/^(\d+)\D(\d+)\D(\d+)$/.exec(text.trim()) ?? [])
    .slice(1)
    .map(Number);
  const [year, month, day] =
    first > 999 ? [first, second, third] : tag === 'en-US' ? [third, first, second] : [third, second, first];
  if (year < 1900 || year > 9999) return null;
  const at = new Date(Date.UTC(year, month - 1, day));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? at.toISOString().slice(0, 10) : null;
}
