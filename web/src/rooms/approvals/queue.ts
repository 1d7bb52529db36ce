/** The room's types and caches. */
import { api, body, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';
import { queueRows } from '@/live/queue';
import { compare } from '@/ui/money';

export type QueueRow = Schemas['PixQueueRow'];
export type QueuePage = Schemas['PixQueuePage'];
export type Deposit = Schemas['PixDepositView'];

export const QUEUE = QUEUES.pixDeposits.list;
export const REPORT = '/admin/pix-deposits-report';

/** The bank's id: E, eight characters of the bank, the minute of the payment, eleven free ones. */
export const isEndToEndId = (text: string): boolean =>
  /^E[0-9A-Z]{8}\d{12}[0-9A-Za-z]{11}$/.test(text.trim());

/** What an earlier approver or the bank's statement says of the payment: with it a deposit can be approved among others. */
export function knownPayment({
  claim,
  statement,
}: Pick<QueueRow, 'claim' | 'statement'>): { endToEndId: string; payerName: string; brl: string } | null {
  const { endToEndId, payerName, brl } = claim ?? statement ?? {};
  return endToEndId && isEndToEndId(endToEndId) && payerName && brl ? { endToEndId, payerName, brl } : null;
}

/** When the payer's bank took the order, written inside its id in UTC. */
export function paidAt(endToEndId: string): number {
  const [, year, month, day, hour, minute] =
    /^E.{8}(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)/.exec(endToEndId.trim())?.map(Number) ?? [];
  return year === undefined || month === undefined
    ? Number.NaN
    : Date.UTC(year, month - 1, day, hour, minute);
}

type Alone = Pick<QueueRow, 'brl' | 'case' | 'claim' | 'rateLockedUntil' | 'statement'>;

/** Why a deposit is decided by itself. Among others it is shown as it was asked for: that has to be what its approval credits. */
export function alone(row: Alone): 'case' | 'noPayment' | 'differs' | 'late' | null {
  if (row.case?.status === 'open' || row.case?.status === 'refused') return 'case';
  const payment = knownPayment(row);
  if (!payment) return 'noPayment';
  if (compare(payment.brl, row.brl) !== 0) return 'differs';
  // What an approver has read off keeps its rate; else the rate of the decision may credit less.
  return !row.claim && paidAt(payment.endToEndId) > Date.parse(row.rateLockedUntil) ? 'late' : null;
}

/** The deposits as the queue's facts tell them. */
export const depositRows = queueRows({
  queue: QUEUES.pixDeposits,
  pick: (item) => (item.type === 'pix_deposit' ? item.deposit : null),
  waits: ({ status }) => status === 'pending_approval',
  sums: [REPORT],
});

type Decision = { id: string } & (
  | { status: 'approved'; endToEndId: string; payerName: string; brl: string }
  | { status: 'rejected'; reason: string }
);

export const decideDeposit = mutation({
  send: (order: Decision, key) =>
    body(
      api.PATCH('/admin/deposits-pix-approve-reject', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  patch: (decided) => depositRows.patch(decided),
  changes: [QUEUE, REPORT],
});

export const reverseDeposit = mutation({
  send: ({ id, reason }: { id: string; reason: string }, key) =>
    body(
      api.POST('/admin/deposits-pix/{id}/reverse', {
        params: { path: { id }, header: { 'Idempotency-Key': key } },
        body: { reason },
      }),
    ),
  patch: (reversed) => depositRows.patch(reversed),
  changes: [QUEUE, REPORT],
});
