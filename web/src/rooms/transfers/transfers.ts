/** The room's types, calls and caches. */
import { api, body, type Schemas } from '@/api/client';
import { refetch as again } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';

export type Transfer = Schemas['MemberTransferView'];
export type TransferStatus = Transfer['status'];
export const STATUSES: readonly TransferStatus[] = ['complete', 'pending', 'rejected', 'canceled'];

/** One's list, the report and what may still leave. */
const MOVED = ['/transfers-list', QUEUES.transfers.list, '/outbound-state'] as const;
export const refetch = () => again(...MOVED);

export const sendTransfer = mutation({
  send: (order: { receiver: string; value: string; securityCode: string }, key) =>
    body(api.POST('/transfer', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: MOVED,
});
