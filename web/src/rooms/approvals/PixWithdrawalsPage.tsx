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
import { Money } from '@/ui/Money';
import { PixWithdrawalDecision } from './PixWithdrawalDecision';
import {
  alone,
  decideWithdrawal,
  toDo,
  WITHDRAWAL_QUEUE,
  WITHDRAWAL_REPORT,
  type WithdrawalRow,
  withdrawalRows,
  wordOf,
} from './withdrawalQueue';

const GRAVE: readonly WithdrawalRow['signals'][number][] = [
  'review',
  'holder_differs',
  'key_shared',
  'document_shared',
];

/** /pix-withdrawal-list: decide right, pay, record. Oldest first while they wait. */
export default function PixWithdrawalsPage() {
  const { t } = useTranslation('approvals');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const nameOf = useMemberName();
  const role = useRoleField();
  const queue = useQueueList(WITHDRAWAL_QUEUE, {
    queue: QUEUES.pixWithdrawals,
    tabs: {
      pending: { status: 'pending', waits: true, bulk: true },
      topay: { status: 'to_pay', waits: true },
      asked: { status: 'awaiting_confirmation' },
      paid: { status: 'paid' },
      rejected: { status: 'rejected' },
      all: {},
    },
    filters: ['search', 'function', 'startDate', 'endDate'],
    length: (page) => page,
    pick: withdrawalRows.pick,
  });
  const { tab: _, ...filters } = queue.list.state.filters;
  const { age, person } = useQueueColumns<WithdrawalRow>();
  const columns: Column<WithdrawalRow>[] = [
    age,
    person,
    {
      key: 'value',
      label: t(($) => $.withdrawal.value),
      align: 'right',
      sort: 'usdt',
      render: (row) => <Money value={row.value} digits={4} unit={false} />,
    },
    {
      key: 'fee',
      label: t(($) => $.withdrawal.fee),
      align: 'right',
      sort: 'fee',
      render: (row) => <Money value={row.fee} digits={4} unit={false} />,
    },
    {
      key: 'brl',
      label: t(($) => $.withdrawal.brl),
      align: 'right',
      sort: 'brl',
      render: (row) => <Money value={row.brl} currency="BRL" />,
    },
    {
      key: 'key',
      label: t(($) => $.withdrawal.key),
      render: (row) => (
        <Text fz="sm" className="num" style={{ overflowWrap: 'anywhere' }}>
          {row.key}
        </Text>
      ),
    },
    {
      key: 'signals',
      label: t(($) => $.pix.signals),
      render: (row) => (
        <Signals
          of={row.signals}
          short={(signal) => t(($) => $.withdrawal.short[signal])}
          long={(signal) => t(($) => $.withdrawal.signal[signal])}
          grave={GRAVE}
        />
      ),
    },
    {
      key: 'status',
      label: t(($) => $.pix.status),
      sort: 'status',
      render: (row) => (
        <Standing
          status={wordOf(row)}
          approvals={row.status === 'pending' && { given: row.approvals, needed: row.approvalsNeeded }}
          decider={queue.deciding.get(row._id)}
        />
      ),
    },
  ];
  return (
    <QueueScreen
      queue={queue}
      title={t(($) => $.withdrawal.title)}
      waiting={{
        intro: t(($) => $.withdrawal.subtitle),
        nobody: t(($) => $.withdrawal.nobody),
        since: (ago) => t(($) => $.withdrawal.oldest, { ago }),
      }}
      tabs={{ label: t(($) => $.withdrawal.tabs.label), text: (name) => t(($) => $.withdrawal.tabs[name]) }}
      name="saques-pix-fila"
      label={t(($) => $.withdrawal.label)}
      what={t(($) => $.withdrawal.what)}
      columns={columns}
      fields={[{ kind: 'search', name: 'search', label: t(($) => $.withdrawal.search) }, role]}
      empty={<EmptyState title={t(($) => $.withdrawal.empty)} hint={t(($) => $.withdrawal.emptyHint)} />}
      dim={(row) => queue.waits && toDo(row) === null}
      bulk={{
        name: (row) => `${nameOf(row.username)}, ${format.usdt(row.value)}`,
        amount: (row) => row.value,
        open: (row) => row.status === 'pending',
        people: (row) => [row.user],
        blocked: (row) => {
          const why = alone(row);
          return why === null
            ? undefined
            : why === 'case'
              ? shell(($) => $.bulk.case)
              : t(($) => $.withdrawal[why]);
        },
        decide: decideWithdrawal,
        order: (row) => ({ id: row._id, status: 'approved' as const, holderChecked: false, brl: row.brl }),
        result: (decided) => {
          if (decided.status === 'awaiting_confirmation')
            throw new ApiError(409, { message: t(($) => $.withdrawal.approve.moved) });
          return decided.status === 'approved' ? 'approved' : 'half';
        },
      }}
      above={
        (queue.tab === 'all' || queue.tab === 'paid') && (
          <DaysReport
            path={WITHDRAWAL_REPORT}
            filters={filters}
            words={{
              count: t(($) => $.withdrawal.count),
              total: t(($) => $.withdrawal.total),
              perDay: t(($) => $.withdrawal.perDay),
            }}
            icon={<IconArrowUpFromArc size={20} />}
          />
        )
      }
      decision={(props) => <PixWithdrawalDecision {...props} />}
    />
  );
}
