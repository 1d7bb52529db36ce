import { Alert, Card, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyKey } from '@/api/client';
import { asApiError } from '@/api/problem';
import { type Coin, type Deposit, refetchLists } from '@/live/chain/deposits';
import { GuardedButton } from '@/ui/GuardedButton';
import { MoneyInput } from '@/ui/MoneyInput';
import { isPositive } from '@/ui/money';
import { useErrorText } from '@/ui/useErrorText';

const COINS = ['usdt', 'busd', 'bnb'] as const satisfies readonly Coin[];

/** Coin and value: an address of its own for whatever is sent. */
export function NewDeposit({ onCreated }: { onCreated: (deposit: Deposit) => void }) {
  const { t } = useTranslation('wallet');
  const errorText = useErrorText();
  const [coin, setCoin] = useState<(typeof COINS)[number]>('usdt');
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const [touched, setTouched] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // One key per order: a repeated click or a retry after a cut is the same deposit.
  const key = useRef(idempotencyKey());
  const usable = value !== '' && isPositive(value);
  const renew = () => {
    key.current = idempotencyKey();
    setError(null);
  };
  const submit = async () => {
    setTouched(true);
    if (busy || !usable) return;
    setBusy(true);
    setError(null);
    try {
      const deposit = await body(
        api.POST('/deposit', {
          params: { header: { 'Idempotency-Key': key.current } },
          body: { coin, value },
        }),
      );
      renew();
      setValue('');
      setTouched(false);
      await refetchLists();
      onCreated(deposit);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const problem = error === null ? null : asApiError(error);
  const onField = problem?.field('value');
  return (
    <Card component="section" aria-labelledby="new-crypto-deposit">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack gap="md">
          <Title order={2} fz={17} id="new-crypto-deposit">
            {t(($) => $.form.title)}
          </Title>
          <SegmentedControl
            aria-label={t(($) => $.form.coin)}
            value={coin}
            onChange={(next) => {
              setCoin(next as typeof coin);
              renew();
            }}
            data={COINS.map((one) => ({ value: one, label: t(($) => $.coins[one]) }))}
            fullWidth
          />
          <MoneyInput
            label={t(($) => $.form.value)}
            value={value}
            onChange={(next) => {
              setValue(next);
              renew();
            }}
            error={onField ?? (touched && !usable ? t(($) => $.form.fill) : undefined)}
            description={t(($) => $.form.fee)}
            required
          />
          {coin !== 'usdt' && (
            <Text fz="sm" c="dimmed">
              {coin === 'busd' ? t(($) => $.form.busd) : t(($) => $.form.bnb)}
            </Text>
          )}
          {problem && !onField && (
            <Alert color="red" variant="light" role="alert">
              {errorText(error)}
            </Alert>
          )}
          <GuardedButton type="submit" allowed={!busy} loading={busy}>
            {t(($) => $.form.submit)}
          </GuardedButton>
        </Stack>
      </form>
    </Card>
  );
}
