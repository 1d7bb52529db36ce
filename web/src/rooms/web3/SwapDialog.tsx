import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Modal,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconArrowsUpDown } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { serverNow } from '@/api/clock';
import { $api } from '@/api/hooks';
import { asApiError } from '@/api/problem';
import { type Coin, currencyOf, fromWei } from '@/live/chain/deposits';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive } from '@/ui/money';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useNow } from '@/ui/useNow';
import { usePress } from '@/ui/usePress';
import { CodeStep } from './CodeStep';
import { Facts } from './Facts';
import {
  type Balance,
  COIN_DECIMALS,
  digitsOf,
  freeOf,
  impactOf,
  rateOf,
  SLIPPAGES,
  type SwapQuote,
  swapTokens,
  type Wallet,
} from './wallet';

/** Between two quotes of an open dialog, and after the last key. */
const QUOTE_MS = 8_000;
const PAUSE_MS = 400;

interface SwapDialogProps {
  opened: boolean;
  onClose: () => void;
  wallet: Wallet;
  balances: readonly Balance[];
  app: boolean;
}

/** What for what, under a quote that lives; then the code. */
export function SwapDialog(props: SwapDialogProps) {
  const { t } = useTranslation('web3');
  const { t: common } = useTranslation();
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={t(($) => $.swap.title)}
      centered
      size="lg"
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {props.opened && <SwapForm {...props} />}
    </Modal>
  );
}

interface Asked {
  coin: Coin;
  coinOut: Coin;
  value: string;
  slippage: string;
}

const useQuote = (asked: Asked, enabled: boolean) =>
  $api.useQuery(
    'post',
    '/web3/swapTokens/quote',
    { body: asked },
    { enabled, refetchInterval: QUOTE_MS, retry: false, staleTime: 0, gcTime: 0 },
  );

function SwapForm({ onClose, wallet, balances, app }: SwapDialogProps) {
  const { t } = useTranslation('web3');
  const errorText = useErrorText();
  const [coin, setCoin] = useState<Coin>(
    balances.find(({ wei, coin }) => wei !== '0' && coin !== 'bnb')?.coin ?? 'bnb',
  );
  const [coinOut, setCoinOut] = useState<Coin>(coin === 'bnb' ? 'usdt' : 'bnb');
  const [value, setValue] = useState('');
  const [slippage, setSlippage] = useState<string>('0.50');
  const [order, setOrder] = useState<SwapQuote | null>(null);
  const [settled] = useDebouncedValue(value, PAUSE_MS);
  const free = freeOf(balances.find((balance) => balance.coin === coin));
  const usable = isPositive(value || '0') && compare(value, free) <= 0;
  const asked: Asked = { coin, coinOut, value: settled, slippage };
  const quote = useQuote(asked, usable && settled === value && !order);
  const current = usable && settled === value ? quote.data : undefined;
  const coins = wallet.coins.map((one) => ({ value: one, label: t(($) => $.coins[one]) }));

  const choose = (side: 'in' | 'out', next: string | null) => {
    if (!next) return;
    const chosen = next as Coin;
    if (side === 'in') {
      if (chosen === coinOut) setCoinOut(coin);
      setCoin(chosen);
      setValue('');
    } else {
      if (chosen === coin) {
        setCoin(coinOut);
        setValue('');
      }
      setCoinOut(chosen);
    }
  };
  const { busy, run: everything } = usePress(
    (asked: Omit<Asked, 'value'>) => body(api.POST('/web3/swapTokens/quote', { body: asked })),
    ({ max }) => setValue(max),
  );

  if (order)
    return (
      <Review
        asked={asked}
        first={order}
        app={app}
        onBack={() => setOrder(null)}
        onDone={() => {
          toast.success(t(($) => $.swap.done));
          onClose();
        }}
      />
    );
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (current && !current.gasMissing) setOrder(current);
      }}
    >
      <Stack gap="md">
        <Group align="end" gap="xs" wrap="nowrap">
          <Select
            label={t(($) => $.swap.from)}
            data={coins}
            value={coin}
            onChange={(next) => choose('in', next)}
            allowDeselect={false}
            style={{ flex: 1 }}
          />
          <ActionIcon
            variant="default"
            size={36}
            mb={1}
            aria-label={t(($) => $.swap.turn)}
            onClick={() => choose('in', coinOut)}
          >
            <IconArrowsUpDown size={17} aria-hidden />
          </ActionIcon>
          <Select
            label={t(($) => $.swap.to)}
            data={coins}
            value={coinOut}
            onChange={(next) => choose('out', next)}
            allowDeselect={false}
            style={{ flex: 1 }}
          />
        </Group>
        <div>
          <MoneyInput
            label={t(($) => $.swap.value)}
            value={value}
            onChange={setValue}
            currency={currencyOf(coin)}
            decimals={COIN_DECIMALS}
            error={value !== '' && compare(value, free) > 0 ? t(($) => $.swap.tooMuch) : undefined}
            description={
              <>
                <span>{t(($) => $.send.free)}</span>{' '}
                <Money value={free} currency={currencyOf(coin)} digits={digitsOf(coin)} />
              </>
            }
            required
          />
          <Button
            variant="subtle"
            size="compact-sm"
            mt={4}
            onClick={() => void everything({ coin, coinOut, slippage })}
            disabled={busy}
          >
            {t(($) => $.send.everything)}
          </Button>
        </div>
        <div>
          <Text fz="sm" fw={500} mb={4} id="swap-slippage">
            {t(($) => $.swap.slippage)}
          </Text>
          <SegmentedControl
            aria-labelledby="swap-slippage"
            value={slippage}
            onChange={setSlippage}
            data={SLIPPAGES.map((one) => ({ value: one, label: `${one}%` }))}
            fullWidth
          />
          <Text fz="xs" c="dimmed" mt={4}>
            {t(($) => $.swap.slippageHint)}
          </Text>
        </div>
        <div aria-live="polite">
          {usable && quote.error && settled === value ? (
            <Alert color="red" variant="light" role="alert">
              {errorText(quote.error)}
            </Alert>
          ) : current ? (
            <QuoteFacts asked={asked} quote={current} />
          ) : usable ? (
            <Skeleton height={180} />
          ) : (
            <Text fz="sm" c="dimmed">
              {t(($) => $.swap.fill)}
            </Text>
          )}
        </div>
        <GuardedButton
          type="submit"
          allowed={current !== undefined && !current.gasMissing}
          reason={current?.gasMissing ? t(($) => $.fee.missing) : t(($) => $.swap.fill)}
        >
          {t(($) => $.swap.review)}
        </GuardedButton>
      </Stack>
    </form>
  );
}

function QuoteFacts({ asked, quote }: { asked: Asked; quote: SwapQuote }) {
  const { t } = useTranslation('web3');
  const format = useFormat();
  const out = currencyOf(asked.coinOut);
  const digits = digitsOf(asked.coinOut);
  const impact = impactOf(quote.impact);
  const age = Math.max(0, Math.round((useNow(1000, serverNow) - Date.parse(quote.at)) / 1000));
  const rate = rateOf(quote.value, quote.out);
  return (
    <Stack gap="sm">
      <Facts
        lines={[
          [
            t(($) => $.swap.gives),
            <Money key="o" value={fromWei(quote.out)} currency={out} digits={digits} />,
          ],
          [
            t(($) => $.swap.minimum),
            <span key="m" data-testid="swap-minimum">
              <Money value={fromWei(quote.minimum)} currency={out} digits={digits} />
            </span>,
          ],
          [
            t(($) => $.swap.rate),
            rate ? `1 ${currencyOf(asked.coin)} = ${format.decimal(rate, 6)}\u00a0${out}` : '–',
          ],
          [t(($) => $.swap.route), quote.route.map((coin) => currencyOf(coin)).join(' → ')],
          [t(($) => $.swap.impact), `${format.decimal(quote.impact, 2)}%`],
          [t(($) => $.fee.most), <Money key="f" value={fromWei(quote.feeMost)} currency="BNB" digits={8} />],
        ]}
      />
      <Text fz="xs" c="dimmed" className="num">
        <span>{t(($) => $.swap.age, { count: age })}</span>
        {quote.approval && <span>{` · ${t(($) => $.swap.twoSteps)}`}</span>}
      </Text>
      {impact !== 'fine' && (
        <Alert color={impact === 'stops' ? 'red' : 'gold'} variant="light" role="alert">
          {t(($) => $.swap.impactWarning, { percent: format.decimal(quote.impact, 2) })}
        </Alert>
      )}
      {quote.gasMissing && (
        <Alert color="red" variant="light" role="alert">
          {t(($) => $.fee.missing)}
        </Alert>
      )}
    </Stack>
  );
}

interface ReviewProps {
  asked: Asked;
  /** What was on screen when it was chosen. */
  first: SwapQuote;
  app: boolean;
  onBack: () => void;
  onDone: () => void;
}

function Review({ asked, first, app, onBack, onDone }: ReviewProps) {
  const { t } = useTranslation('web3');
  const { t: common } = useTranslation();
  const format = useFormat();
  const [accepted, setAccepted] = useState(first);
  const [typed, setTyped] = useState('');
  // What may have reached the server stays one order, its quote included, until it has answered.
  const pending = useRef<string | null>(null);
  const latest = useQuote(asked, true).data ?? first;
  const word = t(($) => $.swap.word);
  const worse = BigInt(latest.minimum) < BigInt(accepted.minimum);
  const stops = impactOf(accepted.impact) === 'stops' && typed.trim() !== word;
  const out = currencyOf(asked.coinOut);
  return (
    <Stack gap="md">
      <Facts
        lines={[
          [
            t(($) => $.swap.spends),
            <Money
              key="s"
              value={accepted.value}
              currency={currencyOf(asked.coin)}
              digits={digitsOf(asked.coin)}
            />,
          ],
        ]}
      />
      <QuoteFacts asked={asked} quote={worse ? accepted : latest} />
      {worse && (
        <Alert color="gold" variant="light" role="alert">
          <Stack gap="xs" align="start">
            <span>
              {t(($) => $.swap.moved, {
                minimum: `${format.decimal(fromWei(latest.minimum), digitsOf(asked.coinOut))} ${out}`,
              })}
            </span>
            <Button size="xs" onClick={() => setAccepted(latest)}>
              {t(($) => $.swap.accept)}
            </Button>
          </Stack>
        </Alert>
      )}
      {impactOf(accepted.impact) === 'stops' && (
        <TextInput
          label={common(($) => $.confirm.type, { phrase: word })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
        />
      )}
      <Text fz="sm" c="dimmed">
        {t(($) => $.swap.consequence)}
      </Text>
      <CodeStep
        app={app}
        submit={t(($) => $.swap.confirm)}
        blocked={
          worse
            ? t(($) => $.swap.acceptFirst)
            : stops
              ? t(($) => $.swap.typeFirst)
              : latest.gasMissing
                ? t(($) => $.fee.missing)
                : undefined
        }
        onBack={
          <Button variant="default" onClick={onBack}>
            {t(($) => $.back)}
          </Button>
        }
        asked={{ purpose: 'swap-tokens', destination: accepted.destination, amount: accepted.amount }}
        onCode={async (securityCode, key) => {
          // The newest quote promises at least what was accepted.
          pending.current ??= latest.quote;
          const quote = pending.current;
          try {
            await swapTokens({ ...asked, value: accepted.value, quote, securityCode }, key);
          } catch (error) {
            const { status } = asApiError(error);
            if (status >= 400 && status < 500) pending.current = null;
            throw error;
          }
          onDone();
        }}
      />
    </Stack>
  );
}
