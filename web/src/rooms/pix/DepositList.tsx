import { Text } from '@mantine/core';
import { IconQrcode } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { $api } from '@/api/hooks';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FilterBar } from '@/ui/FilterBar';
import { Money } from '@/ui/Money';
import { StatusBadge } from '@/ui/StatusBadge';
import { useTableQuery } from '@/ui/useTableQuery';
import { When } from '@/ui/When';
import { type PixDeposit, type PixStatus, statusWord } from './deposits';

const STATUSES: readonly PixStatus[] = [
  'pending',
  'pending_approval',
  'approved',
  'rejected',
  'canceled',
  'cancelled_timed_out',
];

/** One's own deposits. A row opens with all that can be done about it. */
export function DepositList({ onOpen }: { onOpen: (deposit: PixDeposit) => void }) {
  const { t } = useTranslation('pix');
  const { t: common } = useTranslation();
  const table = useTableQuery({ filters: ['search', 'status', 'startDate', 'endDate'] });
  const list = $api.useQuery('get', '/list-deposits-pix', { params: { query: table.query } });
  const word = (status: PixStatus) =>
    common(
      ($) =>
        $.status[
          status === 'pending' ? 'awaiting_proof' : status === 'cancelled_timed_out' ? 'timed_out' : status
        ],
    );
  const columns: Column<PixDeposit>[] = [
    {
      key: 'date',
      label: t(($) => $.list.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'usdt',
      label: t(($) => $.list.usdt),
      align: 'right',
      sort: 'usdt',
      render: (row) => <Money value={row.credited ?? row.usdt} digits={4} unit={false} />,
    },
    {
      key: 'brl',
      label: t(($) => $.list.brl),
      align: 'right',
      sort: 'brl',
      render: (row) => <Money value={row.brlReceived ?? row.brl} currency="BRL" />,
    },
    {
      key: 'proof',
      label: t(($) => $.list.proof),
      render: (row) => (
        <Text span fz="sm" c={row.proof ? undefined : 'dimmed'}>
          {row.proof
            ? row.proofKind === 'application/pdf'
              ? 'PDF'
              : row.proofKind === 'image/png'
                ? 'PNG'
                : 'JPEG'
            : t(($) => $.list.noProof)}
        </Text>
      ),
    },
    {
      key: 'status',
      label: t(($) => $.list.status),
      sort: 'status',
      render: (row) => (
        <div>
          <StatusBadge status={row.reversed ? 'reversed' : statusWord(row.status)} />
          {row.status === 'rejected' && row.reason && (
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
      name="depositos-pix"
      label={t(($) => $.list.label)}
      what={t(($) => $.list.what)}
      columns={columns}
      rows={list.data?.data}
      meta={list.data?.meta}
      rowKey={(row) => row._id}
      query={table}
      error={list.data ? undefined : list.error}
      onRetry={list.refetch}
      file={(signal) =>
        api.GET('/list-deposits-pix', {
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
              options: STATUSES.map((value) => ({ value, label: word(value) })),
            },
            { kind: 'date', name: 'startDate', label: common(($) => $.filter.from) },
            { kind: 'date', name: 'endDate', label: common(($) => $.filter.to) },
          ]}
        />
      }
      empty={
        <EmptyState
          icon={<IconQrcode size={26} stroke={1.5} />}
          title={t(($) => $.list.empty)}
          hint={t(($) => $.list.emptyHint)}
        />
      }
    />
  );
}
