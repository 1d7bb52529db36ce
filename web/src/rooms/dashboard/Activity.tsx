import { Card, Group, Skeleton, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { $api } from '@/api/hooks';
import { useLiveEvent } from '@/live/live';
import { type ActivityEvent, EventAmount, EventName, EventState } from '@/shared/activity/event';
import { useOrigin } from '@/shared/origin/origin';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { plainList } from '@/ui/plainList';
import { When } from '@/ui/When';

const LINES = 6;
/** All but what robots bring, which stands in the robots. */
const GROUPS = 'deposits,withdrawals,transfers,licences,bonus,exchange,pools,sponsorship,others';

/** What happened to one's money last, a line an event. */
export function Activity() {
  const { t } = useTranslation('dashboard');
  const list = $api.useQuery('get', '/activity', { params: { query: { limit: LINES, group: GROUPS } } });
  useLiveEvent('balance.changed', () => void list.refetch());
  const rows = list.data?.data;
  return (
    <Card component="section" aria-labelledby="activity">
      <Group justify="space-between" mb="sm">
        <Title order={2} fz={15} id="activity">
          {t(($) => $.activity.title)}
        </Title>
        <Text component={Link} to="/customer/extrato" fz="sm" c="var(--mantine-color-anchor)">
          {t(($) => $.activity.all)}
        </Text>
      </Group>
      {list.error && !list.data ? (
        <ErrorCard what={t(($) => $.activity.what)} error={list.error} onRetry={list.refetch} />
      ) : !rows ? (
        <Skeleton h={160} radius="md" />
      ) : rows.length === 0 ? (
        <EmptyState title={t(($) => $.activity.empty)} />
      ) : (
        <Stack component="ul" gap={0} {...plainList}>
          {rows.map((row) => (
            <li key={row._id}>
              <Line event={row} />
            </li>
          ))}
        </Stack>
      )}
    </Card>
  );
}

function Line({ event }: { event: ActivityEvent }) {
  return (
    <UnstyledButton w="100%" py={10} onClick={() => useOrigin.getState().open({ event })}>
      <Group justify="space-between" wrap="nowrap" gap="md">
        <div style={{ minWidth: 0 }}>
          <Text fz="sm" fw={550} truncate>
            <EventName event={event} />
          </Text>
          <Text fz={12.5} c="dimmed" component="div">
            <When at={event.at} relative />
            <EventState state={event.state} />
          </Text>
        </div>
        <Text fz="sm" fw={600} component="span" style={{ whiteSpace: 'nowrap' }}>
          <EventAmount event={event} />
        </Text>
      </Group>
    </UnstyledButton>
  );
}
