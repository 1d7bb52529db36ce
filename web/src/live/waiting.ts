/** What waits for a decision: one source for the header, the menu and the overview. */
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { queryClient } from '@/api/queryClient';
import { mayRead } from '@/api/session';
import { onLive } from './live';

type State = Schemas['QueueState'];
export type WaitingQueue = State['queue'];

/** Where each queue is decided, most urgent first. */
const PLACES: Readonly<Record<WaitingQueue, string>> = {
  pix_deposits: '/deposits-pix-approve-reject',
  pix_withdrawals: '/pix-withdrawal-list',
  crypto_withdrawals: '/crypto-withdrawal-list',
  crypto_deposits: '/crypto-deposits-list2?tab=pending',
  transfers: '/transfers-reports?tab=held',
  cases: '/compliance-cases',
  sponsorship: '/add-remove-balance',
  pool_revenue: '/administrator/pools',
  holdings: '/administrator/dashboard',
  settings: '/administrator/robot-config',
  rounds: '/administrator/presale',
  pauses: '/compliance-cases?tab=pauses',
  live: '/administrator/robot-config',
  grants: '/administrator/set-permissions?tab=requests',
};

const PATH = '/admin/waiting';
/** Some queues have no fact of their own. */
const REFRESH = 30_000;

/** Every queue with its place; empty until it is known, or for who decides nothing. */
export function useWaiting(): (State & { to: string })[] {
  const { data } = $api.useQuery(
    'get',
    PATH,
    {},
    { enabled: mayRead('admin_permissions'), refetchInterval: REFRESH },
  );
  return data?.queues?.map((state) => ({ ...state, to: PLACES[state.queue] })) ?? [];
}

const FACTS = [
  'queue.changed',
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
    const again = () => void queryClient.invalidateQueries({ queryKey: ['get', PATH] });
    const stops = FACTS.map((fact) => onLive(fact, again));
    return () => {
      for (const stop of stops) stop();
    };
  },
};
