import { Text } from '@mantine/core';
import { IconQrcode } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { useList } from '@/ui/useList';
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
  const { t: shell } = useTranslation('shell');
  const list = useList('/list-deposits-pix', {
    filters: ['search', 'status', 'startDate', 'endDate'],
    file: true,
  });
  const word = (status: PixStatus) =>
    shell(
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
    <List
      list={list}
      name="depositos-pix"
      label={t(($) => $.list.label)}
      what={t(($) => $.list.what)}
      columns={columns}
      onOpen={onOpen}
      fields={[
        { kind: 'search', name: 'search', label: t(($) => $.list.search) },
        {
          kind: 'select',
          name: 'status',
          label: t(($) => $.list.status),
          options: STATUSES.map((value) => ({ value, label: word(value) })),
        },
      ]}
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
