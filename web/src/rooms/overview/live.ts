/** What is declared, and what the room does with facts while somebody who may look is signed in. */
import { api, body } from '@/api/client';
import { refetch } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';
import { onLive } from '@/live/live';

const SOLVENCY = QUEUES.holdings.list;

export const declareHolding = mutation({
  send: (order: { place: string; value: string; note: string }, key) =>
    body(
      api.POST('/admin/declared-holdings', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  changes: [SOLVENCY],
});

export const decideHolding = mutation({
  send: (order: { id: string; approve: boolean; reason?: string }, key) =>
    body(
      api.PATCH('/admin/declared-holdings/approve-reject', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  changes: [SOLVENCY],
});

export const overviewLive = {
  listen: () => onLive('declared_holding.changed', () => void refetch(SOLVENCY)),
};
