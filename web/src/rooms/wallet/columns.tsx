import { useTranslation } from 'react-i18next';
import { came, currencyOf, type Deposit } from '@/live/chain/deposits';
import { Brief } from '@/shared/payments/Brief';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { Money } from '@/ui/Money';
import { When } from '@/ui/When';

/** The columns that customers and staff share. */
export function useDepositColumns<T extends Deposit>(): Record<
  'date' | 'coin' | 'crypto' | 'usdt' | 'address' | 'hash' | 'confirmations' | 'status' | 'product',
  Column<T>
> {
  const { t } = useTranslation('wallet');
  const product = (row: Deposit) => t(($) => $.products[row.product]);
  return {
    date: {
      key: 'date',
      label: t(($) => $.list.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    product: {
      key: 'product',
      label: t(($) => $.list.product),
      render: product,
    },
    coin: {
      key: 'coin',
      label: t(($) => $.list.coin),
      render: (row) => (row.coin ? t(($) => $.coins[row.coin ?? 'usdt']) : t(($) => $.coins.unlisted)),
    },
    crypto: {
      key: 'crypto',
      label: t(($) => $.list.crypto),
      align: 'right',
      render: (row) => (
        <Money
          value={came(row)}
          currency={currencyOf(row.coin)}
          digits={row.coin === 'bnb' ? 8 : 4}
          unit={false}
        />
      ),
    },
    usdt: {
      key: 'usdt',
      label: t(($) => $.list.usdt),
      align: 'right',
      sort: 'credited',
      render: (row) => <Money value={row.credited ?? row.value} digits={4} unit={false} />,
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
    confirmations: {
      key: 'confirmations',
      label: t(($) => $.list.confirmations),
      align: 'right',
      render: (row) => (row.transaction ? `${row.confirmations}/${row.confirmationsNeeded}` : '–'),
    },
    status: {
      key: 'status',
      label: t(($) => $.list.status),
      sort: 'status',
      render: (row) => <StatusBadge status={row.reversed ? 'reversed' : row.status} />,
    },
  };
}
