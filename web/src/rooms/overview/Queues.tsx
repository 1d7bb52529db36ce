import { Card, Group, SimpleGrid, Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { QUEUES } from '@/api/queues';
import { mayRead } from '@/api/session';
import { useCounters } from '@/live/counters';
import { useWaiting } from '@/live/waiting';
import { OLD_MS, OldestWaits } from '@/shared/decisions/OldestWaits';
import { useFormat } from '@/ui/format';
import { HistoryChart } from '@/ui/HistoryChart';
import { LiveBadge } from '@/ui/LiveBadge';
import { StatTile } from '@/ui/StatTile';
import { useNow } from '@/ui/useNow';

const HOUR_MS = 3_600_000;

interface Line {
  key: string;
  label: string;
  pending: number;
  oldest: string | null | undefined;
  /** None for who decides nothing there. */
  to: string | undefined;
}

/** What waits for a person: how much, and since when the oldest. */
export function Queues() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const tickets = useCounters((counters) => counters[QUEUES.tickets.id] ?? 0);
  const mine = useWaiting();
  // Who decides nothing sees how much waits, and no screen on which it is decided.
  const decides = mayRead('admin_permissions');
  const general = $api.useQuery('get', '/admin/general-view').data;
  const queues = decides
    ? mine
    : (general?.queues ?? []).map((state) => ({ ...state, to: undefined, customers: false }));
  const lines: Line[] = queues
    // Where customers wait, it is worth saying that nobody does.
    .filter(({ pending, customers }) => pending > 0 || customers)
    .map(({ queue, pending, oldest, to }) => ({
      key: queue,
      label: t(($) => $.queues[queue]),
      pending,
      oldest,
      to,
    }));
  if (mayRead(QUEUES.tickets.permission))
    lines.push({
      key: QUEUES.tickets.id,
      label: t(($) => $.queues.tickets),
      // Their number is told live; since when the oldest waits is read with the figures of the house.
      pending: tickets,
      oldest: general?.tickets?.oldest,
      to: QUEUES.tickets.screen,
    });
  return (
    <Stack gap="md" component="section" aria-labelledby="queues">
      <Group gap="sm">
        <Title order={2} fz={17} id="queues">
          {t(($) => $.queues.title)}
        </Title>
        {/* Facts move what one decides on; what is only looked at is read with the page. */}
        {decides && <LiveBadge />}
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }}>
        {lines.map(({ key, label, pending, oldest, to }) => (
          <StatTile
            key={key}
            label={label}
            value={format.count(pending)}
            {...((pending === 0 || oldest) && {
              hint: (
                <OldestWaits
                  pending={pending}
                  oldest={oldest}
                  intro=""
                  nobody={t(($) => $.queues.nobody)}
                  since={(ago) => t(($) => $.queues.oldest, { ago })}
                />
              ),
            })}
            {...(to && { href: to })}
          />
        ))}
      </SimpleGrid>
      <Ages lines={lines} />
    </Stack>
  );
}

/** Queue by queue, for how many hours the oldest has waited; a bar leads to where it is decided. */
function Ages({ lines }: { lines: readonly Line[] }) {
  const { t } = useTranslation('overview');
  const now = useNow(60_000);
  const title = t(($) => $.queues.ages);
  const waiting = lines
    .flatMap(({ label, pending, oldest, to }) =>
      pending > 0 && oldest ? [{ label, to, age: Math.max(0, now - Date.parse(oldest)) }] : [],
    )
    // Of what is younger a bar has no length; its tile says the minutes.
    .filter(({ age }) => age >= HOUR_MS)
    .sort((a, b) => b.age - a.age);
  if (waiting.length === 0) return null;
  return (
    <Card>
      <HistoryChart
        title={
          <Title order={3} fz={15}>
            {title}
          </Title>
        }
        label={title}
        axis={t(($) => $.queues.queue)}
        names
        unit="plain"
        height={60 + waiting.length * 34}
        rows={waiting.map(({ label, age }) => {
          const hours = String(Math.floor(age / HOUR_MS));
          const old = age >= OLD_MS;
          return { at: label, values: { waits: old ? null : hours, tooLong: old ? hours : null } };
        })}
        {...(waiting.some(({ to }) => to) && {
          lead: (at: string) => waiting.find(({ label }) => label === at)?.to,
        })}
        series={[
          {
            key: 'waits',
            label: t(($) => $.queues.waits),
            color: 'var(--gold-dot)',
            shape: 'bar',
            stack: 'age',
          },
          {
            key: 'tooLong',
            label: t(($) => $.queues.tooLong, { hours: OLD_MS / HOUR_MS }),
            color: 'var(--down)',
            shape: 'bar',
            stack: 'age',
          },
        ]}
      />
    </Card>
  );
}
