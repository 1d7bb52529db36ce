import { Badge, Card, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { useUser } from '@/api/session';
import { useQueue } from '@/live/useQueue';
import { useBulkApprove } from '@/ui/BulkApprove';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FilterBar } from '@/ui/FilterBar';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { ratio } from '@/ui/money';
import { OldestWaits } from '@/ui/OldestWaits';
import { PageHeader } from '@/ui/PageHeader';
import { QueueTabs } from '@/ui/QueueTabs';
import { StatTile } from '@/ui/StatTile';
import { StatusBadge } from '@/ui/StatusBadge';
import { useTableQuery } from '@/ui/useTableQuery';
import { When } from '@/ui/When';
import { type ReportRow, refetchReport } from './reportQueue';
import { decideTransfer, TransferDecision } from './TransferDecision';
import { STATUSES, type Transfer } from './transfers';

type Day = Schemas['TransferDay'];
const ROLES = ['customer', 'salesperson', 'store_employee', 'system_employee', 'administrator'] as const;

/** /transfers-reports: who sent what to whom; its second tab is the live queue of what the compliance rules held. */
export default function TransfersReportPage() {
  const { t } = useTranslation('transfers');
  const { t: common } = useTranslation();
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const me = useUser()?._id;
  const table = useTableQuery({
    filters: ['tab', 'search', 'status', 'function', 'startDate', 'endDate'],
    limit: 25,
  });
  const waits = table.filters.tab === 'held';
  const { tab: _, ...asked } = table.query;
  // Who waits longest comes first there.
  const order = waits && table.sortby === 'created_at' ? ({ sortdirection: 'asc' } as const) : {};
  const query = { ...asked, ...(waits && { status: 'pending', ...order }) };
  const report = $api.useQuery('get', '/admin/transfers-reports', { params: { query } });
  const data = report.data;
  const { open, setOpen, deciding, decider } = useQueue<ReportRow>({
    name: 'transfers',
    counter: 'transfersHeld',
    pending: data?.waiting,
    pick: (item) => item.transfer as Transfer,
  });
  const word = (status: ReportRow['status']) => t(($) => $.status[status]);
  const { selection, bulk } = useBulkApprove<ReportRow>({
    rows: data?.data,
    rowKey: (row) => row._id,
    name: (row) => `@${row.origin.username} → @${row.destination.username}, ${format.usdt(row.value)}`,
    amount: (row) => row.value,
    blocked: (row) => {
      if (row.status !== 'pending') return shell(($) => $.bulk.decided);
      if (row.origin._id === me || row.destination._id === me) return shell(($) => $.bulk.own);
      return row.approvalsNeeded > 1 ? shell(($) => $.bulk.twoPersons) : undefined;
    },
    approve: async (row, key) => {
      const { status } = await decideTransfer(row, { approve: true }, key);
      return status === 'pending' ? 'half' : 'approved';
    },
    onDone: () => void refetchReport(),
  });
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
      render: (row) => `@${row.origin.username}`,
    },
    {
      key: 'destination',
      label: t(($) => $.list.to),
      sort: 'destination',
      fixed: true,
      render: (row) => `@${row.destination.username}`,
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
        <Group gap={4}>
          {row.signals.length === 0 && '–'}
          {row.signals.map((name) => (
            <Badge key={name} size="sm" variant="light" color="gold">
              {t(($) => $.signals[name as 'amount'])}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      key: 'status',
      label: t(($) => $.list.status),
      sort: 'status',
      render: (row) => (
        <div>
          <StatusBadge status={row.status === 'pending' ? 'pending_approval' : row.status} />
          {row.status === 'pending' && row.approvals > 0 && (
            <Text fz="xs" c="dimmed">
              {t(($) => $.report.standing, { given: row.approvals, needed: row.approvalsNeeded })}
            </Text>
          )}
          {deciding.has(row._id) && (
            <Text fz="xs" c="var(--gold-text)" role="status">
              {t(($) => $.report.deciding, { name: deciding.get(row._id) ?? '' })}
            </Text>
          )}
        </div>
      ),
    },
  ];
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.report.title)}
        subtitle={
          <OldestWaits
            pending={data?.waiting}
            oldest={data?.oldest}
            intro={t(($) => $.report.subtitle)}
            nobody={t(($) => $.report.nobody)}
            since={(ago) => t(($) => $.report.oldest, { ago })}
          />
        }
        live
      />
      <QueueTabs
        label={t(($) => $.report.tabs.label)}
        tabs={[
          { name: 'all', text: t(($) => $.report.tabs.all) },
          { name: 'held', text: t(($) => $.report.tabs.held), count: data?.waiting },
        ]}
        shown={waits ? 'held' : 'all'}
        onShow={(next) => table.setFilter('tab', next === 'held' ? 'held' : null)}
      >
        <Stack gap="lg">
          {!waits && (
            <>
              <SimpleGrid cols={{ base: 2, md: 4 }}>
                <StatTile
                  label={t(($) => $.report.count)}
                  value={data?.count ?? '–'}
                  loading={report.isPending}
                />
                <StatTile
                  label={t(($) => $.report.total)}
                  value={<Money value={data?.value} currency="USD" />}
                  loading={report.isPending}
                />
                <StatTile
                  label={t(($) => $.report.fees)}
                  value={<Money value={data?.fees} currency="USD" />}
                  loading={report.isPending}
                />
                <StatTile
                  label={t(($) => $.report.waiting)}
                  value={data?.pending ?? '–'}
                  loading={report.isPending}
                />
              </SimpleGrid>
              {data && data.days.length > 0 && <Days days={data.days} />}
            </>
          )}
          <DataTable
            name="relatorio-transferencias"
            label={t(($) => $.report.title)}
            what={t(($) => $.list.what)}
            columns={columns}
            rows={data?.data}
            meta={data?.meta}
            rowKey={(row) => row._id}
            query={{ ...table, filtered: Object.keys(table.filters).some((name) => name !== 'tab') }}
            error={data ? undefined : report.error}
            onRetry={report.refetch}
            file={(signal) =>
              api.GET('/admin/transfers-reports', {
                params: { query: { ...query, format: 'csv' } },
                parseAs: 'stream',
                signal,
              })
            }
            onOpen={setOpen}
            dim={(row) => waits && row.status !== 'pending'}
            {...(waits && { selection, bulk })}
            filterBar={
              <FilterBar
                query={table}
                fields={[
                  { kind: 'search', name: 'search', label: t(($) => $.report.search) },
                  ...(waits
                    ? []
                    : [
                        {
                          kind: 'select' as const,
                          name: 'status' as const,
                          label: t(($) => $.list.status),
                          options: STATUSES.map((value) => ({ value, label: word(value) })),
                        },
                      ]),
                  {
                    kind: 'select',
                    name: 'function',
                    label: t(($) => $.report.function),
                    options: ROLES.map((value) => ({ value, label: shell(($) => $.roles[value]) })),
                  },
                  { kind: 'date', name: 'startDate', label: common(($) => $.filter.from) },
                  { kind: 'date', name: 'endDate', label: common(($) => $.filter.to) },
                ]}
              />
            }
            empty={
              waits ? (
                <EmptyState title={t(($) => $.report.emptyQueue)} hint={t(($) => $.report.emptyQueueHint)} />
              ) : (
                <EmptyState title={t(($) => $.report.empty)} />
              )
            }
          />
        </Stack>
      </QueueTabs>
      <TransferDecision row={open} deciding={decider} onClose={() => setOpen(null)} />
    </Stack>
  );
}

function Days({ days }: { days: readonly Day[] }) {
  const { t } = useTranslation('transfers');
  const format = useFormat();
  const most = days.reduce((top, day) => (Number(day.value) > Number(top) ? day.value : top), '0');
  return (
    <Card component="section" aria-labelledby="per-day">
      <Title order={2} fz={17} id="per-day" mb="sm">
        {t(($) => $.report.perDay)}
      </Title>
      <Table.ScrollContainer minWidth={280} mah={260}>
        <Table verticalSpacing={4} aria-label={t(($) => $.report.perDay)}>
          <Table.Tbody>
            {[...days].reverse().map((day) => (
              <Table.Tr key={day.day}>
                <Table.Td w={110} className="num">
                  {format.date(`${day.day}T12:00:00Z`)}
                </Table.Td>
                <Table.Td aria-hidden>
                  <div
                    style={{
                      height: 10,
                      borderRadius: 4,
                      background: 'var(--mantine-color-mint-filled)',
                      width: `${Math.max(1, ratio(day.value, most) * 100)}%`,
                    }}
                  />
                </Table.Td>
                <Table.Td ta="right" w={60} className="num">
                  {day.count}
                </Table.Td>
                <Table.Td ta="right" w={150}>
                  <Money value={day.value} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}
