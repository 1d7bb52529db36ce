import { Text } from '@mantine/core';
import { IconArrowUpFromArc } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/problem';
import { QUEUES } from '@/api/queues';
import { QueueScreen, Signals, Standing, useQueueColumns } from '@/shared/decisions/QueueScreen';
import { useQueueList } from '@/shared/decisions/useQueueList';
import { useMemberName } from '@/shared/network/useMemberName';
import { DaysReport } from '@/shared/payments/DaysReport';
import { useRoleField } from '@/shared/people/roles';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { HotWalletCard } from './HotWalletCard';
import { PayoutDecision } from './PayoutDecision';
import { useWithdrawalColumns } from './WithdrawalList';
import {
  COINS,
  decideWithdrawal,
  QUEUE,
  REPORT,
  staffWord,
  toDo,
  type WithdrawalRow,
  withdrawalRows,
} from './withdrawals';

const TABS = {
  pending: { status: 'pending', waits: true, bulk: true },
  approved: { status: 'approved', waits: true },
  sent: { status: 'sent' },
  failed: { status: 'failed', waits: true },
  complete: { status: 'complete' },
  rejected: { status: 'rejected' },
  all: {},
} as const;

const GRAVE: readonly WithdrawalRow['signals'][number][] = ['review', 'address_shared'];

/** /crypto-withdrawal-list: decide right, see it leave. Oldest first while they wait. */
export default function PayoutQueuePage() {
  const { t } = useTranslation('withdrawals');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const nameOf = useMemberName();
  const role = useRoleField();
  const queue = useQueueList(QUEUE, {
    queue: QUEUES.cryptoWithdrawals,
    tabs: TABS,
    filters: ['search', 'function', 'coin', 'startDate', 'endDate'],
    limit: 100,
    length: (page) => page,
    pick: withdrawalRows.pick,
  });
  const { list, waits } = queue;
  const { tab: _, ...filters } = list.state.filters;
  const shared = useWithdrawalColumns<WithdrawalRow>(staffWord);
  const { age, person } = useQueueColumns<WithdrawalRow>();
  const columns: Column<WithdrawalRow>[] = [
    age,
    person,
    shared.coin,
    shared.value,
    shared.fee,
    shared.net,
    shared.address,
    waits
      ? {
          key: 'signals',
          label: t(($) => $.queue.signals),
          render: (row) => (
            <Signals
              of={row.signals}
              short={(signal) => t(($) => $.queue.short[signal])}
              long={(signal) => t(($) => $.queue.signal[signal])}
              grave={GRAVE}
            />
          ),
        }
      : shared.hash,
    {
      ...shared.status,
      render: (row) => (
        <Standing
          status={staffWord(row)}
          approvals={row.status === 'pending' && { given: row.approvals, needed: row.approvalsNeeded }}
          decider={queue.deciding.get(row._id)}
        >
          {row.reason && (
            <Text fz="xs" c="dimmed" lineClamp={2} maw={260}>
              {row.reason}
            </Text>
          )}
        </Standing>
      ),
    },
  ];
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
      name="saques-cripto"
      label={t(($) => $.queue.title)}
      what={t(($) => $.list.what)}
      columns={columns}
      fields={[
        { kind: 'search', name: 'search', label: t(($) => $.queue.search) },
        {
          kind: 'select',
          name: 'coin',
          label: t(($) => $.list.coin),
          options: COINS.map((value) => ({ value, label: value.toUpperCase() })),
        },
        role,
      ]}
      empty={
        waits ? (
          <EmptyState title={t(($) => $.queue.empty)} hint={t(($) => $.queue.emptyHint)} />
        ) : (
          <EmptyState title={t(($) => $.list.empty)} hint={t(($) => $.queue.subtitle)} />
        )
      }
      dim={(row) => {
        const tab: { status?: string } = TABS[queue.tab];
        return waits && tab.status !== row.status && toDo(row) !== 'decide';
      }}
      bulk={{
        name: (row) => `${nameOf(row.username)}, ${format.usdt(row.value)}`,
        amount: (row) => row.value,
        open: (row) => row.status === 'pending',
        people: (row) => [row.user],
        // What leaves over the chain does not come back: a case is looked at by itself.
        blocked: (row) => (row.case?.status === 'open' ? shell(($) => $.bulk.case) : undefined),
        decide: decideWithdrawal,
        order: (row) => ({ id: row._id, status: 'approved' as const, amount: row.amount }),
        result: (decided) => {
          if (decided.status === 'awaiting_confirmation')
            throw new ApiError(409, { message: t(($) => $.decide.moved) });
          return decided.status === 'pending' ? 'half' : 'approved';
        },
      }}
      above={
        (queue.tab === 'all' || queue.tab === 'complete') && (
          <DaysReport
            path={REPORT}
            filters={filters}
            words={{
              count: t(($) => $.queue.count),
              total: t(($) => $.queue.total),
              perDay: t(($) => $.queue.perDay),
            }}
            icon={<IconArrowUpFromArc size={20} />}
          />
        )
      }
      decision={(props) => <PayoutDecision {...props} />}
    >
      {!list.error && <HotWalletCard wallet={list.data?.hotWallet} />}
    </QueueScreen>
  );
}
