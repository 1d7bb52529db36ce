import { Anchor } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api, body } from '@/api/client';
import { useUser } from '@/api/session';
import { useTellDeciding } from '@/live/useDeciding';
import { ApprovalEffect, useApprovalPreview } from '@/ui/ApprovalEffect';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { DecisionDrawer } from '@/ui/DecisionDrawer';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { StatusBadge } from '@/ui/StatusBadge';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { patchReport, type ReportRow, refetchReport } from './reportQueue';

interface TransferDecisionProps {
  row: ReportRow | null;
  /** A colleague who has the same decision open. */
  deciding?: string | undefined;
  onClose: () => void;
}

/** One held transfer: who pays whom, why it waits, release or reject. */
export function TransferDecision({ row, deciding, onClose }: TransferDecisionProps) {
  // The last row stays while the drawer slides out.
  const [shown, setShown] = useState<ReportRow | null>(row);
  useEffect(() => {
    if (row) setShown(row);
  }, [row]);
  return (
    shown && (
      <Decision key={shown._id} row={shown} opened={row !== null} deciding={deciding} onClose={onClose} />
    )
  );
}

/** Sends one decision; the bulk uses it as well. */
export async function decideTransfer(
  row: ReportRow,
  order: { approve: boolean; reason?: string },
  key: string,
) {
  const decided = await body(
    api.PATCH('/admin/transfers-approve-reject', {
      params: { header: { 'Idempotency-Key': key } },
      body: { id: row._id, ...order },
    }),
  );
  patchReport(decided);
  return decided;
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
  useTellDeciding('transfers', opened && waits ? row._id : null);
  // Decided elsewhere: a dialog that could only be refused closes.
  useEffect(() => {
    if (!waits) setDialog(null);
  }, [waits]);
  const decide = async (approve: boolean, reason: string, key: string) => {
    const decided = await decideTransfer(row, { approve, ...(!approve && { reason }) }, key);
    void refetchReport();
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
  const notices = [
    deciding && t(($) => $.report.deciding, { name: deciding }),
    waits && row.approvals > 0 && standing,
  ].filter(Boolean);
  const people = [
    { label: t(($) => $.list.from), value: `@${row.origin.username}` },
    { label: t(($) => $.list.to), value: `@${row.destination.username}` },
    { label: t(($) => $.list.value), value: <Money value={row.value} digits={6} /> },
  ];
  return (
    <>
      <DecisionDrawer
        opened={opened}
        onClose={onClose}
        title={t(($) => $.report.drawer, { amount: format.usdt(row.value) })}
        facts={[
          ...people,
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
                    <Anchor component={Link} to={`/compliance-cases?tab=all&search=${row.case}`} fz="sm">
                      {t(($) => $.report.openCase)}
                    </Anchor>
                  ),
                },
              ]
            : []),
          ...(row.reason ? [{ label: t(($) => $.report.reason), value: row.reason }] : []),
        ]}
        signals={row.signals.map((name) => t(($) => $.signals[name as 'amount']))}
        notice={notices.length > 0 ? notices.join(' · ') : undefined}
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
