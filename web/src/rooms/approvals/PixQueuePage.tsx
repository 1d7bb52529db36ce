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
import { PixDecision } from './PixDecision';
import { type Deposit, FUNCTIONS, knownPayment, patchQueue, type QueueRow, refetchQueue } from './queue';

const TABS = { pending: 'pending_approval', approved: 'approved', rejected: 'rejected', all: '' } as const;
type Tab = keyof typeof TABS;

/** /deposits-pix-approve-reject: decide right, fast. Oldest first while they wait. */
export default function PixQueuePage() {
  const { t } = useTranslation('approvals');
  const table = useTableQuery({ filters: ['tab', 'search', 'function', 'startDate', 'endDate'], limit: 25 });
  const tab: Tab = Object.hasOwn(TABS, table.filters.tab ?? '') ? (table.filters.tab as Tab) : 'pending';
  const { tab: _, ...asked } = table.query;
  const waits = tab === 'pending';
  // The list's own default is newest first; who waits longest comes first here.
  const order =
    waits && table.sortby === 'created_at'
      ? ({ sortby: 'waiting_since', sortdirection: 'asc' } as const)
      : {};
  const query = { ...asked, ...order, ...(TABS[tab] && { status: TABS[tab] }) };
  const list = $api.useQuery('get', '/admin/list-deposits-pix-approve-reject', { params: { query } });
  const pending = list.data?.pending;
  const { open, setOpen, deciding, decider } = useQueue<QueueRow>({
    name: 'pix-deposits',
    counter: 'pixPending',
    pending,
    pick: (item) => item.deposit as Deposit,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.pix.title)}
        subtitle={
          <OldestWaits
            pending={pending}
            oldest={list.data?.oldest}
            intro={t(($) => $.pix.subtitle)}
            nobody={t(($) => $.pix.nobody)}
            since={(ago) => t(($) => $.pix.oldest, { ago })}
          />
        }
        live
      />
      <QueueTabs
        label={t(($) => $.pix.tabs.label)}
        tabs={(Object.keys(TABS) as Tab[]).map((name) => ({
          name,
          text: t(($) => $.pix.tabs[name]),
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
            api.GET('/admin/list-deposits-pix-approve-reject', {
              params: { query: { ...query, format: 'csv' } },
              parseAs: 'stream',
              signal,
            })
          }
        />
      </QueueTabs>
      <PixDecision row={open} deciding={decider} onClose={() => setOpen(null)} />
    </Stack>
  );
}

interface QueueProps {
  table: TableQuery<'tab' | 'search' | 'function' | 'startDate' | 'endDate'>;
  list: {
    data?:
      | { data: QueueRow[]; meta: { page: number; limit: number; total: number; lastPage: number } }
      | undefined;
    error: unknown;
    refetch: () => unknown;
  };
  waits: boolean;
  deciding: ReadonlyMap<string, string>;
  onOpen: (row: QueueRow) => void;
  file: FileCall;
}

function Queue({ table, list, waits, deciding, onOpen, file }: QueueProps) {
  const { t } = useTranslation('approvals');
  const { t: shell } = useTranslation('shell');
  const { t: common } = useTranslation();
  const format = useFormat();
  const me = useUser()?._id;
  const { selection, bulk } = useBulkApprove<QueueRow>({
    rows: list.data?.data,
    rowKey: (row) => row._id,
    name: (row) => `@${row.username}, ${format.brl(row.brl)}`,
    amount: (row) => row.claim?.usdt ?? row.usdt,
    blocked: (row) => {
      if (row.status !== 'pending_approval') return shell(($) => $.bulk.decided);
      if (row.user === me) return shell(($) => $.bulk.own);
      if (row.case?.status === 'open' || row.case?.status === 'refused') return shell(($) => $.bulk.case);
      if (row.approvalsNeeded > 1) return shell(($) => $.bulk.twoPersons);
      return knownPayment(row) ? undefined : t(($) => $.pix.noPayment);
    },
    approve: async (row, key) => {
      const payment = knownPayment(row);
      if (!payment) throw new ApiError(422, { message: t(($) => $.pix.noPayment) });
      const decided = await body(
        api.PATCH('/admin/deposits-pix-approve-reject', {
          params: { header: { 'Idempotency-Key': key } },
          body: { id: row._id, status: 'approved', ...payment },
        }),
      );
      patchQueue(decided);
      if (decided.status === 'pending_approval' && decided.approvals === row.approvals)
        throw new ApiError(409, { message: t(($) => $.approve.looked) });
      return decided.status === 'approved' ? 'approved' : 'half';
    },
    onDone: () => void refetchQueue(),
  });
  // A tab is no filter that one would clear.
  const filtered = Object.keys(table.filters).some((name) => name !== 'tab');
  const columns: Column<QueueRow>[] = [
    {
      key: 'age',
      label: t(($) => $.pix.age),
      sort: 'waiting_since',
      fixed: true,
      render: (row) => <When at={row.waitingSince ?? row.created_at} relative />,
    },
    {
      key: 'user',
      label: t(($) => $.pix.user),
      sort: 'username',
      fixed: true,
      render: (row) => <PersonCell person={row} />,
    },
    {
      key: 'usdt',
      label: t(($) => $.pix.usdt),
      align: 'right',
      sort: 'usdt',
      render: (row) => <Money value={row.credited ?? row.usdt} digits={4} unit={false} />,
    },
    {
      key: 'brl',
      label: t(($) => $.pix.brl),
      align: 'right',
      sort: 'brl',
      render: (row) => <Money value={row.brlReceived ?? row.brl} currency="BRL" />,
    },
    {
      key: 'signals',
      label: t(($) => $.pix.signals),
      render: (row) => (
        <Group gap={4}>
          {row.signals.length === 0 && '–'}
          {row.signals.map((signal) => (
            <Badge
              key={signal}
              size="sm"
              variant="light"
              color={signal === 'proof_seen_before' ? 'red' : 'gold'}
              title={t(($) => $.signal[signal])}
            >
              {t(($) => $.short[signal])}
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
          <StatusBadge status={row.reversed ? 'reversed' : row.status} />
          {row.status === 'pending_approval' && row.approvals > 0 && (
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
      name="aprovar-pix"
      label={t(($) => $.pix.label)}
      what={t(($) => $.pix.what)}
      columns={columns}
      rows={list.data?.data}
      meta={list.data?.meta}
      rowKey={(row) => row._id}
      query={{ ...table, filtered }}
      error={list.data ? undefined : list.error}
      onRetry={list.refetch}
      file={file}
      onOpen={onOpen}
      dim={(row) => waits && row.status !== 'pending_approval'}
      {...(waits && { selection, bulk })}
      filterBar={
        <FilterBar
          query={table}
          fields={[
            { kind: 'search', name: 'search', label: t(($) => $.pix.search) },
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
      empty={<EmptyState title={t(($) => $.pix.empty)} hint={t(($) => $.pix.emptyHint)} />}
    />
  );
}
