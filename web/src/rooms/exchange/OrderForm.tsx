import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { $api } from '@/api/hooks';
import { asApiError } from '@/api/problem';
import { useBalances } from '@/live/balances';
import { useByPasskey } from '@/shared/passkeys/useByPasskey';
import { isStopped, type OutboundState } from '@/shared/payments/OutboundNotice';
import { CodeDialog } from '@/ui/CodeDialog';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive } from '@/ui/money';
import { toast } from '@/ui/toast';
import { type Market, most, onStep, placeOrder, type Side, total } from './exchange';
import type { Wish } from './MarketTab';

/** What a session's code is for. */
const ASKED = { purpose: 'pyx-trading' } as const;

interface OrderFormProps {
  market: Market;
  state: OutboundState | undefined;
  wish: Wish | null;
}

/** A limit order: side, price in ticks, quantity in lots, the last question; a session's first one asks for a code as well. */
export function OrderForm({ market, state, wish }: OrderFormProps) {
  const { t } = useTranslation('exchange');
  const byPasskey = useByPasskey();
  const format = useFormat();
  const [side, setSide] = useState<Side>(wish?.side ?? 'buy');
  const [price, setPrice] = useState(wish ? trimmed(wish.price) : '');
  const [quantity, setQuantity] = useState('');
  const [asking, setAsking] = useState(false);
  // The order that waits for this session's code.
  const [waiting, setWaiting] = useState<string | null>(null);
  const available = useBalances(({ available }) => available?.balance);
  const holdings = $api.useQuery('get', '/presale/holdings');
  const spendable = state?.spendable ?? available ?? '0';
  const free = holdings.data?.balances.free ?? '0';
  const priced = price !== '' && isPositive(price);
  const max =
    side === 'sell' ? most(free, '1', market.lot) : priced ? most(spendable, price, market.lot) : undefined;
  const fair = side === 'buy' ? market.fairBuy : market.fairSell;
  const priceProblem =
    price !== '' && !onStep(price, market.tick)
      ? t(($) => $.order.tick, { tick: format.decimal(market.tick, 4) })
      : priced &&
          market.low &&
          market.high &&
          (compare(price, market.low) < 0 || compare(price, market.high) > 0)
        ? t(($) => $.order.band, {
            low: format.decimal(market.low, 4),
            high: format.decimal(market.high, 4),
          })
        : priced && state?.ordersBound && fair && isWorse(side, price, fair)
          ? t(($) => $.order[side === 'buy' ? 'boundBuy' : 'boundSell'], {
              reference: format.decimal(fair, 6),
            })
          : undefined;
  const quantityProblem =
    quantity !== '' && !onStep(quantity, market.lot)
      ? t(($) => $.order.lot, { lot: format.decimal(market.lot, 2) })
      : undefined;
  const filled = priced && quantity !== '' && isPositive(quantity);
  const fits = max === undefined || quantity === '' || compare(quantity, max) <= 0;
  const fine = market.open && filled && fits && !priceProblem && !quantityProblem;
  const worth = filled ? total(quantity, price) : '0.000000';
  const reason = !market.open
    ? t(($) => $.market.closed)
    : isStopped(state)
      ? t(($) => $.buy.stopped)
      : t(($) => $.order.needs);
  const place = async (idempotencyKey: string, securityCode?: string) => {
    const placed = await placeOrder(
      { side, price, quantity, ...(securityCode && { securityCode }) },
      idempotencyKey,
    );
    setQuantity('');
    toast.success(t(($) => $.order.placed[placed.status]));
  };
  return (
    <section aria-labelledby="order">
      <Stack gap="md">
        <Title order={2} fz={17} id="order">
          {t(($) => $.market.order)}
        </Title>
        <SegmentedControl
          fullWidth
          aria-label={t(($) => $.order.side)}
          value={side}
          onChange={(next) => setSide(next as Side)}
          data={[
            { value: 'buy', label: t(($) => $.order.buy) },
            { value: 'sell', label: t(($) => $.order.sell) },
          ]}
        />
        <MoneyInput
          label={t(($) => $.order.price)}
          value={price}
          onChange={setPrice}
          error={priceProblem}
          required
        />
        <MoneyInput
          label={t(($) => $.order.quantity)}
          currency="PYX"
          value={quantity}
          onChange={setQuantity}
          max={max}
          error={quantityProblem}
          required
        />
        <Group justify="space-between">
          <Text fz="sm" c="dimmed">
            {t(($) => $.order.total)}
          </Text>
          <Text fw={650} component="div" data-testid="order-total">
            <Money value={worth} digits={4} />
          </Text>
        </Group>
        <Text fz="sm" c="dimmed" component="div">
          <span>{t(($) => $.order.have)}</span> <Money value={spendable} /> ·{' '}
          <Money value={free} currency="PYX" digits={2} />
        </Text>
        <GuardedButton
          allowed={fine && !isStopped(state)}
          reason={reason}
          color={side === 'sell' ? 'red' : undefined}
          onClick={() => setAsking(true)}
        >
          {t(($) => $.order[side === 'buy' ? 'placeBuy' : 'placeSell'])}
        </GuardedButton>
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.order[side === 'buy' ? 'confirmBuy' : 'confirmSell'])}
        facts={[
          { label: t(($) => $.order.price), value: <Money value={price || '0'} digits={4} /> },
          {
            label: t(($) => $.order.quantity),
            value: <Money value={quantity || '0'} currency="PYX" digits={2} />,
          },
          {
            label: t(($) => $.order[side === 'buy' ? 'atMost' : 'atLeast']),
            value: <Money value={worth} digits={6} />,
          },
          { label: t(($) => $.order.fee), value: <Money value="0" /> },
        ]}
        consequence={t(($) => $.order.consequence)}
        confirmLabel={t(($) => $.order[side === 'buy' ? 'placeBuy' : 'placeSell'])}
        onConfirm={async ({ idempotencyKey }) => {
          try {
            await place(idempotencyKey);
          } catch (error) {
            if (asApiError(error).code !== 'code.missing') throw error;
            setWaiting(idempotencyKey);
          }
        }}
      />
      <CodeDialog
        opened={waiting !== null}
        onClose={() => setWaiting(null)}
        title={t(($) => $.order.codeTitle)}
        hint={state?.factor === 'app' ? t(($) => $.order.codeApp) : t(($) => $.order.codeMail)}
        {...(state?.factor !== 'app' && {
          onSend: () => api.POST('/security-code', { body: ASKED }),
        })}
        {...byPasskey(ASKED)}
        onCode={async (code) => {
          if (waiting !== null) await place(waiting, code);
        }}
      />
    </section>
  );
}

/** Away from what the owner is held to, on the side that loses. */
const isWorse = (side: Side, price: string, fair: string) =>
  side === 'buy' ? compare(price, fair) > 0 : compare(price, fair) < 0;

/** "0.500000" as a person writes it: "0.5". */
const trimmed = (value: string) => value.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
