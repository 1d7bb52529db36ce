import { Card, Group, Skeleton, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { useLiveEvent } from '@/live/live';
import { useOrigin } from '@/shared/origin/origin';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { Money } from '@/ui/Money';
import { When } from '@/ui/When';

type Row = Schemas['StatementRow'];
type Kind = keyof typeof import('@/i18n/pt/statement.json')['kinds'];

const LINES = 6;

/** The last movements; the robots' own bookings stand in the robots. */
export function Activity() {
  const { t } = useTranslation('dashboard');
  const { t: statement } = useTranslation('statement');
  const kinds = Object.keys(statement(($) => $.kinds, { returnObjects: true })).filter(
    (kind) => kind !== 'settlement',
  );
  const list = $api.useQuery('get', '/statement', {
    params: { query: { limit: LINES, kind: kinds.join(',') } },
  });
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
        <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
          {rows.map((row) => (
            <li key={row._id}>
              <Line
                row={row}
                text={statement(($) => $.kinds[row.kind as Kind])}
                account={statement(($) => $.accounts[row.account as 'available'])}
              />
            </li>
          ))}
        </Stack>
      )}
    </Card>
  );
}

function Line({ row, text, account }: { row: Row; text: string; account: string }) {
  return (
    <UnstyledButton w="100%" py={10} onClick={() => useOrigin.getState().open({ transfer: row.transfer })}>
      <Group justify="space-between" wrap="nowrap" gap="md">
        <div style={{ minWidth: 0 }}>
          <Text fz="sm" fw={550} truncate>
            {text}
          </Text>
          <Text fz={12.5} c="dimmed" component="div">
            <span>{account}</span>
            <span>{row.licence === null ? '' : ` #${row.licence}`}</span> · <When at={row.at} relative />
          </Text>
        </div>
        <Text fz="sm" fw={600} component="span" style={{ whiteSpace: 'nowrap' }}>
          <Money value={row.credit ?? `-${row.debit ?? '0'}`} sign />
        </Text>
      </Group>
    </UnstyledButton>
  );
}
