/** Ranks that were reached and the payment of their bonus: what staff can do about it, and the calls. */
import { api, body, type Schemas } from '@/api/client';
import { outrun, type PageOf, refetch, showRow } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { OWN_GRADUATIONS } from './network';

export type Graduation = Schemas['GraduationItem'];
export type Payment = Schemas['GraduationPayoutView'];
export type BonusOffer = Schemas['BonusOffer'];

export const GRADUATIONS = QUEUES.graduationBonuses.list;
export const OFFER = '/admin/graduation/pay-bonus/{id}';

/** The word that its badge shows. What was turned down is to be paid as before. */
export function payWord({
  isBonusPaid,
  payment,
  givenUpAt,
}: Pick<Graduation, 'isBonusPaid' | 'payment' | 'givenUpAt'>): string {
  if (isBonusPaid) return 'paid';
  // Left to the house by who closed their account.
  if (givenUpAt) return 'given_up';
  if (!payment || payment.status === 'rejected') return 'pending';
  return payment.status === 'pending' ? 'pending_approval' : payment.status;
}

/** What staff can do about it: ask for the payment, agree to it, stop it before it is signed. */
export function toDo(
  row: Pick<Graduation, 'isBonusPaid' | 'payment' | 'givenUpAt' | 'bonus'>,
): 'pay' | 'agree' | 'stop' | null {
  switch (payWord(row)) {
    case 'pending':
    case 'failed':
      return /[1-9]/.test(row.bonus) ? 'pay' : null;
    case 'pending_approval':
      return 'agree';
    case 'approved':
      return 'stop';
    default:
      return null;
  }
}

const changes = [GRADUATIONS, OFFER] as const;

/** Where a payment stands, written into its rank's row. When it was booked, and how many ranks are unpaid, it does not say. */
export function showPayment(payment: Payment) {
  const { status, transaction } = payment;
  const isGone = status === 'failed' || status === 'rejected';
  showRow([GRADUATIONS], payment, {
    part: {
      of: (row) => row.payment,
      write: (row) => ({ ...row, payment, bonusPaymentHash: isGone ? null : (transaction ?? null) }),
    },
  });
  if (status === 'complete') void refetch(GRADUATIONS);
}

/** The same on its member's own list. Paid is the last word about a rank, so it is written there whenever it comes. One on its way, or
 *  refused, may be of a payment before the present one, and the row does not say of which it tells: those are asked for, where shown. */
export function showOwnPayment({ graduation, status, transaction, completedAt }: Payment) {
  let written = false;
  if (status === 'complete' && transaction && completedAt)
    queryClient.setQueriesData<PageOf<typeof OWN_GRADUATIONS>>(
      { queryKey: ['get', OWN_GRADUATIONS] },
      (known) => {
        if (!known?.data.some(({ _id }) => _id === graduation)) return known;
        written = true;
        const paid = { status: 'paid', bonusPaymentHash: transaction, paidAt: completedAt } as const;
        return {
          ...known,
          data: known.data.map((row) => (row._id === graduation ? { ...row, ...paid } : row)),
        };
      },
    );
  void (written ? outrun(OWN_GRADUATIONS) : refetch(OWN_GRADUATIONS));
}

/** One person's word for it: the last one that is needed releases the payment. */
export const payBonus = mutation({
  send: (graduationId: string, key) =>
    body(
      api.POST('/admin/graduation/pay-bonus', {
        params: { header: { 'Idempotency-Key': key } },
        body: { graduationId },
      }),
    ),
  changes,
  always: true,
});

export const rejectBonus = mutation({
  send: (order: { graduationId: string; reason: string }, key) =>
    body(
      api.POST('/admin/graduation/reject-bonus', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  changes,
  always: true,
});
