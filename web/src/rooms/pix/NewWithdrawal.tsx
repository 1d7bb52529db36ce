import { Alert, Card, Select, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { useUser } from '@/api/session';
import { useByPasskey } from '@/shared/passkeys/useByPasskey';
import { parts } from '@/shared/payments/fees';
import { useSpendable } from '@/shared/payments/useSpendable';
import { CodeDialog } from '@/ui/CodeDialog';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { multiply, tidy } from '@/ui/money';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { RateLine } from './RateLine';
import { useRate } from './useRate';
import { KEY_KINDS, type KeyKind, type PixWithdrawal, withdraw } from './withdrawals';

type Quote = Schemas['PixWithdrawalQuote'];
type Holder = Schemas['HolderView'];

/** What the mailed code, and a passkey's word, are bound to. */
const asked = ({ destination, value }: Quote) =>
  ({ purpose: 'pix-withdraw', destination, amount: tidy(value, 2) }) as const;

interface NewWithdrawalProps {
  holder: Holder | null;
  onMade: (withdrawal: PixWithdrawal) => void;
}

/** Key and amount; what it costs and brings is seen before a code confirms exactly that. */
export function NewWithdrawal({ holder, onMade }: NewWithdrawalProps) {
  const { t } = useTranslation('pix');
  const { t: common } = useTranslation();
  const byPasskey = useByPasskey();
  const format = useFormat();
  const errorText = useErrorText();
  const user = useUser();
  const spendable = useSpendable();
  const { rate, shown } = useRate();
  const [kind, setKind] = useState<KeyKind>(holder?.kind ?? 'cpf');
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const [touched, setTouched] = useState(false);
  const [quote, setQuote] = useState<Quote | null>(null);
  const [step, setStep] = useState<'confirm' | 'code' | null>(null);
  const { busy, failure, run, field, clear } = useSubmit(
    (order: { value: string; keyKind: KeyKind; key: string }) =>
      body(api.POST('/withdraw-pix/quote', { body: order })),
    (quoted) => {
      setQuote(quoted);
      setStep('confirm');
    },
  );
  const keyField = useRef<HTMLInputElement>(null);

  const terms = rate.data?.withdrawal;
  const cost = terms && value !== '' ? parts(value, terms) : undefined;
  const app = user?.twoFactor.app ?? false;
  const ask = () => {
    setTouched(true);
    if (!cost) return;
    if (key.trim() === '') return keyField.current?.focus();
    void run({ value, keyKind: kind, key });
  };
  const send = async (securityCode: string, order: string) => {
    const made = await withdraw({ value, keyKind: kind, key, securityCode }, order);
    setStep(null);
    setValue('');
    setKey('');
    setTouched(false);
    toast.success(t(($) => $.withdraw.made, { amount: format.usdt(made.value) }));
    onMade(made);
  };
  const [keyProblem, valueProblem] = [field('key'), field('value')];

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
            {t(($) => $.withdraw.form.title)}
          </Title>
          {rate.error && !rate.data ? (
            <ErrorCard what={t(($) => $.withdraw.form.terms)} error={rate.error} onRetry={rate.refetch} />
          ) : null}
          <Select
            label={t(($) => $.withdraw.form.kind)}
            value={kind}
            onChange={(next) => next && setKind(next as KeyKind)}
            data={KEY_KINDS.map((name) => ({ value: name, label: t(($) => $.withdraw.form.kinds[name]) }))}
            allowDeselect={false}
          />
          <div>
            <TextInput
              ref={keyField}
              label={t(($) => $.withdraw.form.key)}
              name="key"
              value={key}
              onChange={(event) => {
                setKey(event.currentTarget.value);
                clear();
              }}
              error={
                keyProblem ?? (touched && key.trim() === '' ? t(($) => $.withdraw.form.fillKey) : undefined)
              }
              maxLength={90}
              autoComplete="off"
              spellCheck={false}
              inputMode={kind === 'phone' ? 'tel' : kind === 'email' ? 'email' : 'text'}
              required
            />
            {holder && (
              <Text fz="xs" c="dimmed" mt={4}>
                {t(($) => $.withdraw.form.holderKey, { document: holder.document })}
              </Text>
            )}
          </div>
          <MoneyInput
            label={t(($) => $.withdraw.form.value)}
            name="value"
            value={value}
            onChange={(next) => {
              setValue(next);
              clear();
            }}
            max={spendable.max}
            balance={spendable.balance}
            description={spendable.why}
            error={
              valueProblem ??
              ((value !== '' || touched) && terms && !cost ? t(($) => $.withdraw.form.invalid) : undefined)
            }
          />
          <Costs cost={cost} rate={shown?.rate} />
          <RateLine rate={shown}>
            {terms &&
              t(($) => $.withdraw.form.feeHint, {
                percent: format.exact(tidy(terms.feePercent)),
                minimum: format.usdt(terms.feeMinimum),
                least: format.usdt(terms.minimum),
              })}
          </RateLine>
          {failure && !keyProblem && !valueProblem && (
            <Alert color="red" variant="light" role="alert" title={common(($) => $.error.withdraw)}>
              {errorText(failure.error)}
            </Alert>
          )}
          <GuardedButton type="submit" allowed={rate.data !== undefined} loading={busy} fullWidth>
            {t(($) => $.withdraw.form.submit)}
          </GuardedButton>
        </Stack>
      </form>
      {quote && (
        <ConfirmDialog
          opened={step === 'confirm'}
          onClose={() => setStep((now) => (now === 'confirm' ? null : now))}
          title={t(($) => $.withdraw.confirm.title)}
          facts={[
            { label: t(($) => $.withdraw.form.value), value: <Money value={quote.value} digits={6} /> },
            { label: t(($) => $.withdraw.form.fee), value: <Money value={quote.fee} digits={6} /> },
            { label: t(($) => $.withdraw.form.net), value: <Money value={quote.net} digits={6} /> },
            { label: t(($) => $.withdraw.form.receive), value: <Money value={quote.brl} currency="BRL" /> },
            { label: t(($) => $.details.rate), value: `R$\u00a0${format.decimal(quote.rate, 4)}` },
            { label: t(($) => $.withdraw.form.kinds[quote.keyKind]), value: quote.key },
          ]}
          consequence={
            <>
              {quote.holder !== 'matches' && (
                <Alert color="gold" variant="light" mb="sm">
                  {t(($) => $.withdraw.confirm[quote.holder === 'differs' ? 'differs' : 'unknown'])}
                </Alert>
              )}
              <span>{t(($) => $.withdraw.confirm.consequence)}</span>
            </>
          }
          confirmLabel={t(($) => $.withdraw.confirm.submit)}
          onConfirm={async () => setStep('code')}
        />
      )}
      {quote && (
        <CodeDialog
          opened={step === 'code'}
          onClose={() => setStep(null)}
          title={t(($) => $.withdraw.code.title)}
          hint={
            app ? t(($) => $.withdraw.code.app) : t(($) => $.withdraw.code.mail, { email: user?.email ?? '' })
          }
          failed={common(($) => $.error.withdraw)}
          {...(!app && {
            onSend: () => api.POST('/security-code', { body: asked(quote) }),
          })}
          {...byPasskey(asked(quote))}
          onCode={send}
        />
      )}
    </Card>
  );
}

/** Fee, net and what the key receives, as they are typed. */
function Costs({
  cost,
  rate,
}: {
  cost: { fee: string; net: string } | null | undefined;
  rate: string | undefined;
}) {
  const { t } = useTranslation('pix');
  const none = '–';
  const lines: [string, ReactNode][] = [
    [t(($) => $.withdraw.form.fee), cost ? <Money key="f" value={cost.fee} digits={6} /> : none],
    [t(($) => $.withdraw.form.net), cost ? <Money key="n" value={cost.net} digits={6} /> : none],
    [
      t(($) => $.withdraw.form.receive),
      cost && rate ? <Money key="r" value={multiply(cost.net, rate, 2, 'down')} currency="BRL" /> : none,
    ],
  ];
  return (
    <Table variant="vertical" layout="fixed" aria-live="polite">
      <Table.Tbody>
        {lines.map(([label, amount], index) => (
          <Table.Tr key={label}>
            <Table.Th w="45%" fw={500} c="dimmed" bg="transparent">
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
