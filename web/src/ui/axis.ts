/** Where the axis of a chart's values begins and ends. */
import type { HistoryRow, Series } from './HistoryChart';
import { isNegative, isPositive } from './money';

type Edge = 0 | 'auto';

/** Bars are read by their length: whatever they show, their axis holds zero, or the shorter of two looks like next to nothing. Lines
 *  are read by their course, and may begin anywhere. */
export function valueAxis(rows: readonly HistoryRow[], series: readonly Series[]): [Edge, Edge] {
  const bars = series.filter(({ shape }) => shape === 'bar');
  if (bars.length === 0) return ['auto', 'auto'];
  const some = (is: (value: string) => boolean) =>
    rows.some(({ values }) => series.some(({ key }) => is(values[key] ?? '0')));
  const [below, above] = [some(isNegative), some(isPositive)];
  return [below ? 'auto' : 0, above || !below ? 'auto' : 0];
}
