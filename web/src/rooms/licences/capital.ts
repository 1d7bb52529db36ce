import type { Licence } from '@/live/licences';
import { add } from '@/ui/money';

/** What stands in a licence and uses its limit: topped up and not yet at work, and at work. */
export const capitalOf = ({ topup, allocated }: Pick<Licence, 'topup' | 'allocated'>): string =>
  add(topup, allocated);
