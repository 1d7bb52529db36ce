import { Button, Checkbox, Stack, Text, TextInput, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { QUEUES } from '@/api/queues';
import { useUser } from '@/api/session';
import { useTellDeciding } from '@/live/useDeciding';
import { ApprovalEffect, useApprovalPreview } from '@/shared/decisions/ApprovalEffect';
import { CaseNotice } from '@/shared/decisions/CaseNotice';
import { CoverageFact } from '@/shared/decisions/CoverageFact';
import { DecisionDrawer } from '@/shared/decisions/DecisionDrawer';
import { LastRow, useDecisionNotice } from '@/shared/decisions/LastRow';
import { MemberName } from '@/shared/network/MemberName';
import { ProofViewer } from '@/shared/payments/ProofViewer';
import { PersonFact } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { CopyText } from '@/ui/CopyText';
import { FileDrop, PROOF_TYPES } from '@/ui/FileDrop';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { When } from '@/ui/When';
import { isEndToEndId } from './queue';
import { RemoveDocument } from './RemoveDocument';
import { decideWithdrawal, payWithdrawal, toDo, type WithdrawalRow, wordOf } from './withdrawalQueue';

const MAX_BYTES = 8 * 1024 * 1024;

interface PixWithdrawalDecisionProps {
  row: WithdrawalRow | null;
  /** A colleague who has the same decision open. */
  deciding?: string | undefined;
  onClose: () => void;
}

/** One withdrawal's decision: whose key it is, approve or reject; then the bank's payment with its evidence. */
export function PixWithdrawalDecision({ row, deciding, onClose }: PixWithdrawalDecisionProps) {
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
}: PixWithdrawalDecisionProps & { row: WithdrawalRow; opened: boolean }) {
  const { t } = useTranslation('approvals');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const own = useUser()?._id === row.user;
  const [dialog, setDialog] = useState<'approve' | 'reject' | 'pay' | null>(null);
  /** What stood there when the dialog was opened. */
  const [seen, setSeen] = useState(row.brl);
  const [checked, setChecked] = useState(false);
  const [endToEndId, setEndToEndId] = useState('');
  const [receipt, setReceipt] = useState<File | null>(null);
  const [tried, setTried] = useState(false);
  const idField = useRef<HTMLInputElement>(null);
  const task = toDo(row);
  useTellDeciding(QUEUES.pixWithdrawals, opened && task ? row._id : null);
  // Decided elsewhere: a dialog that could only be refused closes.
  useEffect(() => {
    setDialog((open) => (task === null || (open === 'approve' && task === 'pay') ? null : open));
  }, [task]);

  const decide = async (
    order:
      | { status: 'approved'; holderChecked: boolean; brl: string }
      | { status: 'rejected'; reason: string },
    key: string,
  ) => {
    const decided = await decideWithdrawal({ id: row._id, ...order }, key);
    if (order.status === 'rejected' && decided.status === 'approved') {
      onClose();
      return toast.info(t(($) => $.withdrawal.reject.half));
    }
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
    const paid = await payWithdrawal({ id: row._id, proof: receipt ?? endToEndId }, key);
    onClose();
    toast.success(t(($) => $.withdrawal.pay.done, { amount: format.brl(paid.brl), username: paid.username }));
  };
  const startApproval = () => {
    setSeen(row.brl);
    setDialog('approve');
  };
  const idOk = isEndToEndId(endToEndId);
  const startPayment = () => {
    setTried(true);
    if (idOk || receipt) setDialog('pay');
    else idField.current?.focus();
  };

  const facts = [
    { label: t(($) => $.facts.user), value: <PersonFact person={row} more={row.email} /> },
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
  const notice = useDecisionNotice()({
    deciding,
    waits: row.status === 'pending',
    given: row.approvals,
    needed: row.approvalsNeeded,
  });
  const blocked =
    task === null ? t(($) => $.withdrawal.decided) : own ? t(($) => $.withdrawal.own) : undefined;
  const subject = { kind: 'pix_withdrawal', id: row._id } as const;
  useApprovalPreview(opened && row.status === 'pending' && !own ? subject : null);
  // That an approved one was not paid: where others have seen its key, one's own word is not enough.
  const unpaid = { kind: 'pix_unpaid', id: row._id } as const;
  const asked = useApprovalPreview(opened && task === 'pay' && !own ? unpaid : null);
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
        notice={notice}
        word={own ? null : task === 'pay' ? unpaid : row.approvals > 0 && task === 'decide' ? subject : null}
        approve={{
          label: task === 'pay' ? t(($) => $.withdrawal.pay.label) : t(($) => $.withdrawal.approve.label),
          allowed: blocked === undefined,
          reason: blocked,
          onClick: task === 'pay' ? startPayment : startApproval,
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
          { label: t(($) => $.facts.user), value: <MemberName username={row.username} /> },
          { label: t(($) => $.withdrawal.value), value: <Money value={row.value} digits={6} /> },
          { label: t(($) => $.withdrawal.facts.receives), value: <Money value={row.brl} currency="BRL" /> },
          { label: t(($) => $.withdrawal.key), value: row.key },
        ]}
        consequence={<ApprovalEffect subject={subject} once={t(($) => $.withdrawal.approve.consequence)} />}
        ready={!needsCheck || checked}
        confirmLabel={t(($) => $.withdrawal.approve.label)}
        onConfirm={({ idempotencyKey: key }) =>
          decide({ status: 'approved', holderChecked: needsCheck, brl: seen }, key)
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
          { label: t(($) => $.facts.user), value: <MemberName username={row.username} /> },
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
          { label: t(($) => $.facts.user), value: <MemberName username={row.username} /> },
          { label: t(($) => $.withdrawal.value), value: <Money value={row.value} digits={6} /> },
        ]}
        consequence={
          task === 'pay' ? (
            <>
              {(asked.data?.needed ?? 1) > 1 && <span>{`${t(($) => $.withdrawal.reject.seen)} `}</span>}
              <ApprovalEffect subject={unpaid} once={t(($) => $.withdrawal.reject.consequence)} />
            </>
          ) : (
            t(($) => $.withdrawal.reject.consequence)
          )
        }
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
  const { busy, failure, run } = useSubmit(
    (_: null, order) =>
      body(
        api.POST('/admin/withdraw-pix/{id}/key', {
          params: { path: { id } },
          headers: { 'Idempotency-Key': order },
        }),
      ),
    setKey,
  );
  if (key)
    return (
      <div>
        <Text fz="sm" c="dimmed">
          {t(($) => $.withdrawal.key_.label)}
        </Text>
        <Text
          fw={600}
          className="num"
          style={{ overflowWrap: 'anywhere' }}
          translate="no"
          data-testid="whole-key"
        >
          {key.key} <CopyText value={key.plain} label={t(($) => $.withdrawal.key_.label)} />
        </Text>
      </div>
    );
  return (
    <div>
      <Button variant="default" size="xs" onClick={() => void run(null)} loading={busy}>
        {t(($) => $.withdrawal.key_.show)}
      </Button>
      <Text fz="xs" c="dimmed" mt={4}>
        {t(($) => $.withdrawal.key_.hint)}
      </Text>
      {failure && (
        <Text fz="sm" c="red" role="alert">
          {errorText(failure.error)}
        </Text>
      )}
    </div>
  );
}
