import { SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { mayRead } from '@/api/session';
import { type Counter, useCounters } from '@/live/counters';
import { useFormat } from '@/ui/format';
import { OldestWaits } from '@/ui/OldestWaits';
import { StatTile } from '@/ui/StatTile';

/** The lists tell since when their oldest waits; their length comes live. */
const REFRESH = 30_000;
const ONE = { params: { query: { limit: 1 } } };

interface Head {
  pending?: number;
  oldest?: string | null;
}

function useHeads(): Partial<Record<Counter, Head>> {
  const options = { enabled: mayRead('admin_permissions'), refetchInterval: REFRESH };
  return {
    pixPending: $api.useQuery('get', '/admin/list-deposits-pix-approve-reject', ONE, options).data,
    pixWithdrawals: $api.useQuery('get', '/admin/list-withdraw-pix-approve-reject', ONE, options).data,
    cryptoWithdrawals: $api.useQuery('get', '/admin/crypto-withdrawal-list', ONE, options).data,
    cryptoPending: $api.useQuery('get', '/admin/all-crypto-deposits-list', ONE, options).data,
    cases: $api.useQuery('get', '/admin/compliance/cases', ONE, options).data,
    transfersHeld: $api.useQuery('get', '/admin/transfers-reports', ONE, options).data,
  };
}

const QUEUES = [
  ['pixDeposits', 'pixPending', '/deposits-pix-approve-reject', 'admin_permissions'],
  ['pixWithdrawals', 'pixWithdrawals', '/pix-withdrawal-list', 'admin_permissions'],
  ['cryptoWithdrawals', 'cryptoWithdrawals', '/crypto-withdrawal-list', 'admin_permissions'],
  ['cryptoDeposits', 'cryptoPending', '/crypto-deposits-list2?tab=pending', 'admin_permissions'],
  ['transfers', 'transfersHeld', '/transfers-reports', 'admin_permissions'],
  ['cases', 'cases', '/compliance-cases', 'admin_permissions'],
  ['tickets', 'ticketsWaiting', '/customer-service/tickets-list', 'customer-service_list-tickets'],
] as const satisfies readonly (readonly [string, Counter, string, Parameters<typeof mayRead>[0]])[];

/** What waits for a person: how much, and since when the oldest. */
export function Queues() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const counters = useCounters();
  const heads = useHeads();
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }} component="section" aria-label={t(($) => $.queues.title)}>
      {QUEUES.filter(([, , , subject]) => mayRead(subject)).map(([name, counter, href]) => {
        const head = heads[counter];
        return (
          <StatTile
            key={name}
            label={t(($) => $.queues[name])}
            value={format.count(counters[counter])}
            hint={
              head && (
                <OldestWaits
                  pending={counters[counter]}
                  oldest={head.oldest}
                  intro=""
                  nobody={t(($) => $.queues.nobody)}
                  since={(ago) => t(($) => $.queues.oldest, { ago })}
                />
              )
            }
            href={href}
          />
        );
      })}
    </SimpleGrid>
  );
}
