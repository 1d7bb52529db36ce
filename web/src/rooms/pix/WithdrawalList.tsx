import { Text } from '@mantine/core';
import { IconCashBanknote } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { meaningOf, StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { useList } from '@/ui/useList';
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
  const { t: shell } = useTranslation('shell');
  const list = useList('/list-withdraws-pix', {
    filters: ['search', 'status', 'startDate', 'endDate'],
    file: true,
  });
  const word = (status: string) => shell(($) => $.status[meaningOf(status)]);
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
    <List
      list={list}
      name="saques-pix"
      label={t(($) => $.withdraw.list.label)}
      what={t(($) => $.withdraw.list.what)}
      columns={columns}
      onOpen={onOpen}
      fields={[
        { kind: 'search', name: 'search', label: t(($) => $.withdraw.list.search) },
        {
          kind: 'select',
          name: 'status',
          label: t(($) => $.withdraw.list.status),
          options: STATUSES.map((value) => ({ value, label: word(value) })),
        },
      ]}
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
