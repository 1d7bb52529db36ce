/** The days of a report as a chart shows them. Pure. */
import { shift } from '@/ui/period';

export interface DayTotal {
  day: string;
  count: number;
  total: string;
}

/** As many as the server tells at most (docs/rules/reports.md#sums-of-lists). */
export const MOST_DAYS = 400;

/** Every day from the first to the last, the newest ones where there are too many: a day without a row is nothing, and not left out, or
 *  what lies far apart would stand side by side. */
export function everyDay(days: readonly DayTotal[]): DayTotal[] {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return [];
  const there = new Map(days.map((one) => [one.day, one]));
  const all: DayTotal[] = [];
  for (let day = last.day; day >= first.day && all.length < MOST_DAYS; day = shift(day, -1))
    all.unshift(there.get(day) ?? { day, count: 0, total: '0.000000' });
  return all;
}
