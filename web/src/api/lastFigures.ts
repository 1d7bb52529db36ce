/** The last figures that this browser showed of somebody, as they were written on the screen: for the page that stands in for the program while
 *  nobody answers (`worker/offline.ts`). They are kept by this browser alone, as long as their person stays signed in here
 *  [docs/rules/web.md#without-a-connection]. */
import { FIGURES } from './dropFigures';

/** Of which accounts, in this order. */
export const KEPT_ACCOUNTS = ['available', 'held', 'bonus', 'sponsored', 'debt'] as const;
type Account = (typeof KEPT_ACCOUNTS)[number];

export interface LastFigures {
  /** Whose they are. */
  person: string;
  /** When they were true, by that person's clocks. */
  at: string;
  lines: readonly (readonly [account: Account, amount: string])[];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 80;
const isLine = (value: unknown): value is [Account, string] =>
  Array.isArray(value) && KEPT_ACCOUNTS.some((account) => account === value[0]) && isText(value[1]);

/** What was kept, if it is that; null for anything else. */
export function figuresOf(kept: string | null): LastFigures | null {
  try {
    const told: unknown = JSON.parse(kept ?? '');
    if (typeof told !== 'object' || told === null) return null;
    const { person, at, lines }: { person?: unknown; at?: unknown; lines?: unknown } = told;
    if (!isText(person) || !isText(at) || !Array.isArray(lines) || !lines.every(isLine)) return null;
    return { person, at, lines };
  } catch {
    return null;
  }
}

export function keepFigures(figures: LastFigures) {
  try {
    localStorage.setItem(FIGURES, JSON.stringify(figures));
  } catch {
    // A browser that keeps nothing shows none.
  }
}

export function lastFigures(): LastFigures | null {
  try {
    return figuresOf(localStorage.getItem(FIGURES));
  } catch {
    return null;
  }
}
