import { IconArrowDownToArc } from '@tabler/icons-react';
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
import { PixDecision } from './PixDecision';
import { alone, decideDeposit, depositRows, knownPayment, QUEUE, type QueueRow, REPORT } from './queue';

/** /deposits-pix-approve-reject: decide right, fast. Oldest first while they wait. */
export default function PixQueuePage() {
  const { t } = useTranslation('approvals');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const nameOf = useMemberName();
  const role = useRoleField();
  const queue = useQueueList(QUEUE, {
    queue: QUEUES.pixDeposits,
    tabs: {
      pending: { status: 'pending_approval', waits: true, bulk: true },
      approved: { status: 'approved' },
      rejected: { status: 'rejected' },
      all: {},
    },
    filters: ['search', 'function', 'startDate', 'endDate'],
    length: (page) => page,
    pick: depositRows.pick,
  });
  const { tab: _, ...filters } = queue.list.state.filters;
  const { age, person } = useQueueColumns<QueueRow>();
  const columns: Column<QueueRow>[] = [
    age,
    person,
    {
      key: 'usdt',
      label: t(($) => $.pix.usdt),
      align: 'right',
      sort: 'usdt',
      render: (row) => <Money value={row.credited ?? row.usdt} digits={4} unit={false} />,
    },
    {
      key: 'brl',
      label: t(($) => $.pix.brl),
      align: 'right',
      sort: 'brl',
      render: (row) => <Money value={row.brlReceived ?? row.brl} currency="BRL" />,
    },
    {
      key: 'signals',
      label: t(($) => $.pix.signals),
      render: (row) => (
        <Signals
          of={row.signals}
          short={(signal) => t(($) => $.short[signal])}
          long={(signal) => t(($) => $.signal[signal])}
          grave={['proof_seen_before']}
          none="–"
        />
      ),
    },
    {
      key: 'status',
      label: t(($) => $.pix.status),
      sort: 'status',
      render: (row) => (
        <Standing
          status={row.reversed ? 'reversed' : row.status}
          approvals={
            row.status === 'pending_approval' && { given: row.approvals, needed: row.approvalsNeeded }
          }
          decider={queue.deciding.get(row._id)}
        />
      ),
    },
  ];
  return (
    <QueueScreen
      queue={queue}
      title={t(($) => $.pix.title)}
      waiting={{
        intro: t(($) => $.pix.subtitle),
        nobody: t(($) => $.pix.nobody),
        since: (ago) => t(($) => $.pix.oldest, { ago }),
      }}
      tabs={{ label: t(($) => $.pix.tabs.label), text: (name) => t(($) => $.pix.tabs[name]) }}
      name="aprovar-pix"
      label={t(($) => $.pix.label)}
      what={t(($) => $.pix.what)}
      columns={columns}
      fields={[{ kind: 'search', name: 'search', label: t(($) => $.pix.search) }, role]}
      empty={<EmptyState title={t(($) => $.pix.empty)} hint={t(($) => $.pix.emptyHint)} />}
      dim={(row) => queue.waits && row.status !== 'pending_approval'}
      bulk={{
        name: (row) => `${nameOf(row.username)}, ${format.brl(row.brl)}`,
        amount: (row) => row.claim?.usdt ?? row.usdt,
        open: (row) => row.status === 'pending_approval',
        people: (row) => [row.user],
        blocked: (row) => {
          const why = alone(row);
          return why === null ? undefined : why === 'case' ? shell(($) => $.bulk.case) : t(($) => $.pix[why]);
        },
        decide: decideDeposit,
        order: (row) => {
          const payment = knownPayment(row);
          if (!payment) throw new ApiError(422, { message: t(($) => $.pix.noPayment) });
          return { id: row._id, status: 'approved' as const, ...payment };
        },
        result: (decided, row) => {
          if (decided.status === 'pending_approval' && decided.approvals === row.approvals)
            throw new ApiError(409, { message: t(($) => $.approve.looked) });
          return decided.status === 'approved' ? 'approved' : 'half';
        },
      }}
      above={
        (queue.tab === 'all' || queue.tab === 'approved') && (
          <DaysReport
            path={REPORT}
            filters={filters}
            words={{
              count: t(($) => $.pix.count),
              total: t(($) => $.pix.total),
              perDay: t(($) => $.pix.perDay),
            }}
            icon={<IconArrowDownToArc size={20} />}
          />
        )
      }
      decision={(props) => <PixDecision {...props} />}
    />
  );
}
