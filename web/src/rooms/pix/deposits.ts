/** The room's types, calls and caches. */
import { api, body, type Schemas } from '@/api/client';
import { patchRows, showRow } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { upload } from '@/api/upload';

export type PixDeposit = Schemas['PixDepositView'];
export type PixStatus = PixDeposit['status'];

const LIST = '/list-deposits-pix';

/** The word that a badge shows: a deposit without proof waits for one. */
export const statusWord = (status: PixStatus): string => (status === 'pending' ? 'awaiting_proof' : status);

/** Puts a deposit's newest state into every list that shows it; true when one did. An older version never wins. */
export const patchLists = (deposit: PixDeposit): boolean => patchRows([LIST], deposit, { whole: true });

export const showDeposit = (deposit: PixDeposit) => showRow([LIST], deposit, { whole: true });

export const openDeposit = mutation({
  send: (order: { usdt: string } | { brl: string }, key) =>
    body(api.POST('/deposit-pix', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: [LIST],
  wait: true,
});

export const cancelDeposit = mutation({
  send: (id: string) => body(api.POST('/deposit-pix/{id}/cancel', { params: { path: { id } } })),
  patch: patchLists,
  changes: [LIST],
});

export const sendProof = mutation({
  send: ({ id, file, onProgress }: { id: string; file: File; onProgress: (ratio: number) => void }) => {
    const form = new FormData();
    form.append('file', file);
    return upload<PixDeposit>({ path: `/deposit-pix/${id}/proof`, form, onProgress });
  },
  patch: patchLists,
  changes: [LIST],
});
