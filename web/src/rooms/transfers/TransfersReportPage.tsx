import { SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { QUEUES } from '@/api/queues';
import { QueueScreen, Signals, Standing } from '@/shared/decisions/QueueScreen';
import { useQueueList } from '@/shared/decisions/useQueueList';
import { useMemberName } from '@/shared/network/useMemberName';
import { Days } from '@/shared/payments/Days';
import { MemberFace } from '@/shared/people/MemberFace';
import { PersonLink } from '@/shared/people/PersonCell';
import { useRoleField } from '@/shared/people/roles';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { StatTile } from '@/ui/StatTile';
import { When } from '@/ui/When';
import { decideTransfer, REPORT, type ReportRow, transferRows } from './reportQueue';
import { TransferDecision } from './TransferDecision';
import { STATUSES } from './transfers';

/** /transfers-reports: who sent what to whom; its second tab is the live queue of what the compliance rules held. */
export default function TransfersReportPage() {
  const { t } = useTranslation('transfers');
  const format = useFormat();
  const nameOf = useMemberName();
  const role = useRoleField();
  const queue = useQueueList(REPORT, {
    queue: QUEUES.transfers,
    tabs: { all: {}, held: { status: 'pending', waits: true, bulk: true } },
    filters: ['search', 'status', 'function', 'startDate', 'endDate'],
    oldest: { sortdirection: 'asc' },
    length: ({ waiting, oldest }) => ({ pending: waiting, oldest }),
    pick: transferRows.pick,
  });
  const { list, waits } = queue;
  const { data } = list;
  const columns: Column<ReportRow>[] = [
    {
      key: 'date',
      label: waits ? t(($) => $.report.age) : t(($) => $.list.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} relative={waits} />,
    },
    {
      key: 'origin',
      label: t(($) => $.list.from),
      sort: 'origin',
      fixed: true,
      render: ({ origin }) => (
        <MemberFace username={origin.username}>
          <PersonLink id={origin._id} username={origin.username} />
        </MemberFace>
      ),
    },
    {
      key: 'destination',
      label: t(($) => $.list.to),
      sort: 'destination',
      fixed: true,
      render: ({ destination }) => (
        <MemberFace username={destination.username}>
          <PersonLink id={destination._id} username={destination.username} />
        </MemberFace>
      ),
    },
    {
      key: 'value',
      label: t(($) => $.list.value),
      align: 'right',
      sort: 'value',
      fixed: true,
      render: (row) => <Money value={row.value} digits={4} unit={false} />,
    },
    {
      key: 'signals',
      label: t(($) => $.report.signals),
      render: (row) => (
        <Signals of={row.signals} short={(name) => t(($) => $.signals[name as 'amount'])} none="–" />
      ),
    },
    {
      key: 'status',
      label: t(($) => $.list.status),
      sort: 'status',
      render: (row) => (
        <Standing
          status={row.status === 'pending' ? 'pending_approval' : row.status}
          approvals={row.status === 'pending' && { given: row.approvals, needed: row.approvalsNeeded }}
          decider={queue.deciding.get(row._id)}
        />
      ),
    },
  ];
  return (
    <QueueScreen
      queue={queue}
      title={t(($) => $.report.title)}
      waiting={{
        intro: t(($) => $.report.subtitle),
        nobody: t(($) => $.report.nobody),
        since: (ago) => t(($) => $.report.oldest, { ago }),
      }}
      tabs={{ label: t(($) => $.report.tabs.label), text: (name) => t(($) => $.report.tabs[name]) }}
      name="relatorio-transferencias"
      label={t(($) => $.report.title)}
      what={t(($) => $.list.what)}
      columns={columns}
      fields={[
        { kind: 'search', name: 'search', label: t(($) => $.report.search) },
        ...(waits
          ? []
          : [
              {
                kind: 'select' as const,
                name: 'status' as const,
                label: t(($) => $.list.status),
                options: STATUSES.map((value) => ({ value, label: t(($) => $.status[value]) })),
              },
            ]),
        role,
      ]}
      empty={
        waits ? (
          <EmptyState title={t(($) => $.report.emptyQueue)} hint={t(($) => $.report.emptyQueueHint)} />
        ) : (
          <EmptyState title={t(($) => $.report.empty)} />
        )
      }
      dim={(row) => waits && row.status !== 'pending'}
      bulk={{
        name: (row) =>
          `${nameOf(row.origin.username)} → ${nameOf(row.destination.username)}, ${format.usdt(row.value)}`,
        amount: (row) => row.value,
        open: (row) => row.status === 'pending',
        people: (row) => [row.origin._id, row.destination._id],
        decide: decideTransfer,
        order: (row) => ({ id: row._id, approve: true }),
        result: ({ status }) => (status === 'pending' ? 'half' : 'approved'),
      }}
      above={
        !waits && (
          <>
            <SimpleGrid cols={{ base: 2, md: 4 }}>
              <StatTile
                label={t(($) => $.report.count)}
                value={data?.count ?? '–'}
                loading={list.isPending}
              />
              <StatTile
                label={t(($) => $.report.total)}
                value={<Money value={data?.value} currency="USD" />}
                loading={list.isPending}
              />
              <StatTile
                label={t(($) => $.report.fees)}
                value={<Money value={data?.fees} currency="USD" />}
                loading={list.isPending}
              />
              <StatTile
                label={t(($) => $.report.waiting)}
                value={data?.pending ?? '–'}
                loading={list.isPending}
              />
            </SimpleGrid>
            <Days
              title={t(($) => $.report.perDay)}
              count={t(($) => $.report.count)}
              total={t(($) => $.report.total)}
              days={data?.days.map(({ day, count, value }) => ({ day, count, total: value }))}
            />
          </>
        )
      }
      decision={(props) => <TransferDecision {...props} />}
    />
  );
}
