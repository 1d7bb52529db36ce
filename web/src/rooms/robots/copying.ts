/** Who copies whom: one's own followings, as facts tell them. */
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { outrun } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';

export type Following = Schemas['FollowingView'];
export type Leader = Schemas['LeaderView'];
type Leading = Schemas['LeadingView'];

export const FOLLOWING = '/trader/following';

/** The newest first; what is told is shown. */
export function showFollowing(fresh: Following) {
  queryClient.setQueriesData<Following[]>({ queryKey: ['get', FOLLOWING] }, (known) => {
    if (!known) return known;
    return known.some(({ _id }) => _id === fresh._id)
      ? known.map((one) => (one._id === fresh._id && one.version < fresh.version ? fresh : one))
      : [fresh, ...known];
  });
  void outrun(FOLLOWING);
}

/** Whether one of these robots copies another, as far as is known. */
export const anyFollows = (robots: ReadonlySet<string>): boolean =>
  queryClient
    .getQueriesData<Following[]>({ queryKey: ['get', FOLLOWING] })
    .some(([, known]) => known?.some(({ licence, state }) => state === 'active' && robots.has(licence)));

export const useFollowings = () => $api.useQuery('get', FOLLOWING);

export const follow = mutation({
  send: (order: { licence: string; leader: string; maximumLoss: string }) =>
    body(api.POST('/trader/follow', { body: order })),
  patch: showFollowing,
  changes: [],
});

export const unfollow = mutation({
  send: (order: { licence: string }) => body(api.POST('/trader/unfollow', { body: order })),
  patch: showFollowing,
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
