/** The withdrawals' types, calls and caches. */
import { api, body, type Schemas } from '@/api/client';
import { patchRows, showRow } from '@/api/lists';
import { mutation } from '@/api/mutation';

export type PixWithdrawal = Schemas['PixWithdrawalView'];
export type KeyKind = PixWithdrawal['keyKind'];

export const KEY_KINDS: readonly KeyKind[] = ['cpf', 'cnpj', 'phone', 'email', 'evp'];
const WITHDRAWALS = '/list-withdraws-pix';

/** The word that a badge shows: what is approved is yet to be paid, or paid. */
export const wordOf = ({ status, paidAt }: Pick<PixWithdrawal, 'status' | 'paidAt'>): string =>
  status === 'approved' ? (paidAt ? 'paid' : 'to_pay') : status;

/** Puts a withdrawal's newest state into every list that shows it. An older version never wins. */
export const patchWithdrawals = (withdrawal: PixWithdrawal): boolean =>
  patchRows([WITHDRAWALS], withdrawal, { whole: true });

export const showWithdrawal = (withdrawal: PixWithdrawal) =>
  showRow([WITHDRAWALS], withdrawal, { whole: true });

/** What moves money of the balance: the list, and what may still leave. */
const MOVED = [WITHDRAWALS, '/outbound-state'] as const;

interface Order {
  value: string;
  keyKind: KeyKind;
  key: string;
}

export const withdraw = mutation({
  send: (order: Order & { securityCode: string }, key) =>
    body(api.POST('/withdraw-pix', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: MOVED,
});

export const cancelWithdrawal = mutation({
  send: (id: string, key) =>
    body(
      api.POST('/withdraw-pix/{id}/cancel', {
        params: { path: { id }, header: { 'Idempotency-Key': key } },
      }),
    ),
  patch: patchWithdrawals,
  changes: MOVED,
});

/** The rate moved: the new value is taken. */
export const takeOffer = mutation({
  send: ({ id, brl }: { id: string; brl: string }, key) =>
    body(
      api.POST('/withdraw-pix/{id}/requote', {
        params: { path: { id }, header: { 'Idempotency-Key': key } },
        body: { brl },
      }),
    ),
  patch: patchWithdrawals,
  changes: MOVED,
});
