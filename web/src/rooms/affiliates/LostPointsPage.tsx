import { SimpleGrid, Stack } from '@mantine/core';
import { IconBinaryTree } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { Days } from '@/shared/payments/Days';
import { PersonCell } from '@/shared/people/PersonCell';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { PageHeader } from '@/ui/PageHeader';
import { StatTile } from '@/ui/StatTile';
import { useList } from '@/ui/useList';
import { LOST } from './network';
import { useWords } from './words';

type Row = Schemas['LostPointsRow'];

/** /binary-report: points that closings matched and did not pay. */
export default function LostPointsPage() {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  const list = useList('/admin/binary-lost-points-report', {
    filters: ['search', 'reason', 'startDate', 'endDate'],
    file: true,
  });
  const points = (key: string, label: string, value: (row: Row) => string, sort?: string): Column<Row> => ({
    key,
    label,
    align: 'right',
    ...(sort && { sort }),
    render: (row) => <span className="num">{words.points(value(row))}</span>,
  });
  const columns: Column<Row>[] = [
    {
      key: 'day',
      label: t(($) => $.staff.day),
      sort: 'created_at',
      fixed: true,
      render: (row) => <span className="num">{format.date(row.businessDay)}</span>,
    },
    {
      key: 'user',
      label: t(($) => $.staff.user),
      sort: 'username',
      fixed: true,
      render: (row) => <PersonCell person={row} />,
    },
    points('left', words.leg('left'), ({ leftPoints }) => leftPoints),
    points('right', words.leg('right'), ({ rightPoints }) => rightPoints),
    points(
      'matched',
      t(($) => $.tonight.matched),
      ({ matched }) => matched,
    ),
    points(
      'paid',
      t(($) => $.staff.lost.paid),
      ({ paid }) => paid,
    ),
    {
      ...points(
        'lost',
        t(($) => $.staff.lost.lost),
        ({ lost }) => lost,
        'points',
      ),
      fixed: true,
    },
    {
      key: 'reason',
      label: t(($) => $.staff.lost.reason),
      render: (row) => words.lost(row.reason),
    },
  ];
  const totals = list.data?.totals;
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.staff.lost.title)} subtitle={t(($) => $.staff.lost.subtitle)} />
      <SimpleGrid cols={{ base: 2, lg: 4 }}>
        {LOST.map((reason) => {
          const one = totals?.find((total) => total.reason === reason);
          return (
            <StatTile
              key={reason}
              label={words.lost(reason)}
              value={words.points(one?.points ?? '0')}
              hint={t(($) => $.staff.lost.times, {
                count: one?.count ?? 0,
                shown: format.count(one?.count ?? 0),
              })}
              loading={list.isPending}
            />
          );
        })}
      </SimpleGrid>
      <Days
        title={t(($) => $.staff.lost.perDay)}
        count={t(($) => $.staff.lost.members)}
        total={t(($) => $.staff.lost.lost)}
        days={list.data?.days}
        unit="plain"
        color="var(--down)"
      />
      <List
        list={list}
        name="pontos-perdidos"
        label={t(($) => $.staff.lost.title)}
        what={t(($) => $.staff.lost.what)}
        columns={columns}
        rowKey={(row) => `${row.user}${row.businessDay}`}
        fields={[
          { kind: 'search', name: 'search', label: t(($) => $.staff.search) },
          {
            kind: 'select',
            name: 'reason',
            label: t(($) => $.staff.lost.reason),
            options: LOST.map((value) => ({ value, label: words.lost(value) })),
          },
        ]}
        empty={
          <EmptyState
            icon={<IconBinaryTree size={26} stroke={1.5} />}
            title={t(($) => $.staff.lost.empty)}
            hint={t(($) => $.staff.lost.emptyHint)}
          />
        }
      />
    </Stack>
  );
}
