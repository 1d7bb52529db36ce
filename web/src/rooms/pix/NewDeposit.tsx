import { Alert, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { MoneyInput } from '@/ui/MoneyInput';
import { divide, isPositive, multiply, tidy } from '@/ui/money';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { openDeposit, type PixDeposit } from './deposits';
import { RateLine } from './RateLine';
import { useRate } from './useRate';

/** What the form starts with: a rejected deposit's amounts, to send another. `at` tells two equal wishes apart. */
export interface Draft {
  brl: string;
  at: number;
}

/** Both amounts linked by the rate of now; the one typed last is ordered, the server computes the other. */
export function NewDeposit({
  draft,
  onCreated,
}: {
  draft: Draft | null;
  onCreated: (deposit: PixDeposit) => void;
}) {
  const { t } = useTranslation('pix');
  const format = useFormat();
  const errorText = useErrorText();
  const { rate, shown } = useRate();
  const [basis, setBasis] = useState<'usdt' | 'brl'>('usdt');
  const [amount, setAmount] = useState('');
  const [touched, setTouched] = useState(false);
  const { busy, failure, run, field, changed } = useSubmit(openDeposit, (deposit) => {
    setAmount('');
    setTouched(false);
    onCreated(deposit);
  });
  const change = (next: 'usdt' | 'brl') => (value: string) => {
    setBasis(next);
    setAmount(value);
    changed();
  };
  const begin = useEffectEvent(({ brl }: Draft) => change('brl')(brl));
  useEffect(() => {
    if (draft) begin(draft);
  }, [draft]);

  const price = shown?.rate;
  const usable = amount !== '' && isPositive(amount);
  const other =
    !usable || !price
      ? ''
      : basis === 'usdt'
        ? multiply(amount, price, 2, 'up')
        : tidy(divide(amount, price, 6, 'down'), 2);
  const submit = () => {
    setTouched(true);
    if (usable) void run(basis === 'usdt' ? { usdt: amount } : { brl: amount });
  };
  const fieldProblem = field('usdt') ?? field('brl');
  const missing = touched && !usable ? t(($) => $.form.fill) : undefined;
  const bounds =
    rate.data &&
    t(($) => $.form.bounds, {
      minimum: format.usdt(rate.data.minimum),
      maximum: format.usdt(rate.data.maximum),
    });

  return (
    <Card component="section" aria-labelledby="new-deposit">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="md">
          <Title order={2} fz={17} id="new-deposit">
            {t(($) => $.form.title)}
          </Title>
          {rate.error && !rate.data ? (
            <ErrorCard what={t(($) => $.rate.what)} error={rate.error} onRetry={rate.refetch} />
          ) : null}
          <MoneyInput
            label={t(($) => $.form.usdt)}
            name="usdt"
            value={basis === 'usdt' ? amount : other}
            onChange={change('usdt')}
            error={basis === 'usdt' ? (fieldProblem ?? missing) : undefined}
          />
          <MoneyInput
            label={t(($) => $.form.brl)}
            name="brl"
            currency="BRL"
            value={basis === 'brl' ? amount : other}
            onChange={change('brl')}
            error={basis === 'brl' ? (fieldProblem ?? missing) : undefined}
          />
          <RateLine rate={shown}>
            {rate.data && t(($) => $.rate.locked, { minutes: rate.data.lockedMinutes })}
          </RateLine>
          {bounds && (
            <Text fz="xs" c="dimmed" className="num">
              {bounds}
            </Text>
          )}
          {failure && !fieldProblem && (
            <Alert color="red" variant="light" role="alert">
              {errorText(failure.error)}
            </Alert>
          )}
          <Group>
            <GuardedButton type="submit" allowed={rate.data !== undefined} loading={busy} fullWidth>
              {t(($) => $.form.submit)}
            </GuardedButton>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
