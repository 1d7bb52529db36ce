/** What the network's figures are made of. Pure. */
import { BONUS_KINDS } from '@/shared/network/bonusKinds';
import { standing } from '@/shared/network/standing';
import { add, isZero, subtract } from '@/ui/money';
import type { Dashboard } from './network';

/** What would be carried on if the day ended now. */
export const rest = (leg: Dashboard['left'], matched: string): string => subtract(standing(leg), matched);

type Months = Dashboard['bonuses'];

/** Month by month what each kind paid, its levels together, and which kinds there are. */
export function byMonth(growth: Dashboard['growth'], bonuses: Months) {
  const months = new Map<string, Record<string, string>>(growth.map(({ month }) => [month, {}]));
  for (const { month, kind, paid } of bonuses) {
    const values = months.get(month) ?? {};
    values[kind] = add(values[kind] ?? '0', paid);
    months.set(month, values);
  }
  const rows = [...months].map(([at, values]) => ({ at, values }));
  const kinds = BONUS_KINDS.filter((kind) => rows.some(({ values }) => !isZero(values[kind] ?? '0')));
  return { rows, kinds };
}
