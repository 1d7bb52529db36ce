import { Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconMedal } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { QUEUES } from '@/api/queues';
import { useDeciding } from '@/live/useDeciding';
import { PersonCell } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { isPositive } from '@/ui/money';
import { PageHeader } from '@/ui/PageHeader';
import { StatTile } from '@/ui/StatTile';
import { Together } from '@/ui/Together';
import { useList } from '@/ui/useList';
import { BonusPayment } from './BonusPayment';
import { payWord, toDo } from './graduations';
import { RANKS } from './network';
import { useUnpaid } from './useUnpaid';
import { useWords } from './words';

type Row = Schemas['RankedMember'];

/** /graduations: who holds a rank or is near the next one, and what is owed for it. */
export default function RankedPage() {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  const list = useList('/admin/graduations', { filters: ['search', 'rank'], sorts: 'never', file: true });
  const unpaid = useUnpaid();
  const [open, setOpen] = useState<string | null>(null);
  const deciding = useDeciding(QUEUES.graduationBonuses);
  const columns: Column<Row>[] = [
    {
      key: 'user',
      label: t(($) => $.staff.user),
      fixed: true,
      render: (row) => <PersonCell person={row} />,
    },
    {
      key: 'rank',
      label: t(($) => $.rank),
      fixed: true,
      render: ({ rank }) =>
        rank ? (
          words.rank(rank)
        ) : (
          <Text fz="sm" c="dimmed">
            {t(($) => $.staff.ranked.none)}
          </Text>
        ),
    },
    {
      key: 'points',
      label: t(($) => $.staff.ranked.points),
      align: 'right',
      fixed: true,
      render: (row) => <span className="num">{words.points(row.paidPoints)}</span>,
    },
    {
      key: 'next',
      label: t(($) => $.staff.ranked.next),
      align: 'right',
      fixed: true,
      render: ({ next }) =>
        next ? (
          <>
            <span>{words.rank(next.name)}</span>
            <Text fz={12} c="dimmed" className="num">
              {t(($) => $.staff.ranked.missing, { points: words.points(next.missing) })}
            </Text>
          </>
        ) : (
          '–'
        ),
    },
    {
      key: 'active',
      label: t(($) => $.status),
      fixed: true,
      render: (row) => <StatusBadge status={row.isActive ? 'active' : 'inactive'} />,
    },
    {
      key: 'bonus',
      label: t(($) => $.staff.ranked.bonus),
      fixed: true,
      render: ({ _id }) => {
        const owed =
          unpaid.rows?.filter(
            ({ user, bonus, isBonusPaid }) => user === _id && !isBonusPaid && isPositive(bonus),
          ) ?? [];
        if (owed.length === 0 && unpaid.isPending) return <Skeleton h={14} w={90} />;
        if (owed.length === 0) return unpaid.error ? '–' : t(($) => $.staff.ranked.nothing);
        return (
          <Stack gap={6} align="start">
            {owed.map((row) => (
              <Group key={row._id} gap={8}>
                <Button size="compact-sm" variant="default" onClick={() => setOpen(row._id)}>
                  {t(($) => $.staff.ranked[toDo(row) === 'pay' ? 'pay' : 'look'], {
                    rank: words.rank(row.rank),
                  })}
                </Button>
                {payWord(row) !== 'pending' && <StatusBadge status={payWord(row)} size="sm" />}
              </Group>
            ))}
          </Stack>
        );
      },
    },
  ];
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.staff.ranked.title)}
        subtitle={t(($) => $.staff.ranked.subtitle)}
        action={
          <Button component={Link} to={QUEUES.graduationBonuses.screen} variant="default">
            {t(($) => $.staff.graduation.title)}
          </Button>
        }
      />
      <Together>
        {unpaid.error && (
          <ErrorCard what={t(($) => $.staff.ranked.unpaid)} error={unpaid.error} onRetry={unpaid.retry} />
        )}
        {list.data && list.data.metrics.length > 0 && (
          <SimpleGrid cols={{ base: 2, lg: 4 }}>
            {list.data.metrics.map(({ rank, count }) => (
              <StatTile
                key={rank}
                label={words.rank(rank)}
                value={format.count(count)}
                icon={<IconMedal size={20} />}
              />
            ))}
          </SimpleGrid>
        )}
        <List
          list={list}
          name="niveis"
          label={t(($) => $.staff.ranked.title)}
          what={t(($) => $.staff.ranked.what)}
          columns={columns}
          fields={[
            { kind: 'search', name: 'search', label: t(($) => $.staff.search) },
            {
              kind: 'select',
              name: 'rank',
              label: t(($) => $.rank),
              options: [
                { value: 'none', label: t(($) => $.staff.ranked.none) },
                ...RANKS.map((value) => ({ value, label: words.rank(value) })),
              ],
            },
          ]}
          empty={
            <EmptyState
              icon={<IconMedal size={26} stroke={1.5} />}
              title={t(($) => $.staff.ranked.empty)}
              hint={t(($) => $.staff.graduation.emptyHint)}
            />
          }
        />
      </Together>
      <BonusPayment
        row={unpaid.rows?.find(({ _id }) => _id === open) ?? null}
        deciding={open ? deciding.get(open) : undefined}
        onClose={() => setOpen(null)}
      />
    </Stack>
  );
}
