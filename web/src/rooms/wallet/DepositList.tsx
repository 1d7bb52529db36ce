import { IconCurrencyEthereum } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Deposit } from '@/live/chain/deposits';
import { meaningOf } from '@/shared/status/StatusBadge';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { useList } from '@/ui/useList';
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
  const { t: shell } = useTranslation('shell');
  const list = useList('/list-deposits', {
    filters: ['search', 'status', 'startDate', 'endDate', 'selectedProduct'],
    file: true,
  });
  const columns = useDepositColumns<Deposit>();
  return (
    <List
      list={list}
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
      onOpen={onOpen}
      fields={[
        { kind: 'search', name: 'search', label: t(($) => $.list.search) },
        {
          kind: 'select',
          name: 'status',
          label: t(($) => $.list.status),
          options: STATUSES.map((value) => ({
            value,
            label: shell(($) => $.status[meaningOf(value)]),
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
      ]}
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
