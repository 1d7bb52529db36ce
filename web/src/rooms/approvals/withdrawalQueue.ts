/** The withdrawals' queue: types and caches. */
import type { Schemas } from '@/api/client';
import { queryClient } from '@/api/queryClient';

export type WithdrawalRow = Schemas['PixWithdrawalRow'];
export type WithdrawalPage = Schemas['PixWithdrawalPage'];
export type Withdrawal = Schemas['PixWithdrawalView'];

export const WITHDRAWAL_QUEUE = ['get', '/admin/list-withdraw-pix-approve-reject'] as const;

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

/** Writes a withdrawal's newest state over the rows that show it; true when one did. */
export function patchWithdrawalQueue(withdrawal: Withdrawal, pending?: number): boolean {
  let shown = false;
  queryClient.setQueriesData<WithdrawalPage>({ queryKey: WITHDRAWAL_QUEUE }, (page) => {
    if (!page) return page;
    const has = page.data.some(({ _id }) => _id === withdrawal._id);
    shown ||= has;
    return {
      ...page,
      pending: pending ?? page.pending,
      data: has
        ? page.data.map((row) =>
            row._id === withdrawal._id && row.version < withdrawal.version ? { ...row, ...withdrawal } : row,
          )
        : page.data,
    };
  });
  return shown;
}

export const refetchWithdrawalQueue = () => queryClient.invalidateQueries({ queryKey: WITHDRAWAL_QUEUE });
