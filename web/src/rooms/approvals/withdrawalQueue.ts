/** The withdrawals' queue: types and caches. */
import { api, body, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';
import { upload } from '@/api/upload';
import { queueRows } from '@/live/queue';

export type WithdrawalRow = Schemas['PixWithdrawalRow'];
export type WithdrawalPage = Schemas['PixWithdrawalPage'];
export type Withdrawal = Schemas['PixWithdrawalView'];

export const WITHDRAWAL_QUEUE = QUEUES.pixWithdrawals.list;
export const WITHDRAWAL_REPORT = '/admin/pix-withdrawals-report';

/** What staff still have to do about it. */
export const toDo = ({ status, paidAt }: Pick<Withdrawal, 'status' | 'paidAt'>): 'decide' | 'pay' | null =>
  status === 'pending' ? 'decide' : status === 'approved' && !paidAt ? 'pay' : null;

/** The word that a badge shows. */
export const wordOf = ({ status, paidAt }: Pick<Withdrawal, 'status' | 'paidAt'>): string =>
  status === 'pending'
    ? 'pending_approval'
    : status === 'approved'
      ? paidAt
        ? 'paid'
        : 'to_pay'
      : status === 'awaiting_confirmation'
        ? 'waiting'
        : status;

/** Why a withdrawal is decided by itself: what leaves does not come back, so that a case is looked at; whose key it is the bank says. */
export const alone = (row: Pick<WithdrawalRow, 'case' | 'holder'>): 'case' | 'holderFirst' | null =>
  row.case?.status === 'open' ? 'case' : row.holder === 'matches' ? null : 'holderFirst';

/** The withdrawals as the queue's facts tell them. */
export const withdrawalRows = queueRows({
  queue: QUEUES.pixWithdrawals,
  pick: (item) => (item.type === 'pix_withdrawal' ? item.withdrawal : null),
  waits: (withdrawal) => toDo(withdrawal) !== null,
  sums: [WITHDRAWAL_REPORT],
});

type Decision = { id: string } & (
  | { status: 'approved'; holderChecked: boolean; brl: string }
  | { status: 'rejected'; reason: string }
);

export const decideWithdrawal = mutation({
  send: (order: Decision, key) =>
    body(
      api.PATCH('/admin/withdraw-pix-approve-reject', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  patch: (decided) => withdrawalRows.patch(decided),
  changes: [WITHDRAWAL_QUEUE, WITHDRAWAL_REPORT],
});

/** Takes a wrong document off a customer's account. */
export const removeDocument = mutation({
  send: ({ user, reason }: { user: string; reason: string }) =>
    api.DELETE('/admin/pix/holder/{userId}', { params: { path: { userId: user } }, body: { reason } }),
  changes: [WITHDRAWAL_QUEUE],
});

/** The bank has paid: its id, or its receipt. */
export const payWithdrawal = mutation({
  send: ({ id, proof }: { id: string; proof: string | File }, key): Promise<Withdrawal> => {
    if (typeof proof === 'string')
      return body(
        api.POST('/admin/withdraw-pix/{id}/paid', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body: { endToEndId: proof },
        }),
      );
    const form = new FormData();
    form.append('file', proof);
    return upload<Withdrawal>({ path: `/admin/withdraw-pix/${id}/receipt`, form, idempotencyKey: key });
  },
  patch: (paid) => withdrawalRows.patch(paid),
  changes: [WITHDRAWAL_QUEUE, WITHDRAWAL_REPORT],
});
