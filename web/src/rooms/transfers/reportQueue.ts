/** The held transfers as those who decide see them: types and caches. */
import { api, body, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';
import { queueRows } from '@/live/queue';

export type ReportRow = Schemas['TransferReportRow'];
export type Report = Schemas['TransferReport'];

export const REPORT = QUEUES.transfers.list;

/** The transfers as the queue's facts tell them. */
export const transferRows = queueRows({
  queue: QUEUES.transfers,
  pick: (item) => (item.type === 'transfer' ? item.transfer : null),
  waits: ({ status }) => status === 'pending',
  length: 'waiting',
});

export const decideTransfer = mutation({
  send: (order: { id: string; approve: boolean; reason?: string }, key) =>
    body(
      api.PATCH('/admin/transfers-approve-reject', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  patch: (decided) => transferRows.patch(decided),
  changes: [REPORT],
});
