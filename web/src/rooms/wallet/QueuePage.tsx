import { Alert, Badge, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconArrowDownToArc, IconReportMoney } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { useUser } from '@/api/session';
import { came, type Deposit, patchLists, refetchQueue } from '@/live/chain/deposits';
import { useQueue } from '@/live/useQueue';
import { useBulkApprove } from '@/ui/BulkApprove';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FilterBar } from '@/ui/FilterBar';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { OldestWaits } from '@/ui/OldestWaits';
import { PageHeader } from '@/ui/PageHeader';
import { PersonCell } from '@/ui/PersonCell';
import { QueueTabs } from '@/ui/QueueTabs';
import { StatTile } from '@/ui/StatTile';
import { meaningOf } from '@/ui/StatusBadge';
import { useTableQuery } from '@/ui/useTableQuery';
import { When } from '@/ui/When';
import { useDepositColumns } from './columns';
import { Days } from './Days';
import { Decision } from './Decision';

export type QueueRow = Schemas['CryptoDepositRow'];

const METHODS = [
  ['usdt_bep20', 'usdt'],
  ['busd_bep20', 'busd'],
  ['bnb', 'bnb'],
] as const;
const STATUSES = [
  'waiting_for_buyer_funds',
  'pending',
  'funds_received_and_confirmed',
  'complete',
  'cancelled_timed_out',
  'pending_approval',
  'approved',
  'rejected',
  'canceled',
] as const;
const ROLES = ['customer', 'salesperson', 'store_employee', 'system_employee', 'administrator'] as const;

const FILTERS = [
  'search',
  'status',
  'function',
  'startDate',
  'endDate',
  'selectedProduct',
  'selectedMethod',
] as const;

/** /crypto-deposits-list2: everything that came over the network, and what waits for a decision. */
export default function QueuePage() {
  const { t } = useTranslation('wallet');
  const { t: common } = useTranslation();
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const table = useTableQuery({
    filters: ['tab', ...FILTERS],
    limit: 25,
  });
  const waits = table.filters.tab === 'pending';
  const { tab: _, ...asked } = table.query;
  const { page: _page, limit: _limit, sortby: _by, sortdirection: _direction, ...filters } = asked;
  const order =
    waits && table.sortby === 'created_at'
      ? ({ sortby: 'waiting_since', sortdirection: 'asc' } as const)
      : {};
  const query = { ...asked, ...order, ...(waits && { status: 'pending_approval' }) };
  const list = $api.useQuery('get', '/admin/all-crypto-deposits-list', { params: { query } });
  const pending = list.data?.pending;
  const { open, setOpen, deciding, decider } = useQueue<QueueRow>({
    name: 'crypto-deposits',
    counter: 'cryptoPending',
    pending,
    pick: (item) => item.deposit as Deposit,
  });
  const me = useUser()?._id;
  const { selection, bulk } = useBulkApprove<QueueRow>({
    rows: list.data?.data,
    rowKey: (row) => row._id,
    name: (row) => `@${row.username}, ${format.usdt(came(row))}`,
    amount: came,
    blocked: (row) => {
      if (row.status !== 'pending_approval') return shell(($) => $.bulk.decided);
      if (row.user === me) return shell(($) => $.bulk.own);
      // Nobody needs to say what USDT is worth; other coins are looked at one by one.
      if (row.coin !== 'usdt') return t(($) => $.queue.oneByOne);
      return row.approvalsNeeded > 1 ? shell(($) => $.bulk.twoPersons) : undefined;
    },
    approve: async (row, key) => {
      const decided = await body(
        api.PATCH('/admin/crypto-deposits-approve-reject', {
          params: { header: { 'Idempotency-Key': key } },
          body: { id: row._id, status: 'approved' },
        }),
      );
      patchLists(decided);
      return decided.status === 'pending_approval' ? 'half' : 'approved';
    },
    onDone: () => void refetchQueue(),
  });
  const columns = useDepositColumns<QueueRow>();
  const user: Column<QueueRow> = {
    key: 'user',
    label: t(($) => $.queue.user),
    sort: 'username',
    fixed: true,
    render: (row) => <PersonCell person={row} />,
  };
  const age: Column<QueueRow> = {
    key: 'age',
    label: t(($) => $.queue.age),
    sort: 'waiting_since',
    fixed: true,
    render: (row) => <When at={row.waitingSince ?? row.created_at} relative />,
  };
  const cause: Column<QueueRow> = {
    key: 'cause',
    label: t(($) => $.queue.cause),
    render: (row) => (
      <Stack gap={4} align="flex-start">
        {row.pendingCause && (
          <Badge size="sm" variant="light" color="gold">
            {t(($) => $.causeShort[row.pendingCause ?? 'compliance'])}
          </Badge>
        )}
        {deciding.has(row._id) && (
          <Text fz="xs" c="var(--gold-text)" role="status">
            {t(($) => $.queue.deciding, { name: deciding.get(row._id) ?? '' })}
          </Text>
        )}
      </Stack>
    ),
  };
  const halted = list.data?.watcher?.halted;
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.queue.title)}
        subtitle={
          <OldestWaits
            pending={pending}
            oldest={list.data?.oldest}
            intro={t(($) => $.queue.subtitle)}
            nobody={t(($) => $.queue.nobody)}
            since={(ago) => t(($) => $.queue.oldest, { ago })}
          />
        }
        live
      />
      {halted && (
        <Alert color="red" variant="light" role="alert">
          {halted === 'lost' ? t(($) => $.queue.lost) : t(($) => $.queue.halted)}
        </Alert>
      )}
      <QueueTabs
        label={t(($) => $.queue.tabs.label)}
        tabs={[
          { name: 'all', text: t(($) => $.queue.tabs.all) },
          { name: 'pending', text: t(($) => $.queue.tabs.pending), count: pending },
        ]}
        shown={waits ? 'pending' : 'all'}
        onShow={(next) => table.setFilter('tab', next === 'pending' ? 'pending' : null)}
      >
        {!waits && <Report filters={filters} />}
        <DataTable
          name="depositos-usdt"
          label={t(($) => $.queue.label)}
          what={t(($) => $.queue.what)}
          columns={[
            waits ? age : columns.date,
            user,
            columns.product,
            columns.coin,
            columns.crypto,
            columns.usdt,
            columns.hash,
            ...(waits ? [cause] : []),
            columns.status,
          ]}
          rows={list.data?.data}
          meta={list.data?.meta}
          rowKey={(row) => row._id}
          query={{ ...table, filtered: Object.keys(table.filters).some((name) => name !== 'tab') }}
          error={list.data ? undefined : list.error}
          onRetry={list.refetch}
          file={(signal) =>
            api.GET('/admin/all-crypto-deposits-list', {
              params: { query: { ...query, format: 'csv' } },
              parseAs: 'stream',
              signal,
            })
          }
          onOpen={setOpen}
          dim={(row) => waits && row.status !== 'pending_approval'}
          {...(waits && { selection, bulk })}
          filterBar={
            <FilterBar
              query={table}
              fields={[
                { kind: 'search', name: 'search', label: t(($) => $.queue.search) },
                {
                  kind: 'select',
                  name: 'selectedProduct',
                  label: t(($) => $.list.product),
                  options: (['license', 'liquidity_for_pools', 'plain'] as const).map((value) => ({
                    value,
                    label: t(($) => $.products[value]),
                  })),
                },
                {
                  kind: 'select',
                  name: 'selectedMethod',
                  label: t(($) => $.list.coin),
                  options: METHODS.map(([value, coin]) => ({ value, label: t(($) => $.coins[coin]) })),
                },
                ...(waits
                  ? []
                  : [
                      {
                        kind: 'select' as const,
                        name: 'status' as const,
                        label: t(($) => $.list.status),
                        options: STATUSES.map((value) => ({
                          value,
                          label: common(($) => $.status[meaningOf(value)]),
                        })),
                      },
                    ]),
                {
                  kind: 'select',
                  name: 'function',
                  label: t(($) => $.sales.function),
                  options: ROLES.map((value) => ({ value, label: shell(($) => $.roles[value]) })),
                },
                { kind: 'date', name: 'startDate', label: common(($) => $.filter.from) },
                { kind: 'date', name: 'endDate', label: common(($) => $.filter.to) },
              ]}
            />
          }
          empty={
            waits ? (
              <EmptyState title={t(($) => $.queue.emptyPending)} hint={t(($) => $.queue.emptyHint)} />
            ) : (
              <EmptyState title={t(($) => $.queue.empty)} hint={t(($) => $.queue.subtitle)} />
            )
          }
        />
      </QueueTabs>
      <Decision row={open} deciding={decider} onClose={() => setOpen(null)} />
    </Stack>
  );
}

type Filters = Partial<Record<(typeof FILTERS)[number], string>>;

/** What was credited of all that the filters let through, and by day. */
function Report({ filters }: { filters: Filters }) {
  const { t } = useTranslation('wallet');
  const report = $api.useQuery('get', '/admin/crypto-deposits-report', { params: { query: filters } });
  return (
    <Stack gap="lg" mb="lg">
      <SimpleGrid cols={{ base: 2 }}>
        <StatTile
          label={t(($) => $.queue.count)}
          value={report.data?.count ?? '–'}
          loading={report.isPending}
          icon={<IconArrowDownToArc size={20} />}
        />
        <StatTile
          label={t(($) => $.queue.total)}
          value={report.data ? <Money value={report.data.total} /> : '–'}
          loading={report.isPending}
          icon={<IconReportMoney size={20} />}
        />
      </SimpleGrid>
      <Days
        title={t(($) => $.queue.perDay)}
        count={t(($) => $.queue.count)}
        total={t(($) => $.queue.total)}
        days={report.data?.days}
      />
    </Stack>
  );
}
