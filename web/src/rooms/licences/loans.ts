import { api, body } from '@/api/client';
import { mutation } from '@/api/mutation';
import type { Licence } from '@/live/licences';
import { isPositive, subtract } from '@/ui/money';
import { CAPITAL, keep } from './licences';

/** What is owed on a licence's open loan, without its sign. */
export const debtOf = (licence: Licence) => subtract('0', licence.loan);
export const owes = (licence: Licence) => isPositive(debtOf(licence));

export const borrow = mutation({
  send: (order: { licence: string; value: string }, key) =>
    body(api.POST('/licences/loan', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  patch: keep,
  changes: CAPITAL,
});

export const repay = mutation({
  send: (order: { licence: string; value: string; source: 'available' | 'topup' }, key) =>
    body(api.POST('/licences/loan-repay', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  patch: keep,
  changes: CAPITAL,
});
