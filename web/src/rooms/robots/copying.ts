/** Who copies whom: one's own followings, as facts tell them. */
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { useLiveEvent } from '@/live/live';

const LOOK_MS = 10_000;

export type Following = Schemas['FollowingView'];
export type Leader = Schemas['LeaderView'];
type Leading = Schemas['LeadingView'];

const FOLLOWING = '/trader/following';

/** The newest first; what is told is shown, and nothing is asked for again. */
function show(fresh: Following) {
  queryClient.setQueriesData<Following[]>({ queryKey: ['get', FOLLOWING] }, (known) => {
    if (!known) return known;
    return known.some(({ _id }) => _id === fresh._id)
      ? known.map((one) => (one._id === fresh._id && one.version < fresh.version ? fresh : one))
      : [fresh, ...known];
  });
}

export function useFollowings() {
  useLiveEvent('robot.following', ({ following }) => show(following));
  // Results come with every settlement; a look now and then is enough for the sum.
  return $api.useQuery('get', FOLLOWING, {}, { refetchInterval: LOOK_MS });
}

export const follow = mutation({
  send: (order: { licence: string; leader: string; maximumLoss: string }) =>
    body(api.POST('/trader/follow', { body: order })),
  patch: show,
  changes: [],
});

export const unfollow = mutation({
  send: (order: { licence: string }) => body(api.POST('/trader/unfollow', { body: order })),
  patch: show,
  changes: [],
});

/** Lets others copy a robot, or no longer. */
export const lead = mutation({
  send: (order: { licence: string; open: boolean }) => body(api.POST('/trader/leading', { body: order })),
  patch: (leading: Leading, { licence }) => {
    const { queryKey } = $api.queryOptions('get', '/trader/leading', { params: { query: { licence } } });
    queryClient.setQueryData(queryKey, leading);
  },
  changes: ['/trader/leaders'],
});
