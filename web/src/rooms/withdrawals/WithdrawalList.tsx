import { Text } from '@mantine/core';
import { IconWallet } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { currencyOf, fromWei } from '@/live/chain/deposits';
import { Brief } from '@/shared/payments/Brief';
import { meaningOf, StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { Value } from './Value';
import { COINS, listDigits, type Withdrawal } from './withdrawals';

const STATUSES = [
  'awaiting_email',
  'pending',
  'awaiting_confirmation',
  'approved',
  'sent',
  'complete',
  'failed',
  'rejected',
  'canceled',
  'expired',
] as const;

/** The columns that customers and staff share. */
export function useWithdrawalColumns<T extends Withdrawal>(
  word: (row: Withdrawal) => string = (row) => row.status,
): Record<'date' | 'coin' | 'value' | 'fee' | 'net' | 'address' | 'hash' | 'status', Column<T>> {
  const { t } = useTranslation('withdrawals');
  return {
    date: {
      key: 'date',
      label: t(($) => $.list.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    coin: {
      key: 'coin',
      label: t(($) => $.list.coin),
      sort: 'coin',
      render: (row) => row.coin.toUpperCase(),
    },
    value: {
      key: 'value',
      label: t(($) => $.list.value),
      align: 'right',
      sort: 'usdt',
      render: (row) => <Value of={row} digits={4} unit={false} />,
    },
    fee: {
      key: 'fee',
      label: t(($) => $.list.fee),
      align: 'right',
      sort: 'fee',
      render: (row) => <Money value={row.fee} digits={4} unit={false} />,
    },
    net: {
      key: 'net',
      label: t(($) => $.list.net),
      align: 'right',
      sort: 'net',
      render: (row) => (
        <Money
          value={fromWei(row.amount)}
          currency={currencyOf(row.coin)}
          digits={listDigits(row.coin)}
          unit={false}
        />
      ),
    },
    address: {
      key: 'address',
      label: t(($) => $.list.address),
      render: (row) => <Brief text={row.address} label={t(($) => $.list.copyAddress)} />,
    },
    hash: {
      key: 'hash',
      label: t(($) => $.list.hash),
      render: (row) =>
        row.transaction ? <Brief text={row.transaction} label={t(($) => $.list.copyHash)} /> : '–',
    },
    status: {
      key: 'status',
      label: t(($) => $.list.status),
      sort: 'status',
      render: (row) => (
        <div>
          <StatusBadge status={word(row)} />
          {row.reason && (
            <Text fz="xs" c="dimmed" lineClamp={2} maw={260}>
              {row.reason}
            </Text>
          )}
        </div>
      ),
    },
  };
}

/** One's own withdrawals. A row opens with all that can be done about it. */
export function WithdrawalList({ onOpen }: { onOpen: (withdrawal: Withdrawal) => void }) {
  const { t } = useTranslation('withdrawals');
  const { t: shell } = useTranslation('shell');
  const list = useList('/list-withdraws', {
    filters: ['search', 'status', 'coin', 'startDate', 'endDate'],
    file: true,
  });
  const columns = useWithdrawalColumns<Withdrawal>();
  return (
    <List
      list={list}
      name="saques-cripto"
      label={t(($) => $.list.label)}
      what={t(($) => $.list.what)}
      columns={[
        columns.date,
        columns.coin,
        columns.value,
        columns.fee,
        columns.net,
        columns.address,
        columns.hash,
        columns.status,
      ]}
      onOpen={onOpen}
      fields={[
        { kind: 'search', name: 'search', label: t(($) => $.list.search) },
        {
          kind: 'select',
          name: 'status',
          label: t(($) => $.list.status),
          options: STATUSES.map((value) => ({ value, label: shell(($) => $.status[meaningOf(value)]) })),
        },
        {
          kind: 'select',
          name: 'coin',
          label: t(($) => $.list.coin),
          options: COINS.map((value) => ({ value, label: value.toUpperCase() })),
        },
      ]}
      empty={
        <EmptyState
          icon={<IconWallet size={26} stroke={1.5} />}
          title={t(($) => $.list.empty)}
          hint={t(($) => $.list.emptyHint)}
        />
      }
    />
  );
}
