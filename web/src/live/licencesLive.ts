/** What keeps the licences true while somebody is signed in. */
import { api, body } from '@/api/client';
import { dayEnds, serverNow } from '@/api/clock';
import { refetch } from '@/api/lists';
import { queryClient } from '@/api/queryClient';
import { mayRead } from '@/api/session';
import { beginDay, clearLicences, LIST, put, RESULTS, settled, useLicences } from './licences';
import { onLive } from './live';

/** All of one's own licences, into the store. */
export async function loadLicences() {
  const { data } = await body(api.GET('/get-user-licenses', { params: { query: { limit: 500 } } }));
  put(data);
  return data;
}

/** Who asks for all of them while somebody else does shares the answer. */
export const OWN_LICENCES = { queryKey: [...LIST, 'all'], queryFn: loadLicences };

/** The server's clock and ours agree to about this much; what is asked for again is not asked for more often. */
const MARGIN = 1_000;
/** Everybody's day ends at once; not everybody asks at once. */
const SPREAD = 5_000;

/** Two things change without a word from the server: at a full minute robots join, and at midnight today is another day. */
function followClock(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let planned = 0;
  /** The end of the day that is shown. What the server says of its time may come after the first look, in either direction. */
  let ends = dayEnds(serverNow());
  let over = false;
  const plan = (again = false) => {
    const joining = Object.values(useLicences.getState().byId).flatMap(({ joinsAt }) =>
      joinsAt ? [Date.parse(joinsAt)] : [],
    );
    ends = Math.min(ends, dayEnds(serverNow()));
    const at = Math.min(ends, ...joining);
    if (over || (at === planned && !again)) return;
    planned = at;
    clearTimeout(timer);
    timer = setTimeout(due, Math.max(at - serverNow(), 0) + MARGIN);
  };
  const due = () => {
    const another = serverNow() >= ends;
    if (another) {
      ends = dayEnds(serverNow());
      beginDay();
    }
    timer = setTimeout(
      () => {
        if (another) void queryClient.invalidateQueries();
        loadLicences()
          .catch(() => {})
          .finally(() => plan(true));
      },
      another ? Math.random() * SPREAD : 0,
    );
  };
  plan();
  const unwatch = useLicences.subscribe(() => plan());
  return () => {
    over = true;
    unwatch();
    clearTimeout(timer);
  };
}

const COUNTED = [
  '/trader/orders-history/{robotId}',
  '/dashboard/my-results',
  '/dashboard/analytics/{param}',
  '/activity',
  '/statement',
] as const;

export const licencesLive = {
  listen: () => {
    const stops = [
      onLive('licence.changed', ({ licence }) => put([licence])),
      onLive('robots.settled', ({ robots, mode }, meta) =>
        settled({ robots, mode, at: new Date(meta.at).getTime() }),
      ),
      // Balances come with facts, what lies in pools with the results alone: together they are what one owns.
      onLive('pool.changed', () => void queryClient.invalidateQueries({ queryKey: RESULTS })),
      // What was taken back is marked where it was listed, and no longer counted where it was summed up.
      onLive('result.reversed', () => void refetch(...COUNTED)),
      ...(mayRead('registered-user') ? [followClock()] : []),
    ];
    return () => {
      for (const stop of stops) stop();
      clearLicences();
    };
  },
  load: async () => {
    if (mayRead('registered-user')) await queryClient.fetchQuery({ ...OWN_LICENCES, staleTime: 0 });
  },
};
