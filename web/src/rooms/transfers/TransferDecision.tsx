import { Anchor } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { QUEUES } from '@/api/queues';
import { screenAt } from '@/api/screens';
import { useUser } from '@/api/session';
import { useTellDeciding } from '@/live/useDeciding';
import { ApprovalEffect, useApprovalPreview } from '@/shared/decisions/ApprovalEffect';
import { DecisionDrawer } from '@/shared/decisions/DecisionDrawer';
import { LastRow, useDecisionNotice } from '@/shared/decisions/LastRow';
import { MemberName } from '@/shared/network/MemberName';
import { PersonHandle } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { decideTransfer, type ReportRow } from './reportQueue';

interface TransferDecisionProps {
  row: ReportRow | null;
  /** A colleague who has the same decision open. */
  deciding?: string | undefined;
  onClose: () => void;
}

/** One held transfer: who pays whom, why it waits, release or reject. */
export function TransferDecision({ row, deciding, onClose }: TransferDecisionProps) {
  return (
    <LastRow row={row}>
      {(shown, opened) => (
        <Decision key={shown._id} row={shown} opened={opened} deciding={deciding} onClose={onClose} />
      )}
    </LastRow>
  );
}

function Decision({
  row,
  opened,
  deciding,
  onClose,
}: TransferDecisionProps & { row: ReportRow; opened: boolean }) {
  const { t } = useTranslation('transfers');
  const format = useFormat();
  const me = useUser()?._id;
  const own = me === row.origin._id || me === row.destination._id;
  const waits = row.status === 'pending';
  const [dialog, setDialog] = useState<'release' | 'reject' | null>(null);
  useTellDeciding(QUEUES.transfers, opened && waits ? row._id : null);
  // Decided elsewhere: a dialog that could only be refused closes.
  useEffect(() => {
    if (!waits) setDialog(null);
  }, [waits]);
  const decide = async (approve: boolean, reason: string, key: string) => {
    const decided = await decideTransfer({ id: row._id, approve, ...(!approve && { reason }) }, key);
    onClose();
    toast.success(t(($) => $.report.decided[decided.status]));
  };
  const blocked = !waits ? t(($) => $.report.over) : own ? t(($) => $.report.own) : undefined;
  const subject = { kind: 'transfer', id: row._id } as const;
  const preview = useApprovalPreview(opened && waits && !own ? subject : null);
  const standing = t(($) => $.report.standing, {
    given: row.approvals,
    needed: preview.data?.needed ?? row.approvalsNeeded,
  });
  const notice = useDecisionNotice()({
    deciding,
    waits,
    given: row.approvals,
    needed: preview.data?.needed ?? row.approvalsNeeded,
  });
  const people = [
    { label: t(($) => $.list.from), value: <MemberName username={row.origin.username} /> },
    { label: t(($) => $.list.to), value: <MemberName username={row.destination.username} /> },
    { label: t(($) => $.list.value), value: <Money value={row.value} digits={6} /> },
  ];
  return (
    <>
      <DecisionDrawer
        opened={opened}
        onClose={onClose}
        title={t(($) => $.report.drawer, { amount: format.usdt(row.value) })}
        facts={[
          {
            label: t(($) => $.list.from),
            value: <PersonHandle id={row.origin._id} username={row.origin.username} />,
          },
          {
            label: t(($) => $.list.to),
            value: <PersonHandle id={row.destination._id} username={row.destination.username} />,
          },
          { label: t(($) => $.list.value), value: <Money value={row.value} digits={6} /> },
          { label: t(($) => $.send.feeLabel), value: <Money value={row.fee} digits={6} /> },
          { label: t(($) => $.list.date), value: <When at={row.created_at} /> },
          {
            label: t(($) => $.list.status),
            value: <StatusBadge status={waits ? 'pending_approval' : row.status} />,
          },
          ...(waits ? [{ label: t(($) => $.report.approvals), value: standing }] : []),
          ...(row.case
            ? [
                {
                  label: t(($) => $.report.case),
                  value: (
                    <Anchor
                      component={Link}
                      to={screenAt(QUEUES.compliance, { tab: 'all', search: row.case })}
                      fz="sm"
                    >
                      {t(($) => $.report.openCase)}
                    </Anchor>
                  ),
                },
              ]
            : []),
          ...(row.reason ? [{ label: t(($) => $.report.reason), value: row.reason }] : []),
        ]}
        signals={row.signals.map((name) => t(($) => $.signals[name as 'amount']))}
        notice={notice}
        word={waits && !own && row.approvals > 0 ? subject : null}
        approve={{
          label: t(($) => $.report.release),
          allowed: blocked === undefined,
          reason: blocked,
          onClick: () => setDialog('release'),
        }}
        reject={{
          label: t(($) => $.report.reject),
          allowed: blocked === undefined,
          reason: blocked,
          onClick: () => setDialog('reject'),
        }}
      />
      <ConfirmDialog
        opened={dialog === 'release'}
        onClose={() => setDialog(null)}
        title={t(($) => $.report.releaseTitle)}
        facts={people}
        consequence={<ApprovalEffect subject={subject} once={t(($) => $.report.releaseNote)} />}
        confirmLabel={t(($) => $.report.release)}
        onConfirm={({ idempotencyKey }) => decide(true, '', idempotencyKey)}
      />
      <ConfirmDialog
        opened={dialog === 'reject'}
        onClose={() => setDialog(null)}
        title={t(($) => $.report.rejectTitle)}
        facts={people}
        consequence={t(($) => $.report.rejectNote)}
        reason={{ label: t(($) => $.report.reason), required: true }}
        confirmLabel={t(($) => $.report.reject)}
        danger
        onConfirm={({ idempotencyKey, reason }) => decide(false, reason, idempotencyKey)}
      />
    </>
  );
}
