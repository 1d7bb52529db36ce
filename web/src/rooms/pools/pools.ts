/** The calls of pools that staff make. */
import { api, body, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';
import { upload } from '@/api/upload';

const POOLS = '/admin/pools';
const REVENUE = QUEUES.poolRevenue.list;

interface Plan {
  name: string;
  termDays: number;
  minimum: string;
}

/** A new pool, or what has changed of one. */
export const savePool = mutation({
  send: ({ pool, open, ...plan }: Plan & { pool: Schemas['PoolView'] | null; open: boolean }) =>
    body(
      pool
        ? api.PATCH('/admin/pools/{id}', {
            params: { path: { id: pool._id } },
            body: { ...plan, open, version: pool.version },
          })
        : api.POST(POOLS, { body: plan }),
    ),
  changes: [POOLS],
});

interface Recording {
  pool: string;
  order: Record<string, string | File>;
  onProgress: (part: number) => void;
}

export const recordRevenue = mutation({
  send: ({ pool, order, onProgress }: Recording, idempotencyKey) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(order)) form.append(name, value);
    return upload({ path: `${POOLS}/${pool}/revenue`, form, idempotencyKey, onProgress });
  },
  changes: [REVENUE],
});

export const decideRevenue = mutation({
  send: (order: { id: string; approve: boolean; reason: string }, key) =>
    body(
      api.PATCH('/admin/pools/revenue-approve-reject', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  changes: [REVENUE, POOLS],
});
