/** What the room does with facts while somebody who may decide is signed in. */
import { api, body } from '@/api/client';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { setCounter } from '@/live/counters';
import { onLive } from '@/live/live';
import { countQueue } from '@/live/queue';

export const poolsLive = {
  listen: () =>
    onLive('pool_revenue.changed', ({ pending }) => {
      setCounter(QUEUES.poolRevenue.id, pending);
      void queryClient.invalidateQueries({ queryKey: ['get', QUEUES.poolRevenue.list] });
    }),
  load: () =>
    countQueue(QUEUES.poolRevenue, async () => {
      const query = { status: 'pending', limit: 1 };
      return (await body(api.GET(QUEUES.poolRevenue.list, { params: { query } }))).meta.total;
    }),
};
