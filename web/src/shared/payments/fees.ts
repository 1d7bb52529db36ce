/** What a withdrawal costs, as the server will compute it (docs/rules/payouts.md#price). */
import { compare, multiply, subtract } from '@/ui/money';

export interface Terms {
  minimum: string;
  feePercent: string;
  feeMinimum: string;
}

export interface PyxTerms {
  pyxMinimum: string;
  pyxFee: string;
}

export interface Parts {
  fee: string;
  net: string;
}

/** Fee and net; none for an amount that would be refused. */
export function parts(value: string, terms: Terms): Parts | null {
  if (compare(value, terms.minimum) < 0) return null;
  const share = multiply(multiply(value, terms.feePercent, 8, 'down'), '0.01', 6, 'down');
  const fee = compare(share, terms.feeMinimum) < 0 ? terms.feeMinimum : share;
  const net = subtract(value, fee);
  return compare(net, '0') > 0 ? { fee, net } : null;
}

/** Of PYX, which leave whole: their fee stands beside them. */
export const pyxParts = (value: string, { pyxMinimum, pyxFee }: PyxTerms): Parts | null =>
  compare(value, pyxMinimum) < 0 ? null : { fee: pyxFee, net: value };
