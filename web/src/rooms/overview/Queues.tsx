import { SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { QUEUES } from '@/api/queues';
import { mayRead } from '@/api/session';
import { useCounters } from '@/live/counters';
import { useWaiting } from '@/live/waiting';
import { OldestWaits } from '@/shared/decisions/OldestWaits';
import { useFormat } from '@/ui/format';
import { StatTile } from '@/ui/StatTile';

/** What waits for a person: how much, and since when the oldest. */
export function Queues() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const tickets = useCounters((counters) => counters[QUEUES.tickets.id] ?? 0);
  const mine = useWaiting();
  // Who decides nothing sees how much waits, and no screen on which it is decided.
  const decides = mayRead('admin_permissions');
  const general = $api.useQuery('get', '/admin/general-view', undefined, { enabled: !decides }).data;
  const queues = decides
    ? mine
    : (general?.queues ?? []).map((state) => ({ ...state, to: undefined, customers: false }));
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }} component="section" aria-label={t(($) => $.queues.title)}>
      {queues
        // Where customers wait, it is worth saying that nobody does.
        .filter(({ pending, customers }) => pending > 0 || customers)
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
            {...(to && { href: to })}
          />
        ))}
      {mayRead(QUEUES.tickets.permission) && (
        <StatTile
          label={t(($) => $.queues.tickets)}
          value={format.count(tickets)}
          href={QUEUES.tickets.screen}
        />
      )}
    </SimpleGrid>
  );
}
