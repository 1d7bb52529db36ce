/** Who copies whom: one's own followings, renewed by facts. */
import { useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { useLiveEvent } from '@/live/live';

const LOOK_MS = 10_000;

export type Following = Schemas['FollowingView'];
export type Leader = Schemas['LeaderView'];

export function useFollowings() {
  const client = useQueryClient();
  const { queryKey } = $api.queryOptions('get', '/trader/following');
  const renew = () => client.invalidateQueries({ queryKey });
  useLiveEvent('robot.following', () => void renew());
  // Results come with every settlement; a look now and then is enough for the sum.
  return { ...$api.useQuery('get', '/trader/following', {}, { refetchInterval: LOOK_MS }), renew };
}
