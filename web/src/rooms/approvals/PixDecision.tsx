import { Button, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QUEUES } from '@/api/queues';
import { useUser } from '@/api/session';
import { useTellDeciding } from '@/live/useDeciding';
import { ApprovalEffect, useApprovalPreview } from '@/shared/decisions/ApprovalEffect';
import { CaseNotice } from '@/shared/decisions/CaseNotice';
import { DecisionDrawer } from '@/shared/decisions/DecisionDrawer';
import { LastRow, useDecisionNotice } from '@/shared/decisions/LastRow';
import { TakeBack } from '@/shared/decisions/TakeBack';
import { MemberName } from '@/shared/network/MemberName';
import { ProofViewer } from '@/shared/payments/ProofViewer';
import { PersonFact } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { divide, isPositive } from '@/ui/money';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { decideDeposit, isEndToEndId, paidAt, type QueueRow, reverseDeposit } from './queue';

interface PixDecisionProps {
  row: QueueRow | null;
  /** A colleague who has the same decision open. */
  deciding?: string | undefined;
  onClose: () => void;
}

/** One deposit's decision: the proof beside the claim, what the statement says, approve or reject. */
export function PixDecision({ row, deciding, onClose }: PixDecisionProps) {
  return (
    <LastRow row={row}>
      {(shown, opened) => (
        <Decision key={shown._id} row={shown} opened={opened} deciding={deciding} onClose={onClose} />
      )}
    </LastRow>
  );
}

function Decision({ row, opened, deciding, onClose }: PixDecisionProps & { row: QueueRow; opened: boolean }) {
  const { t } = useTranslation('approvals');
  const format = useFormat();
  const me = useUser();
  const own = me?._id === row.user;
  const asked = row.reversalAskedBy ?? null;
  const [endToEndId, setEndToEndId] = useState(row.claim?.endToEndId ?? row.statement?.endToEndId ?? '');
  const [payer, setPayer] = useState(row.claim?.payerName ?? row.statement?.payerName ?? '');
  const [brl, setBrl] = useState(row.claim?.brl ?? row.statement?.brl ?? row.brl);
  const [dialog, setDialog] = useState<'approve' | 'reject' | 'reverse' | null>(null);
  const [checked, setChecked] = useState(false);
  const idField = useRef<HTMLInputElement>(null);
  const payerField = useRef<HTMLInputElement>(null);
  const waits = row.status === 'pending_approval';
  useTellDeciding(QUEUES.pixDeposits, opened && waits ? row._id : null);
  // Decided elsewhere: a dialog that could only be refused closes.
  useEffect(() => {
    if (!waits) setDialog((open) => (open === 'reverse' ? open : null));
  }, [waits]);

  const idOk = isEndToEndId(endToEndId);
  const payerOk = payer.trim() !== '';
  const amountOk = brl !== '' && isPositive(brl);
  const late = idOk && paidAt(endToEndId) > Date.parse(row.rateLockedUntil);
  const usdt = amountOk
    ? row.claim?.brl === brl && row.claim.endToEndId === endToEndId.trim()
      ? row.claim.usdt
      : divide(brl, row.rate, 6, 'down')
    : null;
  const startApproval = () => {
    setChecked(true);
    if (!idOk) return idField.current?.focus();
    if (!payerOk) return payerField.current?.focus();
    if (amountOk) setDialog('approve');
  };
  const decide = async (
    order:
      | { status: 'approved'; endToEndId: string; payerName: string; brl: string }
      | { status: 'rejected'; reason: string },
    key: string,
  ) => {
    const decided = await decideDeposit({ id: row._id, ...order }, key);
    onClose();
    if (decided.status === 'approved')
      toast.success(
        t(($) => $.approve.done, {
          usdt: format.usdt(decided.credited ?? decided.usdt),
          username: decided.username,
        }),
      );
    else if (decided.status === 'rejected') toast.info(t(($) => $.reject.done));
    else if (decided.approvals === row.approvals) toast.info(t(($) => $.approve.looked));
    else toast.info(t(($) => $.approve.half, { given: decided.approvals, needed: decided.approvalsNeeded }));
  };

  const reverse = async (reason: string, key: string) => {
    const reversed = await reverseDeposit({ id: row._id, reason }, key);
    onClose();
    if (reversed.reversed)
      toast.success(t(($) => $.reverse.done, { usdt: format.usdt(reversed.credited ?? reversed.usdt) }));
    else toast.info(t(($) => $.reverse.half));
  };

  // What is typed may credit something else than what was asked for.
  const subject = { kind: 'pix_deposit', id: row._id, ...(usdt && { usdt }) } as const;
  useApprovalPreview(opened && waits && !own ? subject : null);

  const facts = [
    { label: t(($) => $.facts.user), value: <PersonFact person={row} more={row.email} /> },
    { label: t(($) => $.pix.status), value: <StatusBadge status={row.reversed ? 'reversed' : row.status} /> },
    { label: t(($) => $.facts.asked), value: <Money value={row.brl} currency="BRL" /> },
    { label: t(($) => $.facts.credit), value: <Money value={row.credited ?? row.usdt} digits={6} /> },
    { label: t(($) => $.facts.rate), value: `R$\u00a0${format.decimal(row.rate, 4)}` },
    { label: t(($) => $.facts.code), value: row.txid },
    { label: t(($) => $.facts.created), value: <When at={row.created_at} /> },
    ...(row.waitingSince ? [{ label: t(($) => $.facts.sent), value: <When at={row.waitingSince} /> }] : []),
    { label: t(($) => $.facts.member), value: <When at={row.memberSince} /> },
    { label: t(($) => $.facts.before), value: format.count(row.approvedBefore) },
    ...(row.claim ? [{ label: t(($) => $.facts.by), value: row.claim.by }] : []),
    ...(row.brlReceived
      ? [{ label: t(($) => $.facts.received), value: <Money value={row.brlReceived} currency="BRL" /> }]
      : []),
    ...(row.reason ? [{ label: t(($) => $.facts.reason), value: row.reason }] : []),
  ];
  const notice = useDecisionNotice()({
    deciding,
    waits,
    given: row.approvals,
    needed: row.approvalsNeeded,
  });
  const blocked = !waits ? t(($) => $.pix.decided) : own ? t(($) => $.approve.own) : undefined;
  // The case comes first; a refused one leaves only the rejection.
  const held =
    row.case?.status === 'open'
      ? t(($) => $.approve.caseOpen)
      : row.case?.status === 'refused'
        ? t(($) => $.approve.caseRefused)
        : undefined;

  const claim = waits && (
    <Stack gap="sm" component="section" aria-labelledby="claim">
      <Title order={3} fz={15} id="claim">
        {t(($) => $.claim.title)}
      </Title>
      <TextInput
        ref={idField}
        label={t(($) => $.claim.endToEndId)}
        description={t(($) => $.claim.endToEndIdHint)}
        value={endToEndId}
        onChange={(event) => setEndToEndId(event.currentTarget.value.trim())}
        error={checked && !idOk ? t(($) => $.claim.endToEndIdBad) : undefined}
        maxLength={32}
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        required
      />
      <TextInput
        ref={payerField}
        label={t(($) => $.claim.payer)}
        value={payer}
        onChange={(event) => setPayer(event.currentTarget.value)}
        error={checked && !payerOk ? t(($) => $.claim.payerBad) : undefined}
        maxLength={140}
        autoComplete="off"
        required
      />
      <MoneyInput
        label={t(($) => $.claim.brl)}
        currency="BRL"
        value={brl}
        onChange={setBrl}
        required
        description={late ? t(($) => $.claim.late) : undefined}
      />
    </Stack>
  );

  return (
    <>
      <DecisionDrawer
        opened={opened}
        onClose={onClose}
        title={t(($) => $.pix.drawer, { amount: format.brl(row.brl) })}
        facts={facts}
        evidence={
          <SimpleGrid cols={{ base: 1, sm: waits ? 2 : 1 }} spacing="lg">
            {row.proof && <ProofViewer file={row.proof} kind={row.proofKind ?? ''} />}
            {claim}
          </SimpleGrid>
        }
        signals={row.signals.map((signal) => t(($) => $.signal[signal]))}
        notice={notice}
        word={waits && !own && row.approvals > 0 ? { kind: 'pix_deposit', id: row._id } : null}
        approve={{
          label: t(($) => $.approve.label),
          allowed: blocked === undefined && held === undefined,
          reason: blocked ?? held,
          onClick: startApproval,
        }}
        reject={{
          label: t(($) => $.reject.label),
          allowed: blocked === undefined,
          reason: blocked,
          onClick: () => setDialog('reject'),
        }}
      >
        <CaseNotice note={row.case} first />
        {row.status === 'approved' && !row.reversed && !own && (
          <div>
            {asked === me?.username ? (
              <TakeBack kind="pix_reversal" id={row._id} />
            ) : (
              <Button variant="light" color="red" size="xs" onClick={() => setDialog('reverse')}>
                {t(($) => $.reverse[asked ? 'agree' : 'label'])}
              </Button>
            )}
            <Text fz="xs" c="dimmed" mt={4}>
              {asked
                ? t(($) => $.reverse.asked, { username: asked, reason: row.reversalReason ?? '' })
                : t(($) => $.reverse.hint)}
            </Text>
          </div>
        )}
      </DecisionDrawer>
      <ConfirmDialog
        opened={dialog === 'reverse'}
        onClose={() => setDialog(null)}
        title={t(($) => $.reverse.title)}
        facts={[
          { label: t(($) => $.facts.user), value: <MemberName username={row.username} /> },
          {
            label: t(($) => $.facts.credit),
            value: <Money value={row.credited ?? row.usdt} digits={6} />,
          },
          ...(asked
            ? [
                { label: t(($) => $.reverse.by), value: <MemberName username={asked} /> },
                { label: t(($) => $.reverse.reason), value: row.reversalReason ?? '' },
              ]
            : []),
        ]}
        consequence={t(($) => $.reverse.consequence)}
        {...(!asked && { reason: { label: t(($) => $.reverse.reason), required: true } })}
        confirmLabel={t(($) => $.reverse.label)}
        danger
        onConfirm={({ idempotencyKey, reason }) => reverse(reason, idempotencyKey)}
      />
      <ConfirmDialog
        opened={dialog === 'approve'}
        onClose={() => setDialog(null)}
        title={t(($) => $.approve.title)}
        facts={[
          { label: t(($) => $.facts.user), value: <MemberName username={row.username} /> },
          { label: t(($) => $.facts.received), value: <Money value={brl} currency="BRL" /> },
          ...(usdt && !late
            ? [{ label: t(($) => $.facts.credit), value: <Money value={usdt} digits={6} /> }]
            : []),
          { label: t(($) => $.claim.endToEndId), value: endToEndId },
          { label: t(($) => $.claim.payer), value: payer },
        ]}
        consequence={<ApprovalEffect subject={subject} once={t(($) => $.approve.consequence)} />}
        confirmLabel={t(($) => $.approve.label)}
        onConfirm={({ idempotencyKey }) =>
          decide({ status: 'approved', endToEndId, payerName: payer.trim(), brl }, idempotencyKey)
        }
      />
      <ConfirmDialog
        opened={dialog === 'reject'}
        onClose={() => setDialog(null)}
        title={t(($) => $.reject.title)}
        facts={[
          { label: t(($) => $.facts.user), value: <MemberName username={row.username} /> },
          { label: t(($) => $.facts.asked), value: <Money value={row.brl} currency="BRL" /> },
        ]}
        consequence={t(($) => $.reject.consequence)}
        reason={{ label: t(($) => $.reject.reason), required: true }}
        confirmLabel={t(($) => $.reject.label)}
        danger
        onConfirm={({ idempotencyKey, reason }) => decide({ status: 'rejected', reason }, idempotencyKey)}
      />
    </>
  );
}
