import { Alert, Card, SegmentedControl, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { useUser } from '@/api/session';
import { inFours } from '@/live/chain/address';
import { brief, currencyOf, fromWei } from '@/live/chain/deposits';
import { useByPasskey } from '@/shared/passkeys/useByPasskey';
import { parts, pyxParts } from '@/shared/payments/fees';
import { useSpendable } from '@/shared/payments/useSpendable';
import { CodeDialog } from '@/ui/CodeDialog';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, tidy } from '@/ui/money';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { AddressField } from './AddressField';
import { useTerms } from './useTerms';
import { Value } from './Value';
import { COINS, lookAlike, looksLikeAddress, type PayCoin, type Withdrawal, withdraw } from './withdrawals';

type Quote = Schemas['WithdrawalQuote'];

/** Coin, address and amount; what it costs and brings is seen before anything is asked for. */
export function NewWithdrawal({ onMade }: { onMade: (withdrawal: Withdrawal) => void }) {
  const { t } = useTranslation('withdrawals');
  const { t: common } = useTranslation();
  const byPasskey = useByPasskey();
  const format = useFormat();
  const errorText = useErrorText();
  const user = useUser();
  const spendable = useSpendable();
  const terms = useTerms();
  const unknownTerms: unknown = terms.error;
  const [coin, setCoin] = useState<PayCoin>('usdt');
  const pyx = coin === 'pyx';
  const holdings = $api.useQuery('get', '/presale/holdings', {}, { enabled: pyx });
  const available = pyx ? holdings.data?.balances.free : spendable.max;
  const [address, setAddress] = useState('');
  const [value, setValue] = useState('');
  const [touched, setTouched] = useState(false);
  const [quote, setQuote] = useState<Quote | null>(null);
  const [step, setStep] = useState<'confirm' | 'code' | null>(null);
  const { busy, failure, run, field, clear } = useSubmit(
    (order: { coin: PayCoin; address: string; value: string }) =>
      body(api.POST('/withdraw/quote', { body: order })),
    (quoted) => {
      setQuote(quoted);
      setStep('confirm');
    },
  );
  const addressField = useRef<HTMLInputElement>(null);
  const book = useBook();

  const offered = COINS.filter((one) => terms.data?.coins.includes(one) ?? true);
  const cost =
    terms.data && value !== '' ? (pyx ? pyxParts(value, terms.data) : parts(value, terms.data)) : undefined;
  // The field says so itself.
  const tooMuch = available !== undefined && value !== '' && compare(value, available) > 0;
  const app = user?.twoFactor.app ?? false;
  const linked = { email: user?.email ?? '', minutes: terms.data?.linkMinutes ?? '–' };
  const twin = lookAlike(
    address,
    book.map((known) => known.address),
  );
  const shape = looksLikeAddress(address);
  const ask = () => {
    setTouched(true);
    if (!shape || twin) return addressField.current?.focus();
    if (!cost || tooMuch) return;
    void run({ coin, address, value });
  };
  const send = async (key: string, securityCode?: string) => {
    const made = await withdraw({ coin, address, value, ...(securityCode && { securityCode }) }, key);
    setStep(null);
    setValue('');
    setAddress('');
    setTouched(false);
    toast.success(t(($) => $.made, { email: user?.email ?? '' }));
    onMade(made);
  };
  const wrongAddress =
    field('address') ??
    field('destination') ??
    (twin
      ? t(($) => $.form.lookAlike, { known: brief(twin) })
      : (touched || address.length >= 42) && !shape
        ? t(($) => $.form.addressInvalid)
        : undefined);
  const wrongValue =
    field('value') ??
    ((value !== '' || touched) && terms.data && !cost ? t(($) => $.form.invalid) : undefined);

  return (
    <Card component="section" aria-labelledby="new-withdrawal" h="100%">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <Stack gap="md">
          <Title order={2} fz={17} id="new-withdrawal">
            {t(($) => $.form.title)}
          </Title>
          {unknownTerms !== null && !terms.data && (
            <ErrorCard what={t(($) => $.form.terms)} error={unknownTerms} onRetry={terms.refetch} />
          )}
          <SegmentedControl
            aria-label={t(($) => $.form.coin)}
            value={coin}
            onChange={(next) => {
              // An amount of PYX is none of USDT.
              if (pyx !== (next === 'pyx')) setValue('');
              setTouched(false);
              setCoin(next as PayCoin);
              clear();
            }}
            data={offered.map((one) => ({ value: one, label: t(($) => $.coins[one]) }))}
            fullWidth
          />
          <AddressField
            ref={addressField}
            label={t(($) => $.form.address)}
            hint={t(($) => $.form.addressHint)}
            value={address}
            onChange={(next) => {
              setAddress(next);
              clear();
            }}
            book={book}
            error={wrongAddress}
          />
          <MoneyInput
            key={pyx ? 'pyx' : 'usdt'}
            label={pyx ? t(($) => $.form.valuePyx) : t(($) => $.form.value)}
            currency={pyx ? 'PYX' : 'USDT'}
            description={
              pyx && holdings.data
                ? t(($) => $.form.balancePyx, { amount: format.decimal(holdings.data.balances.free, 6) })
                : pyx
                  ? undefined
                  : spendable.why
            }
            name="value"
            value={value}
            onChange={(next) => {
              setValue(next);
              clear();
            }}
            max={available}
            balance={pyx ? available : spendable.balance}
            error={wrongValue}
          />
          <Costs coin={coin} cost={cost} />
          {terms.data && (
            <Text fz="xs" c="dimmed">
              {pyx
                ? t(($) => $.form.feeHintPyx, {
                    fee: format.usdt(terms.data.pyxFee),
                    least: format.decimal(terms.data.pyxMinimum, 0),
                  })
                : t(($) => $.form.feeHint, {
                    percent: format.exact(tidy(terms.data.feePercent)),
                    minimum: format.usdt(terms.data.feeMinimum),
                    least: format.usdt(terms.data.minimum),
                  })}
            </Text>
          )}
          {failure && !wrongAddress && !wrongValue && (
            <Alert color="red" variant="light" role="alert" title={common(($) => $.error.withdraw)}>
              {errorText(failure.error)}
            </Alert>
          )}
          <GuardedButton type="submit" allowed={terms.data !== undefined} loading={busy} fullWidth>
            {t(($) => $.form.submit)}
          </GuardedButton>
        </Stack>
      </form>
      {quote && (
        <ConfirmDialog
          opened={step === 'confirm'}
          onClose={() => setStep((now) => (now === 'confirm' ? null : now))}
          title={t(($) => $.confirm.title)}
          facts={[
            {
              label: quote.coin === 'pyx' ? t(($) => $.form.valuePyx) : t(($) => $.form.value),
              value: <Value of={quote} />,
            },
            { label: t(($) => $.form.fee), value: <Money value={quote.fee} digits={6} /> },
            ...(quote.coin === 'pyx'
              ? []
              : [{ label: t(($) => $.form.net), value: <Money value={quote.net} digits={6} /> }]),
            {
              label: t(($) => $.form.receive),
              value: (
                <Money
                  value={fromWei(quote.amount)}
                  currency={currencyOf(quote.coin)}
                  digits={quote.coin === 'pyx' ? 6 : 8}
                />
              ),
            },
            {
              label: t(($) => $.form.address),
              value: (
                <span className="num" translate="no">
                  {inFours(quote.address)}
                </span>
              ),
            },
          ]}
          consequence={
            quote.coin === 'pyx'
              ? t(($) => $.confirm.consequencePyx, linked)
              : t(($) => $.confirm.consequence, linked)
          }
          confirmLabel={t(($) => $.confirm.submit)}
          failed={common(($) => $.error.withdraw)}
          onConfirm={async ({ idempotencyKey }) => (app ? setStep('code') : send(idempotencyKey))}
        />
      )}
      {quote && (
        <CodeDialog
          opened={step === 'code'}
          onClose={() => setStep(null)}
          title={t(($) => $.code.title)}
          hint={t(($) => $.code.app)}
          failed={common(($) => $.error.withdraw)}
          {...byPasskey({
            purpose: 'crypto-withdraw',
            destination: quote.codeDestination,
            amount: quote.codeAmount,
          })}
          onCode={(code, key) => send(key, code)}
        />
      )}
    </Card>
  );
}

/** Addresses that may be chosen: the person's own list, then those that were paid before. */
function useBook() {
  const { t } = useTranslation('withdrawals');
  const listed = $api.useQuery('get', '/whitelist');
  const paid = $api.useQuery('get', '/list-withdraws', {
    params: { query: { status: 'complete', limit: 20 } },
  });
  const book = new Map<string, { address: string; label: string }>();
  for (const entry of listed.data?.entries ?? [])
    if (entry.kind === 'chain')
      book.set(entry.destination.toLowerCase(), { address: entry.destination, label: entry.label });
  for (const { address } of paid.data?.data ?? [])
    if (!book.has(address.toLowerCase()))
      book.set(address.toLowerCase(), { address, label: t(($) => $.form.used) });
  return [...book.values()];
}

/** Fee and net, as they are typed. */
function Costs({ coin, cost }: { coin: PayCoin; cost: { fee: string; net: string } | null | undefined }) {
  const { t } = useTranslation('withdrawals');
  const none = '–';
  const lines: [string, ReactNode][] = [
    [t(($) => $.form.fee), cost ? <Money key="f" value={cost.fee} digits={6} /> : none],
    [
      coin === 'usdt' || coin === 'pyx'
        ? t(($) => $.form.receive)
        : t(($) => $.form.worth, { coin: coin.toUpperCase() }),
      cost ? <Money key="n" value={cost.net} currency={coin === 'pyx' ? 'PYX' : 'USDT'} digits={6} /> : none,
    ],
  ];
  return (
    <Table variant="vertical" layout="fixed" aria-live="polite">
      <Table.Tbody>
        {lines.map(([label, amount], index) => (
          <Table.Tr key={label}>
            <Table.Th w="55%" fw={500} c="dimmed" bg="transparent">
              {label}
            </Table.Th>
            <Table.Td ta="right" fw={index === lines.length - 1 ? 700 : 500} className="num">
              {amount}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
