import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconDroplet } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { useConfig } from '@/api/config';
import {
  type CoinCode,
  came,
  cancelDeposit,
  currencyOf,
  type Deposit,
  fromWei,
  missing,
  stageOf,
} from '@/live/chain/deposits';
import { useGlimpse } from '@/live/live';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { Countdown } from '@/ui/Countdown';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { tidy } from '@/ui/money';
import { toast } from '@/ui/toast';
import { usePress } from '@/ui/usePress';
import { NextStep, type Step } from './NextStep';
import { Outcome } from './Outcome';
import { QrPay } from './QrPay';

interface PayDepositProps {
  deposit: Deposit;
  /** Offers another one when this one is over. */
  onAnother?: (() => void) | undefined;
}

/** A deposit on its way: where to pay and how much, what has come, how deep it lies, how it ended. */
export function PayDeposit({ deposit, onAnother }: PayDepositProps) {
  const { t } = useTranslation('wallet');
  const format = useFormat();
  const stage = stageOf(deposit);
  const rest = missing(deposit);
  const coin = currencyOf(deposit.coin);
  const total = deposit.price?.total;
  // Without an address for who looks at somebody else's account.
  const payable = (stage === 'waiting' || stage === 'part') && deposit.address !== '';
  const span = Date.parse(deposit.expiresAt ?? '') - Date.parse(deposit.created_at);
  return (
    <Stack gap="md">
      {payable && (
        <>
          <QrPay
            text={deposit.address}
            label={t(($) => $.pay.qr)}
            copyLabel={t(($) => $.pay.copy)}
            amount={
              rest !== null ? (
                <ToPay value={rest} coin={coin} />
              ) : !total ? null : deposit.coin === 'bnb' ? (
                <>
                  ≈ <ToPay value={total} coin="USDT" />
                </>
              ) : (
                <ToPay value={total} coin={coin} />
              )
            }
          />
          <HowMuch deposit={deposit} />
          <Text ta="center" fz="xs" c="dimmed">
            {t(($) => $.pay.onlyAddress)}
          </Text>
          {deposit.expiresAt && (
            <Text ta="center" fz="sm" c="dimmed" component="div">
              <span>{t(($) => $.pay.left)}</span> <Countdown until={deposit.expiresAt} totalMs={span} />
            </Text>
          )}
        </>
      )}
      {stage === 'part' && deposit.due && rest && (
        <Alert color="gold" variant="light" role="status">
          {t(($) => $.pay.part, {
            came: format.exact(tidy(came(deposit), 2)),
            due: format.exact(tidy(fromWei(deposit.due), 2)),
            missing: format.exact(tidy(rest, 2)),
            time: format.time(deposit.expiresAt ?? ''),
          })}
        </Alert>
      )}
      {stage === 'seen' && (
        <Alert color="blue" variant="light" role="status">
          {t(($) => $.pay.seen)}
        </Alert>
      )}
      <Outcome deposit={deposit} />
      <Way deposit={deposit} />
      {payable && <Faucet deposit={deposit} />}
      {stage === 'waiting' && <Cancel deposit={deposit} />}
      {stage === 'over' && onAnother && (
        <Button variant="default" onClick={onAnother}>
          {t(($) => $.pay.another)}
        </Button>
      )}
    </Stack>
  );
}

/** An amount as it is to be sent, with every decimal that it has: cut off, too little would arrive. */
function ToPay({ value, coin }: { value: string; coin: CoinCode }) {
  const format = useFormat();
  return <span translate="no">{`${format.exact(tidy(value, 2))}\u00a0${coin}`}</span>;
}

/** How much is to be sent, and what it costs, as the server says. */
function HowMuch({ deposit: { coin, due, price, value } }: { deposit: Deposit }) {
  const { t } = useTranslation('wallet');
  const { exact } = useFormat();
  if (!price) return null;
  const fees = { fee: exact(tidy(price.fee)), percent: exact(tidy(price.feePercent)) };
  const named = { coin: currencyOf(coin), ...fees };
  const parts =
    value && price.total && price.costs
      ? {
          total: exact(tidy(due ? fromWei(due) : price.total, 2)),
          value: exact(tidy(value)),
          costs: exact(tidy(price.costs, 2)),
        }
      : null;
  return (
    <Text ta="center" fz="sm">
      {!parts
        ? t(($) => $.pay.about, named)
        : due
          ? t(($) => $.pay.exactly, parts)
          : t(($) => $.pay[coin === 'bnb' ? 'worth' : 'plain'], { ...named, ...parts })}
    </Text>
  );
}

/** Waiting, seen, n of N confirmations, credited. */
function Way({ deposit }: { deposit: Deposit }) {
  const { t } = useTranslation('wallet');
  const [deeper, setDeeper] = useState<{ id: string; depth: number } | null>(null);
  useGlimpse('confirmations', (glimpse) => {
    if (glimpse.deposit === deposit._id) setDeeper({ id: deposit._id, depth: glimpse.confirmations });
  });
  const stage = stageOf(deposit);
  if (stage === 'over') return null;
  const depth = Math.max(deposit.confirmations, deeper?.id === deposit._id ? deeper.depth : 0);
  const needed = deposit.confirmationsNeeded;
  const at = { waiting: 0, part: 1, seen: 2, review: 3, credited: 4, over: 0 }[stage];
  const state = (place: number): Step['state'] => (place < at ? 'done' : place === at ? 'current' : 'todo');
  return (
    <NextStep
      steps={[
        { label: t(($) => $.steps.waiting), state: state(0), actor: t(($) => $.steps.you) },
        { label: t(($) => $.steps.seen), state: state(1) },
        {
          label: t(($) => $.steps.confirmations, { depth: at > 2 ? needed : depth, needed }),
          state: state(2),
          actor: t(($) => $.steps.network),
        },
        ...(stage === 'review'
          ? [{ label: t(($) => $.steps.review), state: 'current' as const, actor: t(($) => $.steps.team) }]
          : []),
        { label: t(($) => $.steps.credited), state: stage === 'credited' ? 'done' : 'todo' },
      ]}
    />
  );
}

/** Play money, where the demo has a chain of its own. */
function Faucet({ deposit }: { deposit: Deposit }) {
  const { t } = useTranslation('wallet');
  const faucet = useConfig((state) => state.config?.faucet);
  const { busy, run: pay } = usePress(
    (id: string) => body(api.POST('/dev/faucet', { body: { deposit: id } })),
    () => toast.success(t(($) => $.faucet.sent)),
  );
  if (!faucet) return null;
  return (
    <Stack gap={4}>
      <GuardedButton
        variant="light"
        allowed={!busy}
        loading={busy}
        onClick={() => void pay(deposit._id)}
        leftSection={<IconDroplet size={17} aria-hidden />}
      >
        {t(($) => $.faucet.pay)}
      </GuardedButton>
      <Text fz="xs" c="dimmed" ta="center">
        {t(($) => $.faucet.hint)}
      </Text>
    </Stack>
  );
}

function Cancel({ deposit }: { deposit: Deposit }) {
  const { t } = useTranslation('wallet');
  const [asking, setAsking] = useState(false);
  const cancel = async () => {
    await cancelDeposit(deposit._id);
    toast.success(t(($) => $.pay.canceled));
  };
  return (
    <Group justify="center">
      <Button variant="subtle" color="gray" onClick={() => setAsking(true)}>
        {t(($) => $.pay.cancel)}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.pay.cancelTitle)}
        facts={[{ label: t(($) => $.list.value), value: <Money value={deposit.value} /> }]}
        consequence={t(($) => $.pay.cancelHint)}
        confirmLabel={t(($) => $.pay.cancel)}
        danger
        onConfirm={cancel}
      />
    </Group>
  );
}
