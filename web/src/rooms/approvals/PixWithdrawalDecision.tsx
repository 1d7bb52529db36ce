import { Button, Checkbox, Stack, Text, TextInput, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyKey } from '@/api/client';
import { useUser } from '@/api/session';
import { upload } from '@/api/upload';
import { useTellDeciding } from '@/live/useDeciding';
import { ApprovalEffect, useApprovalPreview } from '@/ui/ApprovalEffect';
import { CaseNotice } from '@/ui/CaseNotice';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { CopyText } from '@/ui/CopyText';
import { CoverageFact } from '@/ui/CoverageFact';
import { DecisionDrawer } from '@/ui/DecisionDrawer';
import { FileDrop, PROOF_TYPES } from '@/ui/FileDrop';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { ProofViewer } from '@/ui/ProofViewer';
import { StatusBadge } from '@/ui/StatusBadge';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { When } from '@/ui/When';
import { isEndToEndId } from './queue';
import { RemoveDocument } from './RemoveDocument';
import {
  patchWithdrawalQueue,
  refetchWithdrawalQueue,
  toDo,
  type Withdrawal,
  type WithdrawalRow,
  wordOf,
} from './withdrawalQueue';

const MAX_BYTES = 8 * 1024 * 1024;

interface PixWithdrawalDecisionProps {
  row: WithdrawalRow | null;
  /** A colleague who has the same decision open. */
  deciding?: string | undefined;
  onClose: () => void;
}

/** One withdrawal's decision: whose key it is, approve or reject; then the bank's payment with its evidence. */
export function PixWithdrawalDecision({ row, deciding, onClose }: PixWithdrawalDecisionProps) {
  // The last row stays while the drawer slides out.
  const [shown, setShown] = useState<WithdrawalRow | null>(row);
  useEffect(() => {
    if (row) setShown(row);
  }, [row]);
  return (
    shown && (
      <Decision key={shown._id} row={shown} opened={row !== null} deciding={deciding} onClose={onClose} />
    )
  );
}

function Decision({
  row,
  opened,
  deciding,
  onClose,
}: PixWithdrawalDecisionProps & { row: WithdrawalRow; opened: boolean }) {
  const { t } = useTranslation('approvals');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const own = useUser()?._id === row.user;
  const [dialog, setDialog] = useState<'approve' | 'reject' | 'pay' | null>(null);
  const [checked, setChecked] = useState(false);
  const [endToEndId, setEndToEndId] = useState('');
  const [receipt, setReceipt] = useState<File | null>(null);
  const [tried, setTried] = useState(false);
  const idField = useRef<HTMLInputElement>(null);
  const task = toDo(row);
  useTellDeciding('pix-withdrawals', opened && task ? row._id : null);
  // Decided elsewhere: a dialog that could only be refused closes.
  useEffect(() => {
    setDialog((open) => (task === null || (open === 'approve' && task === 'pay') ? null : open));
  }, [task]);

  const settle = (decided: Withdrawal) => {
    patchWithdrawalQueue(decided);
    void refetchWithdrawalQueue();
    return decided;
  };
  const decide = async (
    order: { status: 'approved'; holderChecked: boolean } | { status: 'rejected'; reason: string },
    key: string,
  ) => {
    const decided = settle(
      await body(
        api.PATCH('/admin/withdraw-pix-approve-reject', {
          params: { header: { 'Idempotency-Key': key } },
          body: { id: row._id, ...order },
        }),
      ),
    );
    if (decided.status === 'approved') return toast.success(t(($) => $.withdrawal.approve.done));
    onClose();
    if (decided.status === 'rejected') toast.info(t(($) => $.withdrawal.reject.done));
    else if (decided.status === 'awaiting_confirmation') toast.info(t(($) => $.withdrawal.approve.moved));
    else
      toast.info(
        t(($) => $.withdrawal.approve.half, { given: decided.approvals, needed: decided.approvalsNeeded }),
      );
  };
  const pay = async (key: string) => {
    let paid: Withdrawal;
    if (receipt) {
      const form = new FormData();
      form.append('file', receipt);
      paid = await upload<Withdrawal>({
        path: `/admin/withdraw-pix/${row._id}/receipt`,
        form,
        idempotencyKey: key,
      });
    } else
      paid = await body(
        api.POST('/admin/withdraw-pix/{id}/paid', {
          params: { path: { id: row._id }, header: { 'Idempotency-Key': key } },
          body: { endToEndId },
        }),
      );
    settle(paid);
    onClose();
    toast.success(t(($) => $.withdrawal.pay.done, { amount: format.brl(paid.brl), username: paid.username }));
  };
  const idOk = isEndToEndId(endToEndId);
  const startPayment = () => {
    setTried(true);
    if (idOk || receipt) setDialog('pay');
    else idField.current?.focus();
  };

  const facts = [
    { label: t(($) => $.facts.user), value: `${row.fullName} · @${row.username} · ${row.email}` },
    {
      label: t(($) => $.withdrawal.facts.document),
      value: row.document ?? t(($) => $.withdrawal.facts.noDocument),
    },
    { label: t(($) => $.pix.status), value: <StatusBadge status={wordOf(row)} /> },
    { label: t(($) => $.withdrawal.value), value: <Money value={row.value} digits={6} /> },
    { label: t(($) => $.withdrawal.fee), value: <Money value={row.fee} digits={6} /> },
    { label: t(($) => $.withdrawal.facts.net), value: <Money value={row.net} digits={6} /> },
    { label: t(($) => $.withdrawal.facts.receives), value: <Money value={row.brl} currency="BRL" /> },
    { label: t(($) => $.facts.rate), value: `R$\u00a0${format.decimal(row.rate, 4)}` },
    ...(row.offer
      ? [
          {
            label: t(($) => $.withdrawal.facts.offer),
            value: <Money value={row.offer.brl} currency="BRL" />,
          },
        ]
      : []),
    { label: t(($) => $.withdrawal.key), value: row.key },
    ...(task
      ? [
          {
            label: shell(($) => $.coverage.label),
            value: <CoverageFact kind="pix" id={row._id} enabled={opened} />,
          },
        ]
      : []),
    { label: t(($) => $.withdrawal.facts.asked), value: <When at={row.created_at} /> },
    { label: t(($) => $.facts.member), value: <When at={row.memberSince} /> },
    { label: t(($) => $.withdrawal.facts.before), value: format.count(row.paidBefore) },
    ...(row.paidAt ? [{ label: t(($) => $.withdrawal.facts.paid), value: <When at={row.paidAt} /> }] : []),
    ...(row.endToEndId ? [{ label: 'EndToEndId', value: row.endToEndId }] : []),
    ...(row.reason ? [{ label: t(($) => $.facts.reason), value: row.reason }] : []),
  ];
  const notices = [
    deciding && t(($) => $.pix.deciding, { name: deciding }),
    row.status === 'pending' &&
      row.approvals > 0 &&
      t(($) => $.pix.standing, { given: row.approvals, needed: row.approvalsNeeded }),
  ].filter(Boolean);
  const blocked =
    task === null ? t(($) => $.withdrawal.decided) : own ? t(($) => $.withdrawal.own) : undefined;
  const subject = { kind: 'pix_withdrawal', id: row._id } as const;
  useApprovalPreview(opened && row.status === 'pending' && !own ? subject : null);
  const needsCheck = row.holder !== 'matches';

  return (
    <>
      <DecisionDrawer
        opened={opened}
        onClose={onClose}
        title={t(($) => $.withdrawal.drawer, { amount: format.brl(row.brl) })}
        facts={facts}
        evidence={row.proof ? <ProofViewer file={row.proof} kind={row.proofKind ?? ''} /> : undefined}
        signals={task ? row.signals.map((signal) => t(($) => $.withdrawal.signal[signal])) : []}
        notice={notices.length > 0 ? notices.join(' · ') : undefined}
        approve={{
          label: task === 'pay' ? t(($) => $.withdrawal.pay.label) : t(($) => $.withdrawal.approve.label),
          allowed: blocked === undefined,
          reason: blocked,
          onClick: task === 'pay' ? startPayment : () => setDialog('approve'),
        }}
        reject={{
          label: task === 'pay' ? t(($) => $.withdrawal.reject.failed) : t(($) => $.withdrawal.reject.label),
          allowed: blocked === undefined,
          reason: blocked,
          onClick: () => setDialog('reject'),
        }}
      >
        <CaseNotice note={row.case} />
        {task && !own && <WholeKey id={row._id} />}
        {row.document && !own && <RemoveDocument row={row} />}
        {task === 'pay' && !own && (
          <Stack gap="sm" component="section" aria-labelledby="payment">
            <Title order={3} fz={15} id="payment">
              {t(($) => $.withdrawal.pay.title)}
            </Title>
            <Text fz="sm" c="dimmed">
              {t(($) => $.withdrawal.pay.text, { amount: format.brl(row.brl) })}
            </Text>
            <TextInput
              ref={idField}
              label={t(($) => $.claim.endToEndId)}
              description={t(($) => $.claim.endToEndIdHint)}
              value={endToEndId}
              onChange={(event) => setEndToEndId(event.currentTarget.value.trim())}
              error={tried && !idOk && !receipt ? t(($) => $.withdrawal.pay.missing) : undefined}
              maxLength={32}
              autoComplete="off"
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            />
            <FileDrop
              label={t(($) => $.withdrawal.pay.receipt)}
              value={receipt}
              onChange={setReceipt}
              accept={PROOF_TYPES}
              maxBytes={MAX_BYTES}
            />
          </Stack>
        )}
      </DecisionDrawer>
      <ConfirmDialog
        opened={dialog === 'approve'}
        onClose={() => setDialog(null)}
        title={t(($) => $.withdrawal.approve.title)}
        facts={[
          { label: t(($) => $.facts.user), value: `@${row.username}` },
          { label: t(($) => $.withdrawal.value), value: <Money value={row.value} digits={6} /> },
          { label: t(($) => $.withdrawal.facts.receives), value: <Money value={row.brl} currency="BRL" /> },
          { label: t(($) => $.withdrawal.key), value: row.key },
        ]}
        consequence={<ApprovalEffect subject={subject} once={t(($) => $.withdrawal.approve.consequence)} />}
        ready={!needsCheck || checked}
        confirmLabel={t(($) => $.withdrawal.approve.label)}
        onConfirm={({ idempotencyKey: key }) =>
          decide({ status: 'approved', holderChecked: needsCheck }, key)
        }
      >
        {needsCheck && (
          <Checkbox
            checked={checked}
            onChange={(event) => setChecked(event.currentTarget.checked)}
            label={t(($) => $.withdrawal.approve.checked, { name: row.fullName })}
          />
        )}
      </ConfirmDialog>
      <ConfirmDialog
        opened={dialog === 'pay'}
        onClose={() => setDialog(null)}
        title={t(($) => $.withdrawal.pay.confirm)}
        facts={[
          { label: t(($) => $.facts.user), value: `@${row.username}` },
          { label: t(($) => $.withdrawal.facts.receives), value: <Money value={row.brl} currency="BRL" /> },
          receipt
            ? { label: t(($) => $.withdrawal.pay.receipt), value: receipt.name }
            : { label: t(($) => $.claim.endToEndId), value: endToEndId },
        ]}
        consequence={t(($) => $.withdrawal.pay.consequence)}
        confirmLabel={t(($) => $.withdrawal.pay.label)}
        onConfirm={({ idempotencyKey: key }) => pay(key)}
      />
      <ConfirmDialog
        opened={dialog === 'reject'}
        onClose={() => setDialog(null)}
        title={t(($) => $.withdrawal.reject.title)}
        facts={[
          { label: t(($) => $.facts.user), value: `@${row.username}` },
          { label: t(($) => $.withdrawal.value), value: <Money value={row.value} digits={6} /> },
        ]}
        consequence={t(($) => $.withdrawal.reject.consequence)}
        reason={{ label: t(($) => $.withdrawal.reject.reason), required: true }}
        confirmLabel={t(($) => $.withdrawal.reject.label)}
        danger
        onConfirm={({ idempotencyKey: key, reason }) => decide({ status: 'rejected', reason }, key)}
      />
    </>
  );
}

/** The key is personal: it is asked for, and the asking is on record. */
function WholeKey({ id }: { id: string }) {
  const { t } = useTranslation('approvals');
  const errorText = useErrorText();
  const [key, setKey] = useState<{ key: string; plain: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const show = async () => {
    setBusy(true);
    setError(null);
    try {
      setKey(
        await body(
          api.POST('/admin/withdraw-pix/{id}/key', {
            params: { path: { id } },
            headers: { 'Idempotency-Key': idempotencyKey() },
          }),
        ),
      );
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  if (key)
    return (
      <div>
        <Text fz="sm" c="dimmed">
          {t(($) => $.withdrawal.key_.label)}
        </Text>
        <Text fw={600} className="num" style={{ overflowWrap: 'anywhere' }} data-testid="whole-key">
          {key.key} <CopyText value={key.plain} label={t(($) => $.withdrawal.key_.label)} />
        </Text>
      </div>
    );
  return (
    <div>
      <Button variant="default" size="xs" onClick={() => void show()} loading={busy}>
        {t(($) => $.withdrawal.key_.show)}
      </Button>
      <Text fz="xs" c="dimmed" mt={4}>
        {t(($) => $.withdrawal.key_.hint)}
      </Text>
      {error !== null && (
        <Text fz="sm" c="red" role="alert">
          {errorText(error)}
        </Text>
      )}
    </div>
  );
}
