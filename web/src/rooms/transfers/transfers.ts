/** The room's types, calls and caches. */
import { api, body, type Schemas } from '@/api/client';
import { patchRows, refetch, showRow } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';

export type Transfer = Schemas['MemberTransferView'];
export type TransferStatus = Transfer['status'];
export const STATUSES: readonly TransferStatus[] = ['complete', 'pending', 'rejected', 'canceled'];

const LIST = '/transfers-list';
const REPORT = QUEUES.transfers.list;
/** One's list, the report and what may still leave. */
const MOVED = [LIST, REPORT, '/outbound-state'] as const;

/** One's own transfer, as last told. The report's sums and what may still leave it does not say. */
export function showTransfer(transfer: Transfer) {
  showRow([LIST], transfer, { whole: true });
  patchRows([REPORT], transfer);
  void refetch(REPORT, '/outbound-state');
}

export const sendTransfer = mutation({
  send: (order: { receiver: string; value: string; securityCode: string }, key) =>
    body(api.POST('/transfer', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: MOVED,
});
