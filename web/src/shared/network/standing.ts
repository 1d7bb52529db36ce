import { add, compare, subtract } from '@/ui/money';

interface LegPoints {
  carried: string;
  fresh: string;
  owed: string;
}

/** What stands on each leg now: carried and fresh, less what reversed sales still take. */
export const standing = ({ carried, fresh, owed }: LegPoints): string => {
  const left = subtract(add(carried, fresh), owed);
  return compare(left, '0') > 0 ? left : '0';
};
