import { Group } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QUEUES } from '@/api/queues';
import { useUser } from '@/api/session';
import { inFours } from '@/live/chain/address';
import { currencyOf, fromWei } from '@/live/chain/deposits';
import { useTellDeciding } from '@/live/useDeciding';
import { ApprovalEffect, useApprovalPreview } from '@/shared/decisions/ApprovalEffect';
import { CaseNotice } from '@/shared/decisions/CaseNotice';
import { CoverageFact } from '@/shared/decisions/CoverageFact';
import { DecisionDrawer } from '@/shared/decisions/DecisionDrawer';
import { LastRow, useDecisionNotice } from '@/shared/decisions/LastRow';
import { MemberName } from '@/shared/network/MemberName';
import { PersonFact } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { CopyText } from '@/ui/CopyText';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { Value } from './Value';
import { decideWithdrawal, staffWord, toDo, type WithdrawalRow } from './withdrawals';

interface PayoutDecisionProps {
  row: WithdrawalRow | null;
  /** A colleague who has the same decision open. */
  deciding?: string | undefined;
  onClose: () => void;
}

/** One withdrawal's decision: approve or reject; of what the chain refused: again, or back. */
export function PayoutDecision({ row, deciding, onClose }: PayoutDecisionProps) {
  return (
    <LastRow row={row}>
      {(shown, opened) => (
        <Decision key={shown._id} row={shown} opened={opened} deciding={deciding} onClose={onClose} />
      )}
    </LastRow>
  );
}

type Order =
  | { status: 'approved'; amount: string }
  | { status: 'retry' }
  | { status: 'rejected'; reason: string };

function Decision({
  row,
  opened,
  deciding,
  onClose,
}: PayoutDecisionProps & { row: WithdrawalRow; opened: boolean }) {
  const { t } = useTranslation('withdrawals');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const own = useUser()?._id === row.user;
  const [dialog, setDialog] = useState<'approve' | 'reject' | null>(null);
  /** What stood there when the dialog was opened. */
  const [seen, setSeen] = useState(row.amount);
  const task = toDo(row);
  useTellDeciding(QUEUES.cryptoWithdrawals, opened && task ? row._id : null);
  // Decided elsewhere: a dialog that could only be refused closes.
  useEffect(() => {
    setDialog((open) => (task === null || (open === 'approve' && task === 'stop') ? null : open));
  }, [task]);

  const decide = async (order: Order, key: string) => {
    const decided = await decideWithdrawal({ id: row._id, ...order }, key);
    onClose();
    if (decided.status === 'rejected') toast.info(t(($) => $.decide.rejected));
    else if (decided.status === 'awaiting_confirmation') toast.info(t(($) => $.decide.moved));
    else if (decided.status === 'approved') toast.success(t(($) => $.decide.approved));
    else toast.info(t(($) => $.decide.half, { given: decided.approvals, needed: decided.approvalsNeeded }));
  };

  const valueLabel = row.coin === 'pyx' ? t(($) => $.form.valuePyx) : t(($) => $.form.value);
  const receives = (
    <Money value={fromWei(row.amount)} currency={currencyOf(row.coin)} digits={row.coin === 'bnb' ? 8 : 6} />
  );
  const address = (
    <Group gap={4} wrap="nowrap">
      <span className="num" translate="no">
        {inFours(row.address)}
      </span>
      <CopyText value={row.address} label={t(($) => $.list.copyAddress)} />
    </Group>
  );
  const facts = [
    { label: t(($) => $.queue.user), value: <PersonFact person={row} more={row.email} /> },
    { label: t(($) => $.list.status), value: <StatusBadge status={staffWord(row)} /> },
    { label: valueLabel, value: <Value of={row} /> },
    { label: t(($) => $.form.fee), value: <Money value={row.fee} digits={6} /> },
    row.coin === 'pyx'
      ? { label: t(($) => $.decide.worth), value: <Money value={row.value} digits={6} /> }
      : { label: t(($) => $.form.net), value: <Money value={row.net} digits={6} /> },
    { label: t(($) => $.decide.receives), value: receives },
    ...(row.coin === 'usdt'
      ? []
      : [
          {
            label: t(($) => $.details.rate),
            value: t(($) => $.details.rateOf, {
              coin: row.coin.toUpperCase(),
              usdt: format.decimal(row.rate, 4),
            }),
          },
        ]),
    { label: t(($) => $.form.address), value: address },
    ...(task
      ? [
          {
            label: shell(($) => $.coverage.label),
            value: <CoverageFact kind="crypto" id={row._id} enabled={opened} />,
          },
        ]
      : []),
    ...(row.transaction
      ? [
          {
            label: t(($) => $.list.hash),
            value: (
              <Group gap={4} wrap="nowrap">
                <span className="num" translate="no">
                  {row.transaction}
                </span>
                <CopyText value={row.transaction} label={t(($) => $.list.copyHash)} />
              </Group>
            ),
          },
        ]
      : []),
    ...(row.block !== null && row.block !== undefined
      ? [{ label: t(($) => $.details.block), value: format.count(row.block) }]
      : []),
    { label: t(($) => $.details.created), value: <When at={row.created_at} /> },
    { label: t(($) => $.decide.member), value: <When at={row.memberSince} /> },
    { label: t(($) => $.decide.before), value: format.count(row.paidBefore) },
    ...(row.completedAt
      ? [{ label: t(($) => $.details.completed), value: <When at={row.completedAt} /> }]
      : []),
    ...(row.reason ? [{ label: t(($) => $.details.reason), value: row.reason }] : []),
  ];
  const notice = useDecisionNotice()({
    deciding,
    waits: row.status === 'pending',
    given: row.approvals,
    needed: row.approvalsNeeded,
    also: [
      row.status === 'failed' && t(($) => $.decide.failed),
      row.status === 'approved' && t(($) => $.decide.queued),
    ],
  });
  const blocked = task === null ? t(($) => $.decide.done) : own ? t(($) => $.decide.own) : undefined;
  const subject = { kind: 'crypto_withdrawal', id: row._id } as const;
  useApprovalPreview(opened && row.status === 'pending' && !own ? subject : null);
  const mayApprove = blocked ?? (task === 'stop' ? t(($) => $.decide.done) : undefined);
  const failed = task === 'failed';

  return (
    <>
      <DecisionDrawer
        opened={opened}
        onClose={onClose}
        title={t(($) => $.decide.title, {
          amount:
            row.coin === 'pyx' ? `${format.decimal(fromWei(row.amount), 6)} PYX` : format.usdt(row.value),
        })}
        facts={facts}
        signals={task ? row.signals.map((signal) => t(($) => $.queue.signal[signal])) : []}
        notice={notice}
        word={row.status === 'pending' && !own && row.approvals > 0 ? subject : null}
        approve={{
          label: failed ? t(($) => $.decide.retry) : t(($) => $.decide.approve),
          allowed: mayApprove === undefined,
          reason: mayApprove,
          onClick: () => {
            setSeen(row.amount);
            setDialog('approve');
          },
        }}
        reject={{
          label: failed ? t(($) => $.decide.giveBack) : t(($) => $.decide.reject),
          allowed: blocked === undefined,
          reason: blocked,
          onClick: () => setDialog('reject'),
        }}
      >
        <CaseNotice note={row.case} />
      </DecisionDrawer>
      <ConfirmDialog
        opened={dialog === 'approve'}
        onClose={() => setDialog(null)}
        title={failed ? t(($) => $.decide.retryTitle) : t(($) => $.decide.approveTitle)}
        facts={[
          { label: t(($) => $.queue.user), value: <MemberName username={row.username} /> },
          { label: valueLabel, value: <Value of={row} /> },
          { label: t(($) => $.decide.receives), value: receives },
          {
            label: t(($) => $.form.address),
            value: (
              <span className="num" translate="no">
                {inFours(row.address)}
              </span>
            ),
          },
        ]}
        consequence={
          failed ? (
            t(($) => $.decide.retryHint)
          ) : (
            <ApprovalEffect subject={subject} once={t(($) => $.decide.approveHint)} />
          )
        }
        confirmLabel={failed ? t(($) => $.decide.retry) : t(($) => $.decide.approve)}
        onConfirm={({ idempotencyKey: key }) =>
          decide(failed ? { status: 'retry' } : { status: 'approved', amount: seen }, key)
        }
      />
      <ConfirmDialog
        opened={dialog === 'reject'}
        onClose={() => setDialog(null)}
        title={failed ? t(($) => $.decide.giveBackTitle) : t(($) => $.decide.rejectTitle)}
        facts={[
          { label: t(($) => $.queue.user), value: <MemberName username={row.username} /> },
          { label: valueLabel, value: <Value of={row} /> },
        ]}
        consequence={t(($) => $.decide.rejectHint)}
        reason={{ label: t(($) => $.decide.reason), required: true }}
        confirmLabel={failed ? t(($) => $.decide.giveBack) : t(($) => $.decide.reject)}
        danger
        onConfirm={({ idempotencyKey: key, reason }) => decide({ status: 'rejected', reason }, key)}
      />
    </>
  );
}
