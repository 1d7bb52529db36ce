/** The held transfers as those who decide see them: types and caches. */
import { api, body, type Schemas } from '@/api/client';
import { patchRows, refetch } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';
import type { Transfer } from './transfers';

export type ReportRow = Schemas['TransferReportRow'];
export type Report = Schemas['TransferReport'];

export const REPORT = QUEUES.transfers.list;

/** Writes a transfer's newest state over the rows that show it: a decided row stays where it is, greyed, until the next load. */
export const patchReport = (transfer: Transfer, waiting?: number): boolean =>
  patchRows([REPORT], transfer, { page: (page) => ({ ...page, waiting: waiting ?? page.waiting }) });

export const refetchReport = () => refetch(REPORT);

export const decideTransfer = mutation({
  send: (order: { id: string; approve: boolean; reason?: string }, key) =>
    body(
      api.PATCH('/admin/transfers-approve-reject', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  patch: (decided) => patchReport(decided),
  changes: [REPORT],
});
