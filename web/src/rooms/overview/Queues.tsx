import { SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { mayRead } from '@/api/session';
import { useCounters } from '@/live/counters';
import { useWaiting, type WaitingQueue } from '@/live/waiting';
import { useFormat } from '@/ui/format';
import { OldestWaits } from '@/ui/OldestWaits';
import { StatTile } from '@/ui/StatTile';

/** Whose tile stands there while nothing waits; the others come when something does. */
const ALWAYS: ReadonlySet<WaitingQueue> = new Set([
  'pix_deposits',
  'pix_withdrawals',
  'crypto_withdrawals',
  'crypto_deposits',
  'transfers',
  'cases',
]);

/** What waits for a person: how much, and since when the oldest. */
export function Queues() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const tickets = useCounters(({ ticketsWaiting }) => ticketsWaiting);
  const queues = useWaiting();
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }} component="section" aria-label={t(($) => $.queues.title)}>
      {queues
        .filter(({ queue, pending }) => pending > 0 || ALWAYS.has(queue))
        .map(({ queue, pending, oldest, to }) => (
          <StatTile
            key={queue}
            label={t(($) => $.queues[queue])}
            value={format.count(pending)}
            hint={
              <OldestWaits
                pending={pending}
                oldest={oldest}
                intro=""
                nobody={t(($) => $.queues.nobody)}
                since={(ago) => t(($) => $.queues.oldest, { ago })}
              />
            }
            href={to}
          />
        ))}
      {mayRead('customer-service_list-tickets') && (
        <StatTile
          label={t(($) => $.queues.tickets)}
          value={format.count(tickets)}
          href="/customer-service/tickets-list"
        />
      )}
    </SimpleGrid>
  );
}
