/** How numbers and times are written in each language. Money goes in as a decimal string, so no digit is ever lost. */
import { useTranslation } from 'react-i18next';
import { BUSINESS_ZONE } from '@/api/clock';
import { useSession } from '@/api/session';
import { isLocale, LANGUAGE_TAGS } from '@/i18n/locales';
import { compare, isDecimal, isPositive } from './money';

const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();

function numberFormat(tag: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = tag + JSON.stringify(options);
  let format = numbers.get(key);
  if (!format) {
    format = new Intl.NumberFormat(tag, options);
    numbers.set(key, format);
  }
  return format;
}

function dateFormat(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = tag + JSON.stringify(options);
  let format = dates.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(tag, options);
    dates.set(key, format);
  }
  return format;
}

export type Digits = 0 | 2 | 4 | 6 | 8;

/** Truncated, never rounded up; `sign` writes a plus as well. `–` stands for a value that is not a decimal. More than four digits are an
 *  amount's own: those that say nothing are left away, so that 58.800000 and 58.80000000 have one form. */
export function formatDecimal(tag: string, value: string, digits: Digits = 2, sign = false): string {
  if (!isDecimal(value)) return '–';
  return numberFormat(tag, {
    minimumFractionDigits: digits > 4 ? 2 : digits,
    maximumFractionDigits: digits,
    roundingMode: 'trunc',
    signDisplay: sign ? 'exceptZero' : 'negative',
    useGrouping: 'always',
  }).format(value as Intl.StringNumericLiteral);
}

/** Intl takes ISO currencies only, so USDT is a decimal with a no-break space and its name. */
export const formatUsdt = (tag: string, value: string, digits: Digits = 2, sign = false): string =>
  `${formatDecimal(tag, value, digits, sign)}\u00a0USDT`;

export function formatBrl(tag: string, value: string, sign = false): string {
  const text = formatDecimal(tag, value, 2, sign);
  return /^[+-]/.test(text) ? `${text[0]}R$\u00a0${text.slice(1)}` : `R$\u00a0${text}`;
}

/** The US dollar form for administrators' totals [docs/rules/web.md#amounts-shown]. */
export const formatUsd = (tag: string, value: string): string =>
  isDecimal(value)
    ? numberFormat(tag, { style: 'currency', currency: 'USD', roundingMode: 'trunc' }).format(
        value as Intl.StringNumericLiteral,
      )
    : '–';

/** `value` is already in percent ("1.2500" is 1,25 %). What is there is never written as nothing: 0.4 without decimals is "<1%". A change
 *  (`sign`) that small is none. */
export function formatPercent(tag: string, value: string, digits: Digits = 2, sign = false): string {
  const least = digits === 0 ? '1' : `0.${'0'.repeat(digits - 1)}1`;
  const little = !sign && isDecimal(value) && isPositive(value) && compare(value, least) < 0;
  const text = little ? `<${formatDecimal(tag, least, digits)}` : formatDecimal(tag, value, digits, sign);
  return tag.startsWith('es') ? `${text}\u00a0%` : `${text}%`;
}

export const formatCount = (tag: string, value: number): string =>
  numberFormat(tag, { maximumFractionDigits: 0 }).format(value);

/** A short span: "1,4 s". */
export const formatSeconds = (tag: string, ms: number): string =>
  numberFormat(tag, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'narrow',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  }).format(ms / 1000);

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long something took or has taken, in its two greatest units: "12 min", "3 h 5 min", "2 d 4 h". Less than a minute is "<1 min". */
export function formatSpan(tag: string, ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const told = (unit: string, value: number) =>
    numberFormat(tag, { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: 0 }).format(value);
  const minutes = Math.floor((seconds % HOUR) / MINUTE);
  if (seconds < MINUTE) return `<${told('minute', 1)}`;
  if (seconds < HOUR) return told('minute', minutes);
  const hours = Math.floor((seconds % DAY) / HOUR);
  if (seconds < DAY)
    return [told('hour', hours), ...(minutes > 0 ? [told('minute', minutes)] : [])].join(' ');
  return [told('day', Math.floor(seconds / DAY)), ...(hours > 0 ? [told('hour', hours)] : [])].join(' ');
}

/** Short, and whole: "2,25 mil", never "2,3 mil". */
export const formatCompact = (tag: string, value: number): string =>
  numberFormat(tag, { notation: 'compact', maximumSignificantDigits: 6 }).format(value);

type Instant = string | number | Date;

const zones = new Map<string, boolean>();

/** Whether this browser has the clocks of a zone: one that it does not know would break every screen. */
export function knowsZone(zone: string): boolean {
  let known = zones.get(zone);
  if (known === undefined) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: zone });
      known = true;
    } catch {
      known = false;
    }
    zones.set(zone, known);
  }
  return known;
}

/** Where somebody's clocks are: moments are shown by them. Days of the business are Brasília's for everybody and come without a zone. */
export const zoneOf = (user: { timeZone?: string | null } | null): string =>
  user?.timeZone && knowsZone(user.timeZone) ? user.timeZone : BUSINESS_ZONE;

/** 20/11/2026 14:32, by the clocks of a zone. */
export function formatDateTime(
  tag: string,
  at: Instant,
  withSeconds = false,
  timeZone: string = BUSINESS_ZONE,
): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '–';
  const options: Intl.DateTimeFormatOptions = { timeZone, hourCycle: 'h23' };
  const day = dateFormat(tag, { ...options, day: '2-digit', month: '2-digit', year: 'numeric' }).format(date);
  const time = dateFormat(tag, {
    ...options,
    hour: '2-digit',
    minute: '2-digit',
    ...(withSeconds && { second: '2-digit' }),
  }).format(date);
  return `${day} ${time}`;
}

export function formatTime(
  tag: string,
  at: Instant,
  withSeconds = false,
  timeZone: string = BUSINESS_ZONE,
): string {
  return dateFormat(tag, {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    ...(withSeconds && { second: '2-digit' }),
    hourCycle: 'h23',
  }).format(new Date(at));
}

/** A date-only value ("2026-11-20", or a month, "2026-11") has no zone: it is formatted in UTC so that it stays the same everywhere. */
export function formatDate(
  tag: string,
  at: Instant,
  style: 'short' | 'medium' | 'long' = 'short',
  zone: string = BUSINESS_ZONE,
): string {
  if (typeof at === 'string' && /^\d{4}-\d{2}$/.test(at))
    return dateFormat(tag, { timeZone: 'UTC', month: '2-digit', year: 'numeric' }).format(new Date(at));
  const dateOnly = typeof at === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(at);
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '–';
  const timeZone = dateOnly ? 'UTC' : zone;
  return style === 'short'
    ? dateFormat(tag, { timeZone, day: '2-digit', month: '2-digit', year: 'numeric' }).format(date)
    : dateFormat(tag, { timeZone, dateStyle: style }).format(date);
}

export const formatUtc = (at: Instant): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** "há 12 min" up to a day, then the date. */
export function formatAgo(
  tag: string,
  at: Instant,
  now: number = Date.now(),
  zone: string = BUSINESS_ZONE,
): string {
  const exact = Math.round((new Date(at).getTime() - now) / 1000);
  // A server whose clock is a little ahead must not make things happen "in 4 s".
  const seconds = exact > 0 && exact < 60 ? 0 : exact;
  if (Number.isNaN(seconds)) return '–';
  if (Math.abs(seconds) >= 86_400) return formatDateTime(tag, at, false, zone);
  const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(tag, { style: 'short', numeric: 'auto' }).format(
    Math.trunc(seconds / size),
    unit,
  );
}

/** The mark between whole and fraction in a language. */
export const decimalMark = (tag: string): ',' | '.' => (tag.startsWith('en') ? '.' : ',');

/** A decimal with as many places as it has: quantities and prices of a market. */
export function formatExact(tag: string, value: string): string {
  if (!isDecimal(value)) return '–';
  const places = value.split('.')[1]?.length ?? 0;
  return numberFormat(tag, {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    useGrouping: 'always',
  }).format(value as Intl.StringNumericLiteral);
}

export function useFormat() {
  const { i18n } = useTranslation();
  const tag = LANGUAGE_TAGS[isLocale(i18n.language) ? i18n.language : 'pt'];
  const zone = useSession(({ user }) => zoneOf(user));
  return {
    tag,
    zone,
    decimal: (value: string, digits?: Digits, sign?: boolean) => formatDecimal(tag, value, digits, sign),
    exact: (value: string) => formatExact(tag, value),
    usdt: (value: string, digits?: Digits, sign?: boolean) => formatUsdt(tag, value, digits, sign),
    brl: (value: string) => formatBrl(tag, value),
    usd: (value: string) => formatUsd(tag, value),
    percent: (value: string, digits?: Digits, sign?: boolean) => formatPercent(tag, value, digits, sign),
    count: (value: number) => formatCount(tag, value),
    seconds: (ms: number) => formatSeconds(tag, ms),
    span: (ms: number) => formatSpan(tag, ms),
    compact: (value: number) => formatCompact(tag, value),
    date: (at: Instant, style?: 'short' | 'medium' | 'long') => formatDate(tag, at, style, zone),
    dateTime: (at: Instant, withSeconds?: boolean) => formatDateTime(tag, at, withSeconds, zone),
    time: (at: Instant, withSeconds?: boolean) => formatTime(tag, at, withSeconds, zone),
    ago: (at: Instant, now?: number) => formatAgo(tag, at, now, zone),
  };
}
