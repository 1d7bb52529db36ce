import { Badge, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { askOrigin } from '@/shared/origin/origin';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { isPositive } from '@/ui/money';
import { useList } from '@/ui/useList';
import { JoinPool } from './JoinPool';

export type Pool = Schemas['PoolView'];
type Entry = Schemas['PoolEntryView'];

/** Pools: what is offered and locked, the revenue that was booked, one's own part of it. */
export function PoolsTab() {
  const { t } = useTranslation('licences');
  const pools = $api.useQuery('get', '/pools');
  const mine = useList('/pools/mine', { sorts: 'never', prefix: 'p_' });
  const [joining, setJoining] = useState<Pool | null>(null);
  const { date } = useFormat();
  const columns: Column<Entry>[] = [
    { key: 'pool', label: t(($) => $.pools.pool), fixed: true, render: (row) => row.poolName },
    {
      key: 'value',
      label: t(($) => $.value),
      align: 'right',
      fixed: true,
      render: (row) => (
        <>
          <Money value={row.value} digits={4} unit={false} />
          {isPositive(row.taken) && (
            <Text fz="xs" c="dimmed" component="div">
              <span>{t(($) => $.pools.taken)}</span> <Money value={row.taken} digits={4} unit={false} />
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'received',
      label: t(($) => $.pools.received),
      align: 'right',
      render: (row) => (
        <FlashValue value={row.received}>
          <Money
            value={row.received}
            digits={4}
            unit={false}
            onOrigin={askOrigin({ kind: 'pool_revenue' })}
          />
        </FlashValue>
      ),
    },
    {
      key: 'days',
      label: t(($) => $.pools.days),
      render: (row) => `${date(row.firstDay)} – ${date(row.lastDay)}`,
    },
    {
      key: 'ends',
      label: t(($) => $.pools.ends),
      render: (row) => date(row.endsAt),
    },
    {
      key: 'state',
      label: t(($) => $.pools.state),
      render: (row) => (
        <Badge size="sm" variant="light" color={row.state === 'active' ? 'blue' : 'gray'}>
          {row.state === 'active' ? t(($) => $.pools.locked) : t(($) => $.pools.ended)}
        </Badge>
      ),
    },
  ];
  return (
    <Stack gap="lg">
      <Text fz="sm" c="dimmed" maw={720}>
        {t(($) => $.pools.how)}
      </Text>
      {pools.error && !pools.data ? (
        <ErrorCard what={t(($) => $.pools.what)} error={pools.error} onRetry={pools.refetch} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {pools.data?.map((pool) => (
            <PoolCard key={pool._id} pool={pool} onJoin={() => setJoining(pool)} />
          )) ?? Array.from({ length: 3 }, (_, n) => <Skeleton key={String(n)} h={240} radius="md" />)}
        </SimpleGrid>
      )}
      {pools.data?.length === 0 && <EmptyState title={t(($) => $.pools.none)} />}
      <Title order={2} fz={17}>
        {t(($) => $.pools.mine)}
      </Title>
      <List
        list={mine}
        name="pools"
        label={t(($) => $.pools.mine)}
        what={t(($) => $.pools.mineWhat)}
        columns={columns}
        empty={<EmptyState title={t(($) => $.pools.empty)} />}
      />
      {joining && pools.data && (
        <JoinPool
          pools={pools.data.filter((pool) => pool.open)}
          first={joining}
          onClose={() => setJoining(null)}
        />
      )}
    </Stack>
  );
}

function PoolCard({ pool, onJoin }: { pool: Pool; onJoin: () => void }) {
  const { t } = useTranslation('licences');
  const { date } = useFormat();
  const last = pool.lastBooked;
  const lines: [string, React.ReactNode][] = [
    [t(($) => $.pools.term), t(($) => $.pools.termDays, { count: pool.termDays })],
    [t(($) => $.pools.minimum), <Money key="m" value={pool.minimum} />],
    [t(($) => $.pools.principal), <Money key="p" value={pool.principal} />],
    [t(($) => $.pools.booked), <Money key="b" value={pool.booked} />],
    [
      t(($) => $.pools.lastBooked),
      last ? (
        <span key="l">
          <Money value={last.value} /> (<span>{date(last.fromDay)}</span> – <span>{date(last.toDay)}</span>)
        </span>
      ) : (
        '—'
      ),
    ],
  ];
  return (
    <Card component="article" aria-label={pool.name}>
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={2} fz={18}>
          {pool.name}
        </Title>
        {!pool.open && (
          <Badge size="sm" color="gray" variant="light">
            {t(($) => $.pools.isClosed)}
          </Badge>
        )}
      </Group>
      <Stack gap={6} mb="md">
        {lines.map(([label, value]) => (
          <Group key={label} justify="space-between" gap="2px 10px" fz="sm">
            <Text span fz="sm" c="dimmed">
              {label}
            </Text>
            <span className="num">{value}</span>
          </Group>
        ))}
      </Stack>
      {(isPositive(pool.ownPrincipal) || isPositive(pool.ownReceived)) && (
        <SimpleGrid cols={2} mb="md">
          <div>
            <Text fz={12.5} c="dimmed">
              {t(($) => $.pools.own)}
            </Text>
            <Money value={pool.ownPrincipal} onOrigin={askOrigin({ account: 'pool_principal' })} />
          </div>
          <div>
            <Text fz={12.5} c="dimmed">
              {t(($) => $.pools.received)}
            </Text>
            <FlashValue value={pool.ownReceived}>
              <Money value={pool.ownReceived} onOrigin={askOrigin({ kind: 'pool_revenue' })} />
            </FlashValue>
          </div>
        </SimpleGrid>
      )}
      <GuardedButton
        variant="light"
        mt="auto"
        allowed={pool.open}
        reason={t(($) => $.pools.closed)}
        onClick={onJoin}
      >
        {t(($) => $.pools.join)}
      </GuardedButton>
    </Card>
  );
}
