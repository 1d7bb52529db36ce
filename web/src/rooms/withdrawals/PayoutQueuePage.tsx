import { Badge, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { $api } from '@/api/hooks';
import { ApiError } from '@/api/problem';
import { useUser } from '@/api/session';
import { useQueue } from '@/live/useQueue';
import { useBulkApprove } from '@/ui/BulkApprove';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FilterBar } from '@/ui/FilterBar';
import { useFormat } from '@/ui/format';
import { OldestWaits } from '@/ui/OldestWaits';
import { PageHeader } from '@/ui/PageHeader';
import { PersonCell } from '@/ui/PersonCell';
import { QueueTabs } from '@/ui/QueueTabs';
import { StatusBadge } from '@/ui/StatusBadge';
import { useTableQuery } from '@/ui/useTableQuery';
import { When } from '@/ui/When';
import { HotWalletCard } from './HotWalletCard';
import { PayoutDecision } from './PayoutDecision';
import { useWithdrawalColumns } from './WithdrawalList';
import {
  COINS,
  patchWithdrawals,
  refetchQueue,
  staffWord,
  toDo,
  type Withdrawal,
  type WithdrawalRow,
} from './withdrawals';

const TABS = {
  pending: 'pending',
  approved: 'approved',
  sent: 'sent',
  failed: 'failed',
  complete: 'complete',
  rejected: 'rejected',
  all: '',
} as const;
type Tab = keyof typeof TABS;

const GRAVE: readonly WithdrawalRow['signals'][number][] = ['review', 'address_shared'];

const ROLES = ['customer', 'salesperson', 'store_employee', 'system_employee', 'administrator'] as const;

/** /crypto-withdrawal-list: decide right, see it leave. Oldest first while they wait. */
export default function PayoutQueuePage() {
  const { t } = useTranslation('withdrawals');
  const { t: common } = useTranslation();
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const table = useTableQuery({
    filters: ['tab', 'search', 'function', 'selectedProduct', 'startDate', 'endDate'],
    limit: 100,
  });
  const tab: Tab = Object.hasOwn(TABS, table.filters.tab ?? '') ? (table.filters.tab as Tab) : 'pending';
  const { tab: _, ...asked } = table.query;
  const waits = tab === 'pending' || tab === 'approved' || tab === 'failed';
  const order =
    waits && table.sortby === 'created_at'
      ? ({ sortby: 'waiting_since', sortdirection: 'asc' } as const)
      : {};
  const query = { ...asked, ...order, ...(TABS[tab] && { status: TABS[tab] }) };
  const list = $api.useQuery('get', '/admin/crypto-withdrawal-list', { params: { query } });
  const pending = list.data?.pending;
  const { open, setOpen, deciding, decider } = useQueue<WithdrawalRow>({
    name: 'crypto-withdrawals',
    counter: 'cryptoWithdrawals',
    pending,
    pick: (item) => item.withdrawal as Withdrawal,
  });
  const me = useUser()?._id;
  const { selection, bulk } = useBulkApprove<WithdrawalRow>({
    rows: list.data?.data,
    rowKey: (row) => row._id,
    name: (row) => `@${row.username}, ${format.usdt(row.value)}`,
    amount: (row) => row.value,
    blocked: (row) => {
      if (row.status !== 'pending') return shell(($) => $.bulk.decided);
      if (row.user === me) return shell(($) => $.bulk.own);
      if (row.approvalsNeeded > 1) return shell(($) => $.bulk.twoPersons);
      // What leaves over the chain does not come back: a case is looked at by itself.
      return row.case?.status === 'open' ? shell(($) => $.bulk.case) : undefined;
    },
    approve: async (row, key) => {
      const decided = await body(
        api.PATCH('/admin/crypto-withdrawal-approve-reject', {
          params: { header: { 'Idempotency-Key': key } },
          body: { id: row._id, status: 'approved' },
        }),
      );
      patchWithdrawals(decided);
      if (decided.status === 'awaiting_confirmation')
        throw new ApiError(409, { message: t(($) => $.decide.moved) });
      return decided.status === 'pending' ? 'half' : 'approved';
    },
    onDone: () => void refetchQueue(),
  });
  const shared = useWithdrawalColumns<WithdrawalRow>(staffWord);
  const columns: Column<WithdrawalRow>[] = [
    {
      key: 'age',
      label: t(($) => $.queue.age),
      sort: 'waiting_since',
      fixed: true,
      render: (row) => <When at={row.waitingSince} relative />,
    },
    {
      key: 'user',
      label: t(($) => $.queue.user),
      sort: 'username',
      fixed: true,
      render: (row) => <PersonCell person={row} />,
    },
    shared.coin,
    shared.value,
    shared.fee,
    shared.net,
    shared.address,
    waits
      ? {
          key: 'signals',
          label: t(($) => $.queue.signals),
          render: (row) => (
            <Group gap={4}>
              {row.signals.map((signal) => (
                <Badge
                  key={signal}
                  size="sm"
                  variant="light"
                  color={GRAVE.includes(signal) ? 'red' : 'gold'}
                  title={t(($) => $.queue.signal[signal])}
                >
                  {t(($) => $.queue.short[signal])}
                </Badge>
              ))}
            </Group>
          ),
        }
      : shared.hash,
    {
      ...shared.status,
      render: (row) => (
        <div>
          <StatusBadge status={staffWord(row)} />
          {row.status === 'pending' && row.approvals > 0 && (
            <Text fz="xs" c="dimmed">
              {t(($) => $.queue.standing, { given: row.approvals, needed: row.approvalsNeeded })}
            </Text>
          )}
          {deciding.has(row._id) && (
            <Text fz="xs" c="var(--gold-text)" role="status">
              {t(($) => $.queue.deciding, { name: deciding.get(row._id) ?? '' })}
            </Text>
          )}
          {row.reason && (
            <Text fz="xs" c="dimmed" lineClamp={2} maw={260}>
              {row.reason}
            </Text>
          )}
        </div>
      ),
    },
  ];
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
      {(list.data || !list.error) && <HotWalletCard wallet={list.data?.hotWallet} />}
      <QueueTabs
        label={t(($) => $.queue.tabs.label)}
        tabs={(Object.keys(TABS) as Tab[]).map((name) => ({
          name,
          text: t(($) => $.queue.tabs[name]),
          count: name === 'pending' ? pending : undefined,
        }))}
        shown={tab}
        onShow={(next) => table.setFilter('tab', next === 'pending' ? null : next)}
      >
        <DataTable
          name="saques-cripto"
          label={t(($) => $.queue.title)}
          what={t(($) => $.list.what)}
          columns={columns}
          rows={list.data?.data}
          meta={list.data?.meta}
          rowKey={(row) => row._id}
          query={{ ...table, filtered: Object.keys(table.filters).some((name) => name !== 'tab') }}
          error={list.data ? undefined : list.error}
          onRetry={list.refetch}
          file={(signal) =>
            api.GET('/admin/crypto-withdrawal-list', {
              params: { query: { ...query, format: 'csv' } },
              parseAs: 'stream',
              signal,
            })
          }
          onOpen={setOpen}
          {...(tab === 'pending' && { selection, bulk })}
          dim={(row) => waits && TABS[tab] !== row.status && toDo(row) !== 'decide'}
          filterBar={
            <FilterBar
              query={table}
              fields={[
                { kind: 'search', name: 'search', label: t(($) => $.queue.search) },
                {
                  kind: 'select',
                  name: 'selectedProduct',
                  label: t(($) => $.list.coin),
                  options: COINS.map((value) => ({ value, label: value.toUpperCase() })),
                },
                {
                  kind: 'select',
                  name: 'function',
                  label: t(($) => $.queue.function),
                  options: ROLES.map((value) => ({ value, label: shell(($) => $.roles[value]) })),
                },
                { kind: 'date', name: 'startDate', label: common(($) => $.filter.from) },
                { kind: 'date', name: 'endDate', label: common(($) => $.filter.to) },
              ]}
            />
          }
          empty={
            waits ? (
              <EmptyState title={t(($) => $.queue.empty)} hint={t(($) => $.queue.emptyHint)} />
            ) : (
              <EmptyState title={t(($) => $.list.empty)} hint={t(($) => $.queue.subtitle)} />
            )
          }
        />
      </QueueTabs>
      <PayoutDecision row={open} deciding={decider} onClose={() => setOpen(null)} />
    </Stack>
  );
}
