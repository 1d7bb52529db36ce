/** What the room does with facts while somebody who may look is signed in. */
import { queryClient } from '@/api/queryClient';
import { onLive } from '@/live/live';

export const refetchSolvency = () => queryClient.invalidateQueries({ queryKey: ['get', '/admin/solvency'] });

export const overviewLive = {
  listen: () => onLive('declared_holding.changed', () => void refetchSolvency()),
};
