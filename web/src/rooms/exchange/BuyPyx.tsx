import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconShoppingCart } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useBalances } from '@/live/balances';
import { isStopped, type OutboundState } from '@/shared/payments/OutboundNotice';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive, multiply } from '@/ui/money';
import { toast } from '@/ui/toast';
import { bought, buyPresale, type Round } from './exchange';

export type Receipt = Schemas['PresalePurchaseView'];

interface BuyPyxProps {
  round: Round;
  state: OutboundState | undefined;
  onBought: (receipt: Receipt) => void;
}

/** How much, what it buys, the last question. */
export function BuyPyx({ round, state, onBought }: BuyPyxProps) {
  const { t } = useTranslation('exchange');
  const format = useFormat();
  const [value, setValue] = useState('');
  const [asking, setAsking] = useState(false);
  const available = useBalances(({ available }) => available?.balance);
  const spendable = state?.spendable ?? available ?? '0';
  // What the cap still takes, rounded down: a little less is never refused.
  const room = multiply(round.ownCapLeft, round.price, 6, 'down');
  const max = compare(spendable, room) < 0 ? spendable : room;
  const pyx = value === '' ? '0.000000' : bought(value, round.price);
  const open = round.state === 'open';
  const full = !isPositive(round.ownCapLeft);
  const fine = open && value !== '' && isPositive(pyx) && compare(value, max) <= 0;
  const reason = !open
    ? t(($) => $.buy.closed)
    : full
      ? t(($) => $.buy.full)
      : isStopped(state)
        ? t(($) => $.buy.stopped)
        : t(($) => $.buy.needsValue);
  return (
    <Card component="section" aria-labelledby="buy-pyx">
      <Stack gap="md">
        <Title order={2} fz={17} id="buy-pyx">
          {t(($) => $.buy.title)}
        </Title>
        <MoneyInput
          label={t(($) => $.buy.value)}
          value={value}
          onChange={setValue}
          max={max}
          disabled={!open || full}
          required
        />
        <Group justify="space-between">
          <Text fz="sm" c="dimmed">
            {t(($) => $.buy.receives)}
          </Text>
          <Text fw={650} component="div" data-testid="receives">
            <Money value={pyx} currency="PYX" digits={4} />
          </Text>
        </Group>
        <Text fz="sm" c="dimmed" component="div">
          <span>{t(($) => $.buy.spendable)}</span> <Money value={spendable} /> ·{' '}
          <span>{t(($) => $.buy.capLeft)}</span> <Money value={round.ownCapLeft} currency="PYX" digits={2} />
        </Text>
        <GuardedButton
          allowed={fine && !isStopped(state)}
          reason={reason}
          leftSection={<IconShoppingCart size={17} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          {t(($) => $.buy.submit)}
        </GuardedButton>
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.buy.confirmTitle)}
        facts={[
          { label: t(($) => $.buy.pays), value: <Money value={value || '0'} digits={6} /> },
          { label: t(($) => $.presale.price), value: <Money value={round.price} digits={4} /> },
          { label: t(($) => $.buy.receives), value: <Money value={pyx} currency="PYX" digits={6} /> },
          { label: t(($) => $.buy.firstDay), value: format.date(round.firstDay) },
          { label: t(($) => $.buy.lastDay), value: format.date(round.lastDay) },
        ]}
        consequence={t(($) => $.buy.consequence)}
        confirmLabel={t(($) => $.buy.submit)}
        onConfirm={async ({ idempotencyKey }) => {
          const receipt = await buyPresale({ round: round._id, value }, idempotencyKey);
          setValue('');
          onBought(receipt);
          toast.success(t(($) => $.buy.done));
        }}
      />
    </Card>
  );
}
