import { compare } from '@/ui/money';

/** What PYX cost that leave whole; none for too few of them. */
export function pyxParts(
  value: string,
  terms: { pyxFee: string; pyxMinimum: string },
): { fee: string; net: string } | null {
  return compare(value, terms.pyxMinimum) < 0 ? null : { fee: terms.pyxFee, net: value };
}
