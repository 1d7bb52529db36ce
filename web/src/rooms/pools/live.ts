/** What the room does with facts while somebody who may decide is signed in. */
import { api, body } from '@/api/client';
import { queryClient } from '@/api/queryClient';
import { mayRead } from '@/api/session';
import { setCounter } from '@/live/counters';
import { onLive } from '@/live/live';

export const poolsLive = {
  listen: () =>
    onLive('pool_revenue.changed', ({ pending }) => {
      setCounter('poolRevenue', pending);
      void queryClient.invalidateQueries({ queryKey: ['get', '/admin/pools/revenue'] });
    }),
  load: async () => {
    if (!mayRead('admin_permissions')) return;
    const { meta } = await body(
      api.GET('/admin/pools/revenue', { params: { query: { status: 'pending', limit: 1 } } }),
    );
    setCounter('poolRevenue', meta.total);
  },
};
