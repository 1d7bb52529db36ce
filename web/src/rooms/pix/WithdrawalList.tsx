import { Text } from '@mantine/core';
import { IconCashBanknote } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { $api } from '@/api/hooks';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FilterBar } from '@/ui/FilterBar';
import { Money } from '@/ui/Money';
import { meaningOf, StatusBadge } from '@/ui/StatusBadge';
import { useTableQuery } from '@/ui/useTableQuery';
import { When } from '@/ui/When';
import { type PixWithdrawal, wordOf } from './withdrawals';

const STATUSES = [
  'pending',
  'awaiting_confirmation',
  'to_pay',
  'paid',
  'rejected',
  'canceled',
  'expired',
] as const;

/** One's own withdrawals. A row opens with all that can be done about it. */
export function WithdrawalList({ onOpen }: { onOpen: (withdrawal: PixWithdrawal) => void }) {
  const { t } = useTranslation('pix');
  const { t: common } = useTranslation();
  const table = useTableQuery({ filters: ['search', 'status', 'startDate', 'endDate'] });
  const list = $api.useQuery('get', '/list-withdraws-pix', { params: { query: table.query } });
  const word = (status: string) => common(($) => $.status[meaningOf(status)]);
  const columns: Column<PixWithdrawal>[] = [
    {
      key: 'date',
      label: t(($) => $.withdraw.list.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'value',
      label: t(($) => $.withdraw.list.value),
      align: 'right',
      sort: 'usdt',
      render: (row) => <Money value={row.value} digits={4} unit={false} />,
    },
    {
      key: 'fee',
      label: t(($) => $.withdraw.list.fee),
      align: 'right',
      sort: 'fee',
      render: (row) => <Money value={row.fee} digits={4} unit={false} />,
    },
    {
      key: 'brl',
      label: t(($) => $.withdraw.list.brl),
      align: 'right',
      sort: 'brl',
      render: (row) => <Money value={row.brl} currency="BRL" />,
    },
    {
      key: 'key',
      label: t(($) => $.withdraw.list.key),
      render: (row) => (
        <div>
          <Text fz="sm" className="num" style={{ overflowWrap: 'anywhere' }}>
            {row.key}
          </Text>
          <Text fz="xs" c="dimmed">
            {t(($) => $.withdraw.form.kinds[row.keyKind])}
          </Text>
        </div>
      ),
    },
    {
      key: 'status',
      label: t(($) => $.withdraw.list.status),
      sort: 'status',
      render: (row) => (
        <div>
          <StatusBadge status={wordOf(row)} />
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
    <DataTable
      name="saques-pix"
      label={t(($) => $.withdraw.list.label)}
      what={t(($) => $.withdraw.list.what)}
      columns={columns}
      rows={list.data?.data}
      meta={list.data?.meta}
      rowKey={(row) => row._id}
      query={table}
      error={list.data ? undefined : list.error}
      onRetry={list.refetch}
      file={(signal) =>
        api.GET('/list-withdraws-pix', {
          params: { query: { ...table.query, format: 'csv' } },
          parseAs: 'stream',
          signal,
        })
      }
      onOpen={onOpen}
      filterBar={
        <FilterBar
          query={table}
          fields={[
            { kind: 'search', name: 'search', label: t(($) => $.withdraw.list.search) },
            {
              kind: 'select',
              name: 'status',
              label: t(($) => $.withdraw.list.status),
              options: STATUSES.map((value) => ({ value, label: word(value) })),
            },
            { kind: 'date', name: 'startDate', label: common(($) => $.filter.from) },
            { kind: 'date', name: 'endDate', label: common(($) => $.filter.to) },
          ]}
        />
      }
      empty={
        <EmptyState
          icon={<IconCashBanknote size={26} stroke={1.5} />}
          title={t(($) => $.withdraw.list.empty)}
          hint={t(($) => $.withdraw.list.emptyHint)}
        />
      }
    />
  );
}
