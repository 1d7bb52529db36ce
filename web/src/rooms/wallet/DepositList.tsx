import { IconCurrencyEthereum } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { $api } from '@/api/hooks';
import type { Deposit } from '@/live/chain/deposits';
import { DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FilterBar } from '@/ui/FilterBar';
import { meaningOf } from '@/ui/StatusBadge';
import { useTableQuery } from '@/ui/useTableQuery';
import { useDepositColumns } from './columns';

const STATUSES = [
  'waiting_for_buyer_funds',
  'pending',
  'pending_approval',
  'complete',
  'approved',
  'rejected',
  'canceled',
  'cancelled_timed_out',
] as const;

/** One's own deposits. A row opens with all that can be done about it. */
export function DepositList({ onOpen }: { onOpen: (deposit: Deposit) => void }) {
  const { t } = useTranslation('wallet');
  const { t: common } = useTranslation();
  const table = useTableQuery({ filters: ['search', 'status', 'startDate', 'endDate', 'selectedProduct'] });
  const list = $api.useQuery('get', '/list-deposits', { params: { query: table.query } });
  const columns = useDepositColumns<Deposit>();
  return (
    <DataTable
      name="depositos-cripto"
      label={t(($) => $.list.label)}
      what={t(($) => $.list.what)}
      columns={[
        columns.date,
        columns.coin,
        columns.crypto,
        columns.usdt,
        columns.address,
        columns.hash,
        columns.confirmations,
        columns.status,
      ]}
      rows={list.data?.data}
      meta={list.data?.meta}
      rowKey={(row) => row._id}
      query={table}
      error={list.data ? undefined : list.error}
      onRetry={list.refetch}
      file={(signal) =>
        api.GET('/list-deposits', {
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
            { kind: 'search', name: 'search', label: t(($) => $.list.search) },
            {
              kind: 'select',
              name: 'status',
              label: t(($) => $.list.status),
              options: STATUSES.map((value) => ({
                value,
                label: common(($) => $.status[meaningOf(value)]),
              })),
            },
            {
              kind: 'select',
              name: 'selectedProduct',
              label: t(($) => $.list.product),
              options: (['license', 'plain'] as const).map((value) => ({
                value,
                label: t(($) => $.products[value]),
              })),
            },
            { kind: 'date', name: 'startDate', label: common(($) => $.filter.from) },
            { kind: 'date', name: 'endDate', label: common(($) => $.filter.to) },
          ]}
        />
      }
      empty={
        <EmptyState
          icon={<IconCurrencyEthereum size={26} stroke={1.5} />}
          title={t(($) => $.list.empty)}
          hint={t(($) => $.list.emptyHint)}
        />
      }
    />
  );
}
