/** How much of a balance one withdrawal may take now, and what bounds it: as `approvals::guard` decides it (docs/rules/approvals.md#outgoing-money). */
import { compare, isPositive, subtract } from '@/ui/money';
import { isStopped, type OutboundState } from './OutboundNotice';

export interface Spendable {
  max: string;
  /** What of the balance is young money. */
  young: string | null;
  /** The limit that is less than the rest; or nothing may leave at all. */
  limit: 'request' | 'day' | 'stopped' | null;
}

const least = (one: string, other: string) => (compare(one, other) <= 0 ? one : other);

type Bounds = Pick<OutboundState, 'young' | 'perTransaction' | 'leftToday' | 'hold' | 'pause' | 'debt'>;

export function spendableOf(balance: string, state: Bounds): Spendable {
  const { young, perTransaction, leftToday } = state;
  if (isStopped(state)) return { max: '0.000000', young: null, limit: 'stopped' };
  const old = compare(young, balance) < 0 ? subtract(balance, young) : '0.000000';
  const limit = least(perTransaction, leftToday);
  return {
    max: least(old, limit),
    young: isPositive(young) && isPositive(balance) ? least(young, balance) : null,
    limit: compare(limit, old) >= 0 ? null : limit === perTransaction ? 'request' : 'day',
  };
}
