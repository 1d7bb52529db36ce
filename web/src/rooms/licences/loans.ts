import type { Licence } from '@/live/licences';
import { isPositive, subtract } from '@/ui/money';

/** What is owed on a licence's open loan, without its sign. */
export const debtOf = (licence: Licence) => subtract('0', licence.loan);
export const owes = (licence: Licence) => isPositive(debtOf(licence));
