import { Alert, Button, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { inFours } from '@/live/chain/address';
import { currencyOf, fromWei } from '@/live/chain/deposits';
import { NextStep, type Step } from '@/shared/payments/NextStep';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { CopyText } from '@/ui/CopyText';
import { Countdown } from '@/ui/Countdown';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { When } from '@/ui/When';
import { useTerms } from './useTerms';
import { Value } from './Value';
import {
  cancelWithdrawal,
  isUndecided,
  refetchWithdrawals,
  resendLink,
  takeOffer,
  type Withdrawal,
} from './withdrawals';

interface WithdrawalDetailsProps {
  withdrawal: Withdrawal | null;
  onClose: () => void;
}

/** One withdrawal: what it is, who acts now, what can be done about it. */
export function WithdrawalDetails({ withdrawal, onClose }: WithdrawalDetailsProps) {
  const { t } = useTranslation('withdrawals');
  const { t: common } = useTranslation();
  return (
    <Drawer
      opened={withdrawal !== null}
      onClose={onClose}
      position="right"
      size="min(520px, 100%)"
      title={
        <Title order={2} fz={18}>
          {t(($) => $.details.title)}
        </Title>
      }
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {withdrawal && <Body key={withdrawal._id} withdrawal={withdrawal} onClose={onClose} />}
    </Drawer>
  );
}

function Body({ withdrawal: row, onClose }: { withdrawal: Withdrawal; onClose: () => void }) {
  const { t } = useTranslation('withdrawals');
  const format = useFormat();
  const [asking, setAsking] = useState(false);
  const open = isUndecided(row);
  const receives = <Money value={fromWei(row.amount)} currency={currencyOf(row.coin)} digits={8} />;
  const facts: [string, ReactNode][] = [
    [t(($) => $.list.status), <StatusBadge key="s" status={row.status} />],
    [row.coin === 'pyx' ? t(($) => $.form.valuePyx) : t(($) => $.form.value), <Value key="v" of={row} />],
    [t(($) => $.form.fee), <Money key="f" value={row.fee} digits={6} />],
    ...(row.coin === 'pyx'
      ? []
      : [[t(($) => $.form.net), <Money key="n" value={row.net} digits={6} />] as [string, ReactNode]]),
    [t(($) => $.form.receive), receives],
  ];
  if (row.coin !== 'usdt')
    facts.push([
      t(($) => $.details.rate),
      t(($) => $.details.rateOf, { coin: row.coin.toUpperCase(), usdt: format.decimal(row.rate, 4) }),
    ]);
  facts.push([
    t(($) => $.form.address),
    <Group key="a" gap={4} wrap="nowrap">
      <span className="num" translate="no">
        {inFours(row.address)}
      </span>
      <CopyText value={row.address} label={t(($) => $.list.copyAddress)} />
    </Group>,
  ]);
  if (row.transaction)
    facts.push([
      t(($) => $.list.hash),
      <Group key="h" gap={4} wrap="nowrap">
        <span className="num" data-testid="hash">
          {row.transaction}
        </span>
        <CopyText value={row.transaction} label={t(($) => $.list.copyHash)} />
      </Group>,
    ]);
  if (row.block !== null && row.block !== undefined)
    facts.push([t(($) => $.details.block), format.count(row.block)]);
  facts.push([t(($) => $.details.created), <When key="c" at={row.created_at} />]);
  if (open && row.status !== 'awaiting_email')
    facts.push([t(($) => $.details.expires), <When key="x" at={row.expiresAt} />]);
  if (row.completedAt) facts.push([t(($) => $.details.completed), <When key="d" at={row.completedAt} />]);
  if (row.reason) facts.push([t(($) => $.details.reason), row.reason]);
  const cancel = async ({ idempotencyKey: key }: { idempotencyKey: string }) => {
    await cancelWithdrawal(row._id, key);
    toast.success(t(($) => $.details.canceled));
    onClose();
  };
  return (
    <Stack gap="lg">
      {row.status === 'awaiting_email' && <ByMail withdrawal={row} />}
      {row.status === 'awaiting_confirmation' && <Offer withdrawal={row} onClose={onClose} />}
      {row.status === 'failed' && (
        <Alert color="gold" variant="light" role="status">
          {t(($) => $.details.failed)}
        </Alert>
      )}
      <Table variant="vertical" layout="fixed">
        <Table.Tbody>
          {facts.map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Th w="36%" fw={500} c="dimmed" bg="transparent">
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
      {open && (
        <Button variant="subtle" color="gray" onClick={() => setAsking(true)}>
          {t(($) => $.details.cancel)}
        </Button>
      )}
      <ConfirmDialog
        opened={asking && open}
        onClose={() => setAsking(false)}
        title={t(($) => $.details.cancelTitle)}
        facts={[
          {
            label: row.coin === 'pyx' ? t(($) => $.form.valuePyx) : t(($) => $.form.value),
            value: <Value of={row} />,
          },
          {
            label: t(($) => $.form.address),
            value: (
              <span className="num" translate="no">
                {inFours(row.address)}
              </span>
            ),
          },
        ]}
        consequence={t(($) => $.details.cancelHint)}
        confirmLabel={t(($) => $.details.cancel)}
        danger
        onConfirm={cancel}
      />
    </Stack>
  );
}

/** The link is in the mail; here only its time runs, and another can be sent. */
function ByMail({ withdrawal: row }: { withdrawal: Withdrawal }) {
  const { t } = useTranslation('withdrawals');
  const errorText = useErrorText();
  const span = (useTerms().data?.linkMinutes ?? 0) * 60_000;
  const { busy, failure, run } = useSubmit(resendLink, () => toast.success(t(($) => $.details.resent)));
  return (
    <Alert color="gold" variant="light">
      <Stack gap="sm" align="flex-start">
        <Text fz="sm">
          <span>{t(($) => $.details.byMail)}</span>{' '}
          <Countdown until={row.expiresAt} totalMs={span} onEnd={() => void refetchWithdrawals()} />
        </Text>
        {failure && (
          <Text fz="sm" c="red" role="alert">
            {errorText(failure.error)}
          </Text>
        )}
        <GuardedButton variant="default" size="xs" allowed loading={busy} onClick={() => void run(row._id)}>
          {t(($) => $.details.resend)}
        </GuardedButton>
      </Stack>
    </Alert>
  );
}

/** The rate moved: the new amount is taken, or the withdrawal cancelled. */
function Offer({ withdrawal: row, onClose }: { withdrawal: Withdrawal; onClose: () => void }) {
  const { t } = useTranslation('withdrawals');
  const format = useFormat();
  const errorText = useErrorText();
  const { busy, failure, run } = useSubmit(takeOffer, () => {
    toast.success(t(($) => $.details.taken));
    onClose();
  });
  if (!row.offer) return null;
  const { amount } = row.offer;
  const shown = (wei: string) => `${format.decimal(fromWei(wei), 8)} ${row.coin.toUpperCase()}`;
  return (
    <Alert color="gold" variant="light">
      <Stack gap="sm">
        <Text fz="sm">{t(($) => $.details.offer, { now: shown(amount), before: shown(row.amount) })}</Text>
        {failure && (
          <Text fz="sm" c="red" role="alert">
            {errorText(failure.error)}
          </Text>
        )}
        <GuardedButton allowed loading={busy} onClick={() => void run({ id: row._id, amount })}>
          {t(($) => $.details.take, { amount: shown(amount) })}
        </GuardedButton>
      </Stack>
    </Alert>
  );
}

function Steps({ withdrawal: row }: { withdrawal: Withdrawal }) {
  const { t } = useTranslation('withdrawals');
  const { status } = row;
  const [you, team, network] = [t(($) => $.steps.you), t(($) => $.steps.team), t(($) => $.steps.network)];
  const steps: Step[] = [{ label: t(($) => $.steps.ask), state: 'done', at: row.created_at }];
  if (status === 'rejected' || status === 'canceled' || status === 'expired') {
    steps.push({
      label: t(($) => $.steps.ended),
      state: 'failed',
      ...(row.decidedAt && { at: row.decidedAt }),
    });
    return <NextStep steps={steps} />;
  }
  const mailed = status !== 'awaiting_email';
  const decided = ['approved', 'sent', 'complete', 'failed'].includes(status);
  const sent = ['sent', 'complete', 'failed'].includes(status);
  steps.push({ label: t(($) => $.steps.mail), state: mailed ? 'done' : 'current', actor: you });
  if (status === 'awaiting_confirmation')
    steps.push({ label: t(($) => $.steps.confirm), state: 'current', actor: you });
  steps.push(
    {
      label: t(($) => $.steps.review),
      state: decided ? 'done' : status === 'pending' ? 'current' : 'todo',
      actor: team,
      ...(decided && row.decidedAt && { at: row.decidedAt }),
      ...(row.approvalsNeeded > 1 && {
        hint: t(($) => $.details.approvals, { given: row.approvals, needed: row.approvalsNeeded }),
      }),
    },
    {
      label: t(($) => $.steps.send),
      state: sent ? 'done' : status === 'approved' ? 'current' : 'todo',
      actor: team,
      ...(row.sentAt && { at: row.sentAt }),
    },
    {
      label: t(($) => $.steps.complete),
      state: status === 'complete' ? 'done' : status === 'failed' ? 'failed' : sent ? 'current' : 'todo',
      actor: network,
      ...(row.completedAt && { at: row.completedAt }),
    },
  );
  return <NextStep steps={steps} />;
}
