import { Alert, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '@/api/clock';
import { QrPay } from '@/shared/payments/QrPay';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { Countdown } from '@/ui/Countdown';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { cancelDeposit, type PixDeposit } from './deposits';
import { SendProof } from './SendProof';

interface PayDepositProps {
  deposit: PixDeposit;
  /** With its proof. */
  onSent?: (deposit: PixDeposit) => void;
}

/** A deposit that waits for its payment and its proof. */
export function PayDeposit({ deposit, onSent }: PayDepositProps) {
  const { t } = useTranslation('pix');
  const format = useFormat();
  const [ended, setEnded] = useState(() => Date.parse(deposit.rateLockedUntil) <= serverNow());
  const [asking, setAsking] = useState(false);
  const span = Date.parse(deposit.rateLockedUntil) - Date.parse(deposit.created_at);
  const cancel = async () => {
    await cancelDeposit(deposit._id);
    toast.success(t(($) => $.pay.canceled));
  };
  return (
    <Stack gap="md">
      {deposit.brCode && (
        <QrPay
          text={deposit.brCode}
          label={t(($) => $.pay.qr)}
          copyLabel={t(($) => $.pay.copy)}
          amount={<Money value={deposit.brl} currency="BRL" />}
        />
      )}
      <Text ta="center" fz="sm" c="dimmed" className="num">
        {t(($) => $.pay.receive, { amount: format.usdt(deposit.usdt) })}
      </Text>
      {ended ? (
        <Alert color="gold" variant="light" role="status">
          {t(($) => $.pay.lockEnded)}
        </Alert>
      ) : (
        <Text ta="center" fz="sm">
          <span>{t(($) => $.pay.lock)}</span>{' '}
          <Countdown until={deposit.rateLockedUntil} totalMs={span} onEnd={() => setEnded(true)} />
        </Text>
      )}
      <SendProof deposit={deposit} {...(onSent && { onSent })} />
      <Text fz="xs" c="dimmed" ta="center" className="num">
        {t(($) => $.pay.until, { time: format.dateTime(deposit.expiresAt) })}
      </Text>
      <Button variant="subtle" color="gray" onClick={() => setAsking(true)}>
        {t(($) => $.pay.cancel)}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.pay.cancelTitle)}
        facts={[{ label: t(($) => $.details.asked), value: <Money value={deposit.brl} currency="BRL" /> }]}
        consequence={t(($) => $.pay.cancelHint)}
        confirmLabel={t(($) => $.pay.cancel)}
        danger
        onConfirm={cancel}
      />
    </Stack>
  );
}
