import { Alert, Badge, Stack } from '@mantine/core';
import { IconArrowDownToArc } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { QUEUES } from '@/api/queues';
import { came, depositRows, QUEUE, REPORT } from '@/live/chain/deposits';
import { Decider, QueueScreen, useQueueColumns } from '@/shared/decisions/QueueScreen';
import { useQueueList } from '@/shared/decisions/useQueueList';
import { useMemberName } from '@/shared/network/useMemberName';
import { DaysReport } from '@/shared/payments/DaysReport';
import { useRoleField } from '@/shared/people/roles';
import { meaningOf } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { useDepositColumns } from './columns';
import { Decision } from './Decision';
import { decideDeposit, type QueueRow } from './queue';

const METHODS = [
  ['usdt_bep20', 'usdt'],
  ['busd_bep20', 'busd'],
  ['bnb', 'bnb'],
] as const;
const STATUSES = [
  'waiting_for_buyer_funds',
  'pending',
  'funds_received_and_confirmed',
  'complete',
  'cancelled_timed_out',
  'pending_approval',
  'approved',
  'rejected',
  'canceled',
] as const;

const FILTERS = [
  'search',
  'status',
  'function',
  'startDate',
  'endDate',
  'selectedProduct',
  'selectedMethod',
] as const;

/** /crypto-deposits-list2: everything that came over the network, and what waits for a decision. */
export default function QueuePage() {
  const { t } = useTranslation('wallet');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const nameOf = useMemberName();
  const role = useRoleField();
  const queue = useQueueList(QUEUE, {
    queue: QUEUES.cryptoDeposits,
    tabs: { all: {}, pending: { status: 'pending_approval', waits: true, bulk: true } },
    filters: FILTERS,
    length: (page) => page,
    pick: depositRows.pick,
  });
  const { list, waits } = queue;
  const { tab: _, ...filters } = list.state.filters;
  const columns = useDepositColumns<QueueRow>();
  const { age, person } = useQueueColumns<QueueRow>();
  const cause: Column<QueueRow> = {
    key: 'cause',
    label: t(($) => $.queue.cause),
    render: (row) => (
      <Stack gap={4} align="flex-start">
        {row.pendingCause && (
          <Badge size="sm" variant="light" color="gold">
            {t(($) => $.causeShort[row.pendingCause ?? 'compliance'])}
          </Badge>
        )}
        <Decider name={queue.deciding.get(row._id)} />
      </Stack>
    ),
  };
  const halted = list.data?.watcher?.halted;
  return (
    <QueueScreen
      queue={queue}
      title={t(($) => $.queue.title)}
      waiting={{
        intro: t(($) => $.queue.subtitle),
        nobody: t(($) => $.queue.nobody),
        since: (ago) => t(($) => $.queue.oldest, { ago }),
      }}
      tabs={{ label: t(($) => $.queue.tabs.label), text: (name) => t(($) => $.queue.tabs[name]) }}
      name="depositos-usdt"
      label={t(($) => $.queue.label)}
      what={t(($) => $.queue.what)}
      columns={[
        waits ? age : columns.date,
        person,
        columns.product,
        columns.coin,
        columns.crypto,
        columns.usdt,
        columns.hash,
        ...(waits ? [cause] : []),
        columns.status,
      ]}
      fields={[
        { kind: 'search', name: 'search', label: t(($) => $.queue.search) },
        {
          kind: 'select',
          name: 'selectedProduct',
          label: t(($) => $.list.product),
          options: (['license', 'liquidity_for_pools', 'plain'] as const).map((value) => ({
            value,
            label: t(($) => $.products[value]),
          })),
        },
        {
          kind: 'select',
          name: 'selectedMethod',
          label: t(($) => $.list.coin),
          options: METHODS.map(([value, coin]) => ({ value, label: t(($) => $.coins[coin]) })),
        },
        ...(waits
          ? []
          : [
              {
                kind: 'select' as const,
                name: 'status' as const,
                label: t(($) => $.list.status),
                options: STATUSES.map((value) => ({
                  value,
                  label: shell(($) => $.status[meaningOf(value)]),
                })),
              },
            ]),
        role,
      ]}
      empty={
        waits ? (
          <EmptyState title={t(($) => $.queue.emptyPending)} hint={t(($) => $.queue.emptyHint)} />
        ) : (
          <EmptyState title={t(($) => $.queue.empty)} hint={t(($) => $.queue.subtitle)} />
        )
      }
      dim={(row) => waits && row.status !== 'pending_approval'}
      bulk={{
        name: (row) => `${nameOf(row.username)}, ${format.usdt(came(row))}`,
        amount: came,
        open: (row) => row.status === 'pending_approval',
        people: (row) => [row.user],
        // Nobody needs to say what USDT is worth; other coins are looked at one by one, and what came to who has left is given back.
        blocked: (row) =>
          row.pendingCause === 'closed'
            ? t(($) => $.cause.closed)
            : row.coin === 'usdt'
              ? undefined
              : t(($) => $.queue.oneByOne),
        decide: decideDeposit,
        order: (row) => ({ id: row._id, status: 'approved' as const }),
        result: (decided) => (decided.status === 'pending_approval' ? 'half' : 'approved'),
      }}
      above={
        !waits && (
          <DaysReport
            path={REPORT}
            filters={filters}
            words={{
              count: t(($) => $.queue.count),
              total: t(($) => $.queue.total),
              perDay: t(($) => $.queue.perDay),
            }}
            icon={<IconArrowDownToArc size={20} />}
          />
        )
      }
      decision={(props) => <Decision {...props} />}
    >
      {halted && (
        <Alert color="red" variant="light" role="alert">
          {halted === 'lost' ? t(($) => $.queue.lost) : t(($) => $.queue.halted)}
        </Alert>
      )}
    </QueueScreen>
  );
}
