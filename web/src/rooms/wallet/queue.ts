/** What staff decide of what came over the network. */
import { api, body, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { patchLists, QUEUE, REPORT } from '@/live/chain/deposits';

export type QueueRow = Schemas['CryptoDepositRow'];

type Decision = { id: string } & (
  | { status: 'approved'; value?: string }
  | { status: 'rejected'; reason: string; refund?: string }
);

export const decideDeposit = mutation({
  send: (order: Decision, key) =>
    body(
      api.PATCH('/admin/crypto-deposits-approve-reject', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  patch: (decided) => patchLists(decided),
  changes: [QUEUE, REPORT],
});
