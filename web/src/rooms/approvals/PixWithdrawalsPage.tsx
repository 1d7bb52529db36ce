import { Badge, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import type { FileCall } from '@/api/download';
import { $api } from '@/api/hooks';
import { ApiError } from '@/api/problem';
import { useUser } from '@/api/session';
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
import { StatusBadge } from '@/ui/StatusBadge';
import { type TableQuery, useTableQuery } from '@/ui/useTableQuery';
import { When } from '@/ui/When';
import { PixWithdrawalDecision } from './PixWithdrawalDecision';
import { FUNCTIONS } from './queue';
import {
  patchWithdrawalQueue,
  refetchWithdrawalQueue,
  toDo,
  type Withdrawal,
  type WithdrawalRow,
  wordOf,
} from './withdrawalQueue';

const TABS = {
  pending: 'pending',
  topay: 'to_pay',
  asked: 'awaiting_confirmation',
  paid: 'paid',
  rejected: 'rejected',
  all: '',
} as const;
type Tab = keyof typeof TABS;

/** /pix-withdrawal-list: decide right, pay, record. Oldest first while they wait. */
export default function PixWithdrawalsPage() {
  const { t } = useTranslation('approvals');
  const table = useTableQuery({ filters: ['tab', 'search', 'function', 'startDate', 'endDate'], limit: 25 });
  const tab: Tab = Object.hasOwn(TABS, table.filters.tab ?? '') ? (table.filters.tab as Tab) : 'pending';
  const { tab: _, ...asked } = table.query;
  const waits = tab === 'pending' || tab === 'topay';
  // The list's own default is newest first; who waits longest comes first here.
  const order =
    waits && table.sortby === 'created_at'
      ? ({ sortby: 'waiting_since', sortdirection: 'asc' } as const)
      : {};
  const query = { ...asked, ...order, ...(TABS[tab] && { status: TABS[tab] }) };
  const list = $api.useQuery('get', '/admin/list-withdraw-pix-approve-reject', { params: { query } });
  const pending = list.data?.pending;
  const { open, setOpen, deciding, decider } = useQueue<WithdrawalRow>({
    name: 'pix-withdrawals',
    counter: 'pixWithdrawals',
    pending,
    pick: (item) => item.withdrawal as Withdrawal,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.withdrawal.title)}
        subtitle={
          <OldestWaits
            pending={pending}
            oldest={list.data?.oldest}
            intro={t(($) => $.withdrawal.subtitle)}
            nobody={t(($) => $.withdrawal.nobody)}
            since={(ago) => t(($) => $.withdrawal.oldest, { ago })}
          />
        }
        live
      />
      <QueueTabs
        label={t(($) => $.withdrawal.tabs.label)}
        tabs={(Object.keys(TABS) as Tab[]).map((name) => ({
          name,
          text: t(($) => $.withdrawal.tabs[name]),
          count: name === 'pending' ? pending : undefined,
        }))}
        shown={tab}
        onShow={(next) => table.setFilter('tab', next === 'pending' ? null : next)}
      >
        <Queue
          table={table}
          list={list}
          waits={waits}
          deciding={deciding}
          onOpen={setOpen}
          file={(signal) =>
            api.GET('/admin/list-withdraw-pix-approve-reject', {
              params: { query: { ...query, format: 'csv' } },
              parseAs: 'stream',
              signal,
            })
          }
        />
      </QueueTabs>
      <PixWithdrawalDecision row={open} deciding={decider} onClose={() => setOpen(null)} />
    </Stack>
  );
}

interface QueueProps {
  table: TableQuery<'tab' | 'search' | 'function' | 'startDate' | 'endDate'>;
  list: {
    data?:
      | { data: WithdrawalRow[]; meta: { page: number; limit: number; total: number; lastPage: number } }
      | undefined;
    error: unknown;
    refetch: () => unknown;
  };
  waits: boolean;
  deciding: ReadonlyMap<string, string>;
  onOpen: (row: WithdrawalRow) => void;
  file: FileCall;
}

const GRAVE: readonly WithdrawalRow['signals'][number][] = [
  'review',
  'holder_differs',
  'key_shared',
  'document_shared',
];

function Queue({ table, list, waits, deciding, onOpen, file }: QueueProps) {
  const { t } = useTranslation('approvals');
  const { t: shell } = useTranslation('shell');
  const { t: common } = useTranslation();
  const format = useFormat();
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
      // Whose key it is was not said by its own text: the bank says it, one by one.
      return row.holder === 'matches' ? undefined : t(($) => $.withdrawal.holderFirst);
    },
    approve: async (row, key) => {
      const decided = await body(
        api.PATCH('/admin/withdraw-pix-approve-reject', {
          params: { header: { 'Idempotency-Key': key } },
          body: { id: row._id, status: 'approved', holderChecked: false },
        }),
      );
      patchWithdrawalQueue(decided);
      if (decided.status === 'awaiting_confirmation')
        throw new ApiError(409, { message: t(($) => $.withdrawal.approve.moved) });
      return decided.status === 'approved' ? 'approved' : 'half';
    },
    onDone: () => void refetchWithdrawalQueue(),
  });
  // A tab is no filter that one would clear.
  const filtered = Object.keys(table.filters).some((name) => name !== 'tab');
  const columns: Column<WithdrawalRow>[] = [
    {
      key: 'age',
      label: t(($) => $.pix.age),
      sort: 'waiting_since',
      fixed: true,
      render: (row) => <When at={row.waitingSince} relative />,
    },
    {
      key: 'user',
      label: t(($) => $.pix.user),
      sort: 'username',
      fixed: true,
      render: (row) => <PersonCell person={row} />,
    },
    {
      key: 'value',
      label: t(($) => $.withdrawal.value),
      align: 'right',
      sort: 'usdt',
      render: (row) => <Money value={row.value} digits={4} unit={false} />,
    },
    {
      key: 'fee',
      label: t(($) => $.withdrawal.fee),
      align: 'right',
      sort: 'fee',
      render: (row) => <Money value={row.fee} digits={4} unit={false} />,
    },
    {
      key: 'brl',
      label: t(($) => $.withdrawal.brl),
      align: 'right',
      sort: 'brl',
      render: (row) => <Money value={row.brl} currency="BRL" />,
    },
    {
      key: 'key',
      label: t(($) => $.withdrawal.key),
      render: (row) => (
        <Text fz="sm" className="num" style={{ overflowWrap: 'anywhere' }}>
          {row.key}
        </Text>
      ),
    },
    {
      key: 'signals',
      label: t(($) => $.pix.signals),
      render: (row) => (
        <Group gap={4}>
          {row.signals.map((signal) => (
            <Badge
              key={signal}
              size="sm"
              variant="light"
              color={GRAVE.includes(signal) ? 'red' : 'gold'}
              title={t(($) => $.withdrawal.signal[signal])}
            >
              {t(($) => $.withdrawal.short[signal])}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      key: 'status',
      label: t(($) => $.pix.status),
      sort: 'status',
      render: (row) => (
        <div>
          <StatusBadge status={wordOf(row)} />
          {row.status === 'pending' && row.approvals > 0 && (
            <Text fz="xs" c="dimmed">
              {t(($) => $.pix.standing, { given: row.approvals, needed: row.approvalsNeeded })}
            </Text>
          )}
          {deciding.has(row._id) && (
            <Text fz="xs" c="var(--gold-text)" role="status">
              {t(($) => $.pix.deciding, { name: deciding.get(row._id) ?? '' })}
            </Text>
          )}
        </div>
      ),
    },
  ];
  return (
    <DataTable
      name="saques-pix-fila"
      label={t(($) => $.withdrawal.label)}
      what={t(($) => $.withdrawal.what)}
      columns={columns}
      rows={list.data?.data}
      meta={list.data?.meta}
      rowKey={(row) => row._id}
      query={{ ...table, filtered }}
      error={list.data ? undefined : list.error}
      onRetry={list.refetch}
      file={file}
      onOpen={onOpen}
      dim={(row) => waits && toDo(row) === null}
      {...(table.filters.tab === undefined && { selection, bulk })}
      filterBar={
        <FilterBar
          query={table}
          fields={[
            { kind: 'search', name: 'search', label: t(($) => $.withdrawal.search) },
            {
              kind: 'select',
              name: 'function',
              label: t(($) => $.function),
              options: FUNCTIONS.map((value) => ({ value, label: shell(($) => $.roles[value]) })),
            },
            { kind: 'date', name: 'startDate', label: common(($) => $.filter.from) },
            { kind: 'date', name: 'endDate', label: common(($) => $.filter.to) },
          ]}
        />
      }
      empty={<EmptyState title={t(($) => $.withdrawal.empty)} hint={t(($) => $.withdrawal.emptyHint)} />}
    />
  );
}
