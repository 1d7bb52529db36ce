/** What the room does with facts while somebody who may decide is signed in. */
import { refetch } from '@/api/lists';
import { QUEUES } from '@/api/queues';
import { onLive } from '@/live/live';

export const poolsLive = {
  listen: () => onLive('pool_revenue.changed', () => void refetch(QUEUES.poolRevenue.list)),
};
