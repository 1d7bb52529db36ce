import { Alert, Button, Drawer, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NextStep, type Step } from '@/shared/payments/NextStep';
import { ProofViewer } from '@/shared/payments/ProofViewer';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { When } from '@/ui/When';
import { cancelWithdrawal, type PixWithdrawal, takeOffer, wordOf } from './withdrawals';

interface WithdrawalDetailsProps {
  withdrawal: PixWithdrawal | null;
  onClose: () => void;
}

/** One withdrawal: what it is, who acts now, what can be done about it. */
export function WithdrawalDetails({ withdrawal, onClose }: WithdrawalDetailsProps) {
  const { t } = useTranslation('pix');
  const { t: common } = useTranslation();
  return (
    <Drawer
      opened={withdrawal !== null}
      onClose={onClose}
      position="right"
      size="min(520px, 100%)"
      title={
        <Title order={2} fz={18}>
          {t(($) => $.withdraw.details.title)}
        </Title>
      }
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {withdrawal && <Body key={withdrawal._id} withdrawal={withdrawal} onClose={onClose} />}
    </Drawer>
  );
}

function Body({ withdrawal: row, onClose }: { withdrawal: PixWithdrawal; onClose: () => void }) {
  const { t } = useTranslation('pix');
  const format = useFormat();
  const [asking, setAsking] = useState(false);
  const open = row.status === 'pending' || row.status === 'awaiting_confirmation';
  const facts: [string, ReactNode][] = [
    [t(($) => $.withdraw.list.status), <StatusBadge key="s" status={wordOf(row)} />],
    [t(($) => $.withdraw.form.value), <Money key="v" value={row.value} digits={6} />],
    [t(($) => $.withdraw.form.fee), <Money key="f" value={row.fee} digits={6} />],
    [t(($) => $.withdraw.form.net), <Money key="n" value={row.net} digits={6} />],
    [t(($) => $.withdraw.form.receive), <Money key="b" value={row.brl} currency="BRL" />],
    [t(($) => $.withdraw.details.rate), `R$\u00a0${format.decimal(row.rate, 4)}`],
    [t(($) => $.withdraw.form.kinds[row.keyKind]), row.key],
    [t(($) => $.withdraw.details.created), <When key="c" at={row.created_at} />],
  ];
  if (open) facts.push([t(($) => $.withdraw.details.expires), <When key="x" at={row.expiresAt} />]);
  if (row.paidAt) facts.push([t(($) => $.withdraw.details.paid), <When key="p" at={row.paidAt} />]);
  if (row.endToEndId) facts.push([t(($) => $.withdraw.details.bank), row.endToEndId]);
  if (row.reason) facts.push([t(($) => $.withdraw.details.reason), row.reason]);
  const cancel = async ({ idempotencyKey: key }: { idempotencyKey: string }) => {
    await cancelWithdrawal(row._id, key);
    toast.success(t(($) => $.withdraw.details.canceled));
    onClose();
  };
  return (
    <Stack gap="lg">
      {row.status === 'awaiting_confirmation' && <Offer withdrawal={row} onClose={onClose} />}
      <Table variant="vertical" layout="fixed">
        <Table.Tbody>
          {facts.map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Th w="40%" fw={500} c="dimmed" bg="transparent">
                {label}
              </Table.Th>
              <Table.Td className="num" style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Steps withdrawal={row} />
      {row.proof && <ProofViewer file={row.proof} kind={row.proofKind ?? ''} />}
      {open && (
        <Button variant="subtle" color="gray" onClick={() => setAsking(true)}>
          {t(($) => $.withdraw.details.cancel)}
        </Button>
      )}
      <ConfirmDialog
        opened={asking && open}
        onClose={() => setAsking(false)}
        title={t(($) => $.withdraw.details.cancelTitle)}
        facts={[
          { label: t(($) => $.withdraw.form.value), value: <Money value={row.value} digits={6} /> },
          { label: t(($) => $.withdraw.form.kinds[row.keyKind]), value: row.key },
        ]}
        consequence={t(($) => $.withdraw.details.cancelHint)}
        confirmLabel={t(($) => $.withdraw.details.cancel)}
        danger
        onConfirm={cancel}
      />
    </Stack>
  );
}

/** The rate moved: the new value is taken, or the withdrawal cancelled. */
function Offer({ withdrawal: row, onClose }: { withdrawal: PixWithdrawal; onClose: () => void }) {
  const { t } = useTranslation('pix');
  const format = useFormat();
  const errorText = useErrorText();
  const { busy, failure, run } = useSubmit(takeOffer, () => {
    toast.success(t(($) => $.withdraw.details.taken));
    onClose();
  });
  if (!row.offer) return null;
  const { brl } = row.offer;
  return (
    <Alert color="gold" variant="light">
      <Stack gap="sm">
        <Text fz="sm">
          {t(($) => $.withdraw.details.offer, { now: format.brl(brl), before: format.brl(row.brl) })}
        </Text>
        {failure && (
          <Text fz="sm" c="red" role="alert">
            {errorText(failure.error)}
          </Text>
        )}
        <GuardedButton allowed loading={busy} onClick={() => void run({ id: row._id, brl })}>
          {t(($) => $.withdraw.details.take, { amount: format.brl(brl) })}
        </GuardedButton>
      </Stack>
    </Alert>
  );
}

function Steps({ withdrawal: row }: { withdrawal: PixWithdrawal }) {
  const { t } = useTranslation('pix');
  const team = t(($) => $.withdraw.steps.team);
  const asked: Step = { label: t(($) => $.withdraw.steps.ask), state: 'done', at: row.created_at };
  const reviewed = row.status === 'approved';
  const steps: Step[] = [asked];
  if (row.status === 'awaiting_confirmation')
    steps.push({
      label: t(($) => $.withdraw.steps.confirm),
      state: 'current',
      actor: t(($) => $.withdraw.steps.you),
    });
  if (row.status === 'rejected' || row.status === 'canceled' || row.status === 'expired')
    steps.push({
      label: t(($) => $.withdraw.steps.ended),
      state: 'failed',
      ...(row.decidedAt && { at: row.decidedAt }),
    });
  else
    steps.push(
      {
        label: t(($) => $.withdraw.steps.review),
        state: reviewed ? 'done' : row.status === 'pending' ? 'current' : 'todo',
        actor: team,
        ...(reviewed && row.decidedAt && { at: row.decidedAt }),
        ...(row.approvalsNeeded > 1 && {
          hint: t(($) => $.withdraw.details.approvals, { given: row.approvals, needed: row.approvalsNeeded }),
        }),
      },
      {
        label: t(($) => $.withdraw.steps.pay),
        state: row.paidAt ? 'done' : reviewed ? 'current' : 'todo',
        actor: team,
        ...(row.paidAt && { at: row.paidAt }),
      },
    );
  return <NextStep steps={steps} />;
}
