import { Alert, Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { inFours } from '@/live/chain/address';
import { type Coin, currencyOf, fromWei } from '@/live/chain/deposits';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive } from '@/ui/money';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { given, useSubmit } from '@/ui/useSubmit';
import { CodeStep } from './CodeStep';
import { Facts } from './Facts';
import { type Balance, COIN_DECIMALS, digitsOf, freeOf, isAddress, sendTokens, type Wallet } from './wallet';

type Quote = Schemas['SendQuote'];

interface SendDialogProps {
  opened: boolean;
  onClose: () => void;
  wallet: Wallet;
  balances: readonly Balance[];
  app: boolean;
}

/** Coin, address and amount; then what it costs, and the code bound to all of it. */
export function SendDialog(props: SendDialogProps) {
  const { t } = useTranslation('web3');
  const { t: common } = useTranslation();
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={t(($) => $.send.title)}
      centered
      size="lg"
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {props.opened && <SendForm {...props} />}
    </Modal>
  );
}

interface Order {
  quote: Quote;
  coin: Coin;
}

function SendForm({ onClose, wallet, balances, app }: SendDialogProps) {
  const { t } = useTranslation('web3');
  const errorText = useErrorText();
  const [coin, setCoin] = useState<Coin>(
    balances.find(({ wei, coin }) => wei !== '0' && coin !== 'bnb')?.coin ?? 'bnb',
  );
  const [address, setAddress] = useState('');
  const [value, setValue] = useState('');
  const [touched, setTouched] = useState(false);
  const [order, setOrder] = useState<Order | null>(null);
  const { busy, failure, run, field, clear } = useSubmit(given);
  const free = freeOf(balances.find((balance) => balance.coin === coin));
  const currency = currencyOf(coin);
  const addressOk = isAddress(address);
  const valueOk = isPositive(value || '0') && compare(value, free) <= 0;

  const ask = (asked: { value?: string }) =>
    body(api.POST('/web3/transferToken/quote', { body: { coin, address: address.trim(), ...asked } }));
  const review = () => {
    setTouched(true);
    if (addressOk && valueOk) void run(async () => setOrder({ quote: await ask({ value }), coin }));
  };
  const everything = () => {
    setTouched(true);
    if (!addressOk) return;
    void run(async () => setValue((await ask({})).max));
  };

  if (order)
    return (
      <Review
        order={order}
        app={app}
        onBack={() => setOrder(null)}
        onDone={() => {
          toast.success(t(($) => $.send.done));
          onClose();
        }}
      />
    );
  const onAddress = field('address');
  const onValue = field('value');
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        review();
      }}
    >
      <Stack gap="md">
        <SegmentedControl
          aria-label={t(($) => $.send.coin)}
          value={coin}
          onChange={(next) => {
            setCoin(next as Coin);
            setValue('');
            clear();
          }}
          data={wallet.coins.map((one) => ({ value: one, label: currencyOf(one) }))}
          fullWidth
        />
        <TextInput
          label={t(($) => $.send.address)}
          description={t(($) => $.send.addressHint)}
          value={address}
          onChange={(event) => {
            setAddress(event.currentTarget.value);
            clear();
          }}
          error={onAddress ?? (touched && !addressOk ? t(($) => $.send.addressBad) : undefined)}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          autoComplete="off"
          spellCheck={false}
          maxLength={60}
          required
          data-autofocus
        />
        <MoneyInput
          label={t(($) => $.send.value)}
          value={value}
          onChange={(next) => {
            setValue(next);
            clear();
          }}
          currency={currency}
          decimals={COIN_DECIMALS}
          error={onValue ?? (touched && !valueOk ? t(($) => $.send.valueBad) : undefined)}
          description={
            <>
              <span>{t(($) => $.send.free)}</span>{' '}
              <Money value={free} currency={currency} digits={digitsOf(coin)} />
            </>
          }
          required
        />
        <Group justify="space-between">
          <Button variant="subtle" size="compact-sm" onClick={everything} disabled={busy}>
            {t(($) => $.send.everything)}
          </Button>
          {coin !== 'bnb' && (
            <Text fz="xs" c="dimmed">
              {t(($) => $.send.gasHint)}
            </Text>
          )}
        </Group>
        {failure && !onAddress && !onValue && (
          <Alert color="red" variant="light" role="alert">
            {errorText(failure.error)}
          </Alert>
        )}
        <GuardedButton type="submit" allowed={!busy} loading={busy}>
          {t(($) => $.send.review)}
        </GuardedButton>
      </Stack>
    </form>
  );
}

interface ReviewProps {
  order: Order;
  app: boolean;
  onBack: () => void;
  onDone: () => void;
}

function Review({ order, app, onBack, onDone }: ReviewProps) {
  const { t } = useTranslation('web3');
  const { quote, coin } = order;
  const currency = currencyOf(coin);
  const short = quote.gasMissing;
  return (
    <Stack gap="md">
      <Facts
        lines={[
          [
            t(($) => $.send.arrives),
            <Money key="a" value={quote.value} currency={currency} digits={digitsOf(coin)} />,
          ],
          [t(($) => $.send.worth), <Money key="w" value={quote.usdt} />],
          [
            t(($) => $.send.address),
            <Text key="t" span fz="sm" ff="monospace" translate="no" data-testid="send-to">
              {inFours(quote.address)}
            </Text>,
          ],
          [
            t(($) => $.fee.now),
            <span key="f">
              <Money value={fromWei(quote.fee)} currency="BNB" digits={8} />
              {quote.feeUsdt && (
                <>
                  {' '}
                  (≈ <Money value={quote.feeUsdt} digits={4} />)
                </>
              )}
            </span>,
          ],
          [t(($) => $.fee.most), <Money key="m" value={fromWei(quote.feeMost)} currency="BNB" digits={8} />],
        ]}
      />
      <Text fz="sm" c="dimmed">
        {t(($) => $.send.consequence)}
      </Text>
      {short && (
        <Alert color="red" variant="light" role="alert">
          {t(($) => $.fee.missing)}
        </Alert>
      )}
      <CodeStep
        app={app}
        submit={t(($) => $.send.confirm)}
        blocked={short ? t(($) => $.fee.missing) : undefined}
        onBack={
          <Button variant="default" onClick={onBack}>
            {t(($) => $.back)}
          </Button>
        }
        asked={{ purpose: 'transfer-tokens', destination: quote.address, amount: quote.amount }}
        onCode={async (securityCode, key) => {
          await sendTokens({ coin, address: quote.address, value: quote.value, securityCode }, key);
          onDone();
        }}
      />
    </Stack>
  );
}
