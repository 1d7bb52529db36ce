/** Money is a decimal string from the server to the screen and back; arithmetic is on scaled integers, never on floats. */

const SCALE = 18;
const PATTERN = /^-?\d+(?:\.\d+)?$/;

/** A decimal string as an integer of 10⁻¹⁸. */
function scaled(value: string): bigint {
  if (!PATTERN.test(value)) throw new RangeError(`not a decimal: ${value}`);
  const negative = value.startsWith('-');
  const [whole = '0', fraction = ''] = value.replace('-', '').split('.');
  const units = BigInt(whole + fraction.slice(0, SCALE).padEnd(SCALE, '0'));
  return negative ? -units : units;
}

function unscaled(units: bigint, digits: number): string {
  const negative = units < 0n;
  const text = (negative ? -units : units).toString().padStart(SCALE + 1, '0');
  const whole = text.slice(0, -SCALE);
  const fraction = text.slice(-SCALE).slice(0, digits);
  const result = digits > 0 ? `${whole}.${fraction}` : whole;
  return negative && /[1-9]/.test(result) ? `-${result}` : result;
}

export const isDecimal = (value: unknown): value is string =>
  typeof value === 'string' && PATTERN.test(value);

/** Cut after `digits` decimals, towards zero: a balance is never shown higher than it is. */
export const truncate = (value: string, digits: number): string => unscaled(scaled(value), digits);

/** Without zeros that say nothing, but with so many decimals at least: "2.5000" is "2.5". */
export function tidy(value: string, least = 0): string {
  const [whole = '', fraction = ''] = value.split('.');
  const kept = fraction.replace(/0+$/, '').padEnd(least, '0');
  return kept === '' ? whole : `${whole}.${kept}`;
}

export function compare(a: string, b: string): -1 | 0 | 1 {
  const difference = scaled(a) - scaled(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export const isZero = (value: string): boolean => scaled(value) === 0n;
/** With how many places a figure is shown where it stands alone: below the last of them it has its own, for what is there is never written as
 *  nothing. */
export const placesOf = <Places extends number>(value: string, places: Places): Places | 6 =>
  !isZero(value) && isZero(truncate(value, places)) ? 6 : places;
export const isPositive = (value: string): boolean => scaled(value) > 0n;
export const isNegative = (value: string): boolean => scaled(value) < 0n;
export const add = (a: string, b: string, digits = 6): string => unscaled(scaled(a) + scaled(b), digits);
export const subtract = (a: string, b: string, digits = 6): string => unscaled(scaled(a) - scaled(b), digits);
export const sum = (values: readonly string[], digits = 6): string =>
  unscaled(
    values.reduce((total, value) => total + scaled(value), 0n),
    digits,
  );

type Rounding = 'down' | 'up';

function settle(units: bigint, remainder: boolean, digits: number, rounding: Rounding): string {
  const step = 10n ** BigInt(SCALE - digits);
  const cut = units / step;
  const exact = cut * step === units && !remainder;
  return unscaled((rounding === 'up' && !exact ? cut + 1n : cut) * step, digits);
}

/** Of positive amounts. BRL to pay is rounded up to the centavo, BRL to receive down [docs/rules/foundation.md#amounts-and-rounding]. */
export function multiply(value: string, rate: string, digits: number, rounding: Rounding): string {
  const product = scaled(value) * scaled(rate);
  const one = 10n ** BigInt(SCALE);
  return settle(product / one, product % one !== 0n, digits, rounding);
}

export function divide(value: string, rate: string, digits: number, rounding: Rounding): string {
  const numerator = scaled(value) * 10n ** BigInt(SCALE);
  const divisor = scaled(rate);
  if (divisor === 0n) throw new RangeError('division by zero');
  return settle(numerator / divisor, numerator % divisor !== 0n, digits, rounding);
}

/** A share between 0 and 1 for a bar's width; the only place where money becomes a number, and nothing is computed from it. */
export function ratio(part: string, whole: string): number {
  const divisor = scaled(whole);
  if (divisor <= 0n) return 0;
  return Math.min(1, Math.max(0, Number((scaled(part) * 10_000n) / divisor) / 10_000));
}

/** A share in percent, between "0" and "100", for its text. */
export function percentOf(part: string, whole: string): string {
  const divisor = scaled(whole);
  if (divisor <= 0n) return '0';
  const share = (scaled(part) * 100n * 10n ** BigInt(SCALE)) / divisor;
  const most = 100n * 10n ** BigInt(SCALE);
  return unscaled(share < 0n ? 0n : share > most ? most : share, SCALE);
}

/** For the y of a chart, where a pixel is coarser than a double. */
export const toChart = (value: string): number => Number(value);

export type MoneyProblem = 'invalid' | 'negative' | 'precision' | 'tooLarge';
export type ParsedMoney =
  | { kind: 'empty' }
  | { kind: 'value'; value: string }
  /** Two honest readings, both as decimal strings: the person decides. */
  | { kind: 'ambiguous'; readings: [string, string] }
  | { kind: 'problem'; problem: MoneyProblem };

const MAX_WHOLE_DIGITS = 12;

/** Reads what a person typed or pasted, with comma or point as either separator. */
export function parseMoney(
  text: string,
  { decimalMark, digits, pasted = false }: { decimalMark: ',' | '.'; digits: number; pasted?: boolean },
): ParsedMoney {
  const typed = text
    .trim()
    .replace(/^(?:R\$|US\$|\$|USDT|PYX)/i, '')
    .replace(/(?:USDT|BRL|USD|PYX)$/i, '')
    .trim();
  if (typed === '') return { kind: 'empty' };
  if (/^[-−]/.test(typed)) return { kind: 'problem', problem: 'negative' };
  // Blanks part thousands as points and commas do: in groups of three.
  if (/\s/.test(typed) && !/^[1-9]\d{0,2}(?:(\s)\d{3})(?:\1\d{3})*(?:[.,]\d*)?$/.test(typed))
    return { kind: 'problem', problem: 'invalid' };
  const bare = typed.replace(/\s/g, '');
  if (!/^[\d.,]+$/.test(bare) || !/\d/.test(bare)) return { kind: 'problem', problem: 'invalid' };

  const points = bare.split('.').length - 1;
  const commas = bare.split(',').length - 1;
  if (points > 0 && commas > 0) {
    const mark = bare.lastIndexOf('.') > bare.lastIndexOf(',') ? '.' : ',';
    return (mark === '.' ? points : commas) > 1 ||
      !grouped(bare.slice(0, bare.lastIndexOf(mark)), mark === '.' ? ',' : '.')
      ? { kind: 'problem', problem: 'invalid' }
      : decimal(bare, mark, digits);
  }
  if (points + commas === 0) return decimal(bare, '.', digits);
  const mark = points > 0 ? '.' : ',';
  if (points + commas > 1)
    return grouped(bare, mark)
      ? decimal(bare.replaceAll(mark, ''), '.', digits)
      : { kind: 'problem', problem: 'invalid' };
  return oneMark(bare, mark, { decimalMark, digits, pasted });
}

function oneMark(
  bare: string,
  mark: '.' | ',',
  { decimalMark, digits, pasted }: { decimalMark: ',' | '.'; digits: number; pasted: boolean },
): ParsedMoney {
  const couldGroup = /^[1-9]\d{0,2}[.,]\d{3}$/.test(bare);
  if (!couldGroup || (mark === decimalMark && !pasted)) return decimal(bare, mark, digits);
  const asGroups = decimal(bare.replace(mark, ''), '.', digits);
  const asFraction = decimal(bare, mark, digits);
  if (asFraction.kind !== 'value') return mark === decimalMark ? asFraction : asGroups;
  if (asGroups.kind !== 'value') return asFraction;
  return { kind: 'ambiguous', readings: [asGroups.value, asFraction.value] };
}

const grouped = (text: string, mark: '.' | ','): boolean =>
  new RegExp(`^\\d{1,3}(?:\\${mark}\\d{3})*$`).test(text) || !text.includes(mark);

function decimal(text: string, mark: '.' | ',', digits: number): ParsedMoney {
  const at = text.lastIndexOf(mark);
  const whole = (at < 0 ? text : text.slice(0, at)).replace(/\D/g, '').replace(/^0+(?=\d)/, '') || '0';
  const fraction = at < 0 ? '' : text.slice(at + 1);
  if (fraction.length > digits) return { kind: 'problem', problem: 'precision' };
  if (whole.length > MAX_WHOLE_DIGITS) return { kind: 'problem', problem: 'tooLarge' };
  return { kind: 'value', value: fraction ? `${whole}.${fraction}` : whole };
}
