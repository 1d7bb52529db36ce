/** What the whole signed-in app does with facts. A room with a standing reaction appends its line to `rooms`. */
import type { Query } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useConnection } from '@/api/connection';
import { $api } from '@/api/hooks';
import { isLook } from '@/api/look';
import { queryClient, refetchFailed } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { isAsOf, mayRead, reloadUser, useSession, useUser } from '@/api/session';
import { applyBalances, clearBalances, useBalances } from '@/live/balances';
import { clearCounters } from '@/live/counters';
import { licencesLive } from '@/live/licencesLive';
import { dispatch, live, numbered, onLive, wereUnsure } from '@/live/live';
import { waitingLive } from '@/live/waiting';
import { wordsLive } from '@/live/words';
import { affiliatesLive } from '@/rooms/affiliates/live';
import { approvalsLive } from '@/rooms/approvals/live';
import { complianceLive } from '@/rooms/compliance/live';
import { exchangeLive } from '@/rooms/exchange/live';
import { accountLive } from '@/rooms/identity/account/live';
import { poolEntriesLive } from '@/rooms/licences/live';
import { overviewLive } from '@/rooms/overview/live';
import { peopleLive } from '@/rooms/people/people';
import { permissionsLive } from '@/rooms/permissions/live';
import { pixLive } from '@/rooms/pix/live';
import { poolsLive } from '@/rooms/pools/live';
import { robotsLive } from '@/rooms/robots/live';
import { rulesLive } from '@/rooms/rules/live';
import { supportLive } from '@/rooms/support/live';
import { transfersLive } from '@/rooms/transfers/live';
import { walletLive } from '@/rooms/wallet/live';
import { web3Live } from '@/rooms/web3/live';
import { withdrawalsLive } from '@/rooms/withdrawals/live';
import { LATEST } from '@/shared/notices/read';
import { notificationText } from '@/shared/notices/text';
import { clearToasts, toast } from '@/ui/toast';
import { unreadInTitle } from './unread';

/** What a room does for as long as somebody is signed in: listen (returns how to stop) and load what the menu counts of it. */
export interface RoomLive {
  listen: () => () => void;
  load?: () => Promise<unknown>;
}

const rooms: readonly RoomLive[] = [
  pixLive,
  walletLive,
  withdrawalsLive,
  approvalsLive,
  supportLive,
  licencesLive,
  transfersLive,
  complianceLive,
  web3Live,
  rulesLive,
  permissionsLive,
  peopleLive,
  poolsLive,
  poolEntriesLive,
  exchangeLive,
  robotsLive,
  affiliatesLive,
  overviewLive,
  waitingLive,
  wordsLive,
  accountLive,
];

function listenToAll(): () => void {
  const stops = [
    onLive('balance.changed', ({ accounts }) => {
      applyBalances(accounts);
      // Not from the fact itself: it may be older than what is known.
      const { available } = useBalances.getState();
      const { user } = useSession.getState();
      if (available && user) useSession.setState({ user: { ...user, balance: available.balance } });
    }),
    onLive('user.changed', () => void reloadUser().catch(() => {})),
    onLive('notification', ({ code, params, quiet }) => {
      void queryClient.invalidateQueries({ queryKey: BELL.queryKey });
      if (quiet) return;
      // What is being read on screen needs no toast on top of it.
      if (typeof params.ticket === 'string' && location.pathname.endsWith(`/ticket/${params.ticket}`)) return;
      toast.info(notificationText(code, params), { group: code });
    }),
    onLive('announcement', ({ code, params }) => {
      void wantsNews().then((wanted) => wanted && toast.info(notificationText(code, params)));
      if (PAUSES.has(code)) askAnewSoon();
    }),
    ...rooms.map((room) => room.listen()),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** What stands still, or goes on, for everyone. */
const PAUSES: ReadonlySet<string> = new Set([
  'outbound_paused',
  'outbound_resumed',
  'desk_paused',
  'desk_resumed',
]);

/** Everyone hears it at once; not everyone asks at once. */
const SPREAD_MS = 4_000;
/** Their page follows by itself, and moves nothing under a pointer. */
const BELL = $api.queryOptions('get', '/notifications', LATEST);
const PREFERENCES = $api.queryOptions('get', '/notifications/preferences', {});

/** What goes to everyone is one fact for all: whether it is wanted on top of the screen is asked here, once. Who cannot be told hears it. */
async function wantsNews(): Promise<boolean> {
  if (!queryClient.getQueryData(PREFERENCES.queryKey))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * SPREAD_MS));
  if (!useSession.getState().user) return false;
  const always = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY };
  return queryClient.fetchQuery({ ...PREFERENCES, ...always }).then(
    ({ data }) => data.find(({ group }) => group === 'news')?.toast ?? true,
    () => true,
  );
}

function askAnewSoon() {
  setTimeout(() => {
    if (!useSession.getState().user) return;
    void reloadUser().catch(() => {});
    void queryClient.invalidateQueries({ queryKey: ['get', '/outbound-state'] });
    void queryClient.invalidateQueries({ queryKey: ['get', '/trader/manual'] });
  }, Math.random() * SPREAD_MS);
}

/** Until the address is confirmed: one's own stream, which tells the confirmation and the support's answers. Who comes back from
 *  the mailbox without a connection is asked about as well. */
export function useUnconfirmedLive() {
  const userId = useUser()?._id;
  useEffect(() => {
    if (userId === undefined) return;
    // Who looks at somebody's account hears nothing.
    if (isLook) return;
    const reload = () => void reloadUser().catch(() => {});
    const stops = [onLive('user.changed', reload), supportLive.listen()];
    live.start();
    const leave = live.subscribe(`user:${userId}`, {
      event: dispatch,
      reset: (streams) => Promise.allSettled([reloadUserAsOf(streams), queryClient.invalidateQueries()]),
    });
    window.addEventListener('focus', reload);
    return () => {
      window.removeEventListener('focus', reload);
      leave();
      for (const stop of stops) stop();
      live.stop();
      queryClient.clear();
      clearCounters();
    };
  }, [userId]);
}

let counted = false;
const loadCounters = () => Promise.allSettled(rooms.map((room) => room.load?.()));

const ofQueue = (stream: string) => Object.values(QUEUES).some((queue) => queue.stream === stream);

/** What staff read: the queues' lists, and all that is made of them. */
const ofStaff = ([, path]: readonly unknown[]) =>
  typeof path === 'string' &&
  (path.startsWith('/admin/') || Object.values(QUEUES).some(({ list }) => list === path));

/** The streams that tell of the person themselves; a ticket's and the queues' do not. */
const ofPerson = (stream: string) => stream === 'public' || stream.startsWith('user:');

/** What these streams tell of the person is read again, unless it was read where they begin. */
async function reloadUserAsOf(streams: ReadonlySet<string>): Promise<void> {
  const behind = (stream: string) => ofPerson(stream) && !isAsOf(stream, live.placeOf(stream));
  if ([...streams].some(behind)) await reloadUser();
}

/** After a gap that cannot be replayed what is on screen is asked for again; newer facts wait until it is there. What a person sees of
 *  their own has facts of all kinds; the queues' streams tell of the queues. */
async function catchUp(streams: ReadonlySet<string>): Promise<void> {
  counted = true;
  const onlyQueues = [...streams].every(ofQueue);
  const predicate = ({ queryKey }: Query) => !onlyQueues || ofStaff(queryKey);
  // What is under way is not asked a second time meanwhile; if it was sent too early its answer may lack what came between.
  const early = wereUnsure()
    ? queryClient.getQueryCache().findAll({ fetchStatus: 'fetching', predicate })
    : [];
  await Promise.allSettled([
    queryClient.invalidateQueries({ predicate }),
    // After those on screen, so that what both want is asked for once.
    loadCounters(),
    reloadUserAsOf(streams),
  ]);
  await queryClient.invalidateQueries({ predicate: (query) => early.includes(query) });
}

/** One's own, everybody's, and those of the queues that one sees; some queues share a stream. */
function streamsOf(userId: string): Set<string> {
  const queues = Object.values(QUEUES).flatMap(({ stream, permission }) =>
    stream !== null && mayRead(permission) ? [stream] : [],
  );
  return new Set([`user:${userId}`, 'public', ...queues]);
}

/** Ties socket, caches and counters to who is signed in. */
export function useLiveSession() {
  const userId = useUser()?._id;
  const ability = useSession((state) => state.ability);
  useTranslation('notifications');
  useEffect(() => {
    if (userId === undefined || isLook) return;
    const stop = listenToAll();
    const still = unreadInTitle();
    const unwatch = useConnection.subscribe((now, before) => {
      if (now.link === 'open' && before.link !== 'open') void refetchFailed();
    });
    live.start();
    counted = false;
    // With the first numbers, or without them where they do not come.
    void Promise.resolve()
      .then(numbered)
      .then(() => (counted ? null : loadCounters()));
    return () => {
      unwatch();
      stop();
      live.stop();
      queryClient.clear();
      clearCounters();
      clearBalances();
      clearToasts();
      still();
    };
  }, [userId]);
  const balances = useUser()?.balances;
  useEffect(() => {
    if (balances) applyBalances(balances);
  }, [balances]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another ability means other streams.
  useEffect(() => {
    if (userId === undefined) return;
    const leave = [...streamsOf(userId)].map((stream) =>
      live.subscribe(stream, { event: dispatch, reset: catchUp }),
    );
    return () => {
      for (const stop of leave) stop();
    };
  }, [userId, ability]);
}
