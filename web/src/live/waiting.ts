/** What waits for a decision: one source for the header, the menu and the overview. */
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { pageOf } from '@/api/screens';
import { mayRead } from '@/api/session';
import { onLive } from './live';

type State = Schemas['QueueState'];

export const WAITING = '/admin/waiting';
/** Some queues have no fact of their own. */
const REFRESH = 30_000;

/** Every queue with the screen on which it is decided; empty until it is known, or for who decides nothing. */
export function useWaiting(): (State & { to: string; customers: boolean })[] {
  const { data } = $api.useQuery(
    'get',
    WAITING,
    {},
    { enabled: mayRead('admin_permissions'), refetchInterval: REFRESH },
  );
  return (data?.queues ?? []).flatMap((state) => {
    const row = Object.values(QUEUES).find(({ counter }) => counter === state.queue);
    // One that these pages do not know has no screen here.
    return row ? [{ ...state, to: row.screen, customers: row.customers }] : [];
  });
}

/** How many decisions wait on a page: those of all queues that share it. */
export function useWaits(): (page: string) => number {
  const queues = useWaiting();
  return (page) =>
    queues.reduce((sum, { to, pending }) => (pageOf({ screen: to }) === page ? sum + pending : sum), 0);
}

const FACTS = [
  'queue.changed',
  'decision.word_fell',
  'compliance_case.changed',
  'pool_revenue.changed',
  'declared_holding.changed',
  'rules.changed',
  'presale.changed',
  'live_trading.changed',
  'admin_grant.changed',
  'admin_freeze.changed',
] as const;

export const waitingLive = {
  listen: () => {
    const again = () => void queryClient.invalidateQueries({ queryKey: ['get', WAITING] });
    const stops = FACTS.map((fact) => onLive(fact, again));
    return () => {
      for (const stop of stops) stop();
    };
  },
};
