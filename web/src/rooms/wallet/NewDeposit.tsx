import { Alert, Card, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { type Coin, type Deposit, openDeposit } from '@/live/chain/deposits';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { MoneyInput } from '@/ui/MoneyInput';
import { isPositive, tidy } from '@/ui/money';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';

const COINS = ['usdt', 'busd', 'bnb'] as const satisfies readonly Coin[];

/** Coin and value: an address of its own for whatever is sent. */
export function NewDeposit({ onCreated }: { onCreated: (deposit: Deposit) => void }) {
  const { t } = useTranslation('wallet');
  const errorText = useErrorText();
  const { exact } = useFormat();
  const terms = $api.useQuery('get', '/deposit/terms').data;
  const [coin, setCoin] = useState<(typeof COINS)[number]>('usdt');
  const [value, setValue] = useState('');
  const [touched, setTouched] = useState(false);
  const { busy, failure, run, field, changed } = useSubmit(openDeposit, (deposit) => {
    setValue('');
    setTouched(false);
    onCreated(deposit);
  });
  const usable = value !== '' && isPositive(value);
  const submit = () => {
    setTouched(true);
    if (usable) void run({ coin, value });
  };
  const onField = field('value');
  return (
    <Card component="section" aria-labelledby="new-crypto-deposit">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
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
              changed();
            }}
            data={COINS.map((one) => ({ value: one, label: t(($) => $.coins[one]) }))}
            fullWidth
          />
          <MoneyInput
            label={t(($) => $.form.value)}
            value={value}
            onChange={(next) => {
              setValue(next);
              changed();
            }}
            error={onField ?? (touched && !usable ? t(($) => $.form.fill) : undefined)}
            description={
              // A line from the first, so that nothing jumps.
              terms
                ? t(($) => $.form.fee, {
                    fee: exact(tidy(terms.fee)),
                    percent: exact(tidy(terms.feePercent)),
                  })
                : '\u00a0'
            }
            required
          />
          {coin !== 'usdt' && (
            <Text fz="sm" c="dimmed">
              {coin === 'busd' ? t(($) => $.form.busd) : t(($) => $.form.bnb)}
            </Text>
          )}
          {failure && !onField && (
            <Alert color="red" variant="light" role="alert">
              {errorText(failure.error)}
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
