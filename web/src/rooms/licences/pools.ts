/** The calls of pools that customers make. */
import { api, body } from '@/api/client';
import { mutation } from '@/api/mutation';
import { MONEY } from './licences';

export const joinPool = mutation({
  send: (order: { plan: string; value: string; riskAccepted: boolean }, key) =>
    body(api.POST('/pools/join', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: ['/pools', '/pools/mine', '/me/acceptances', ...MONEY],
});
