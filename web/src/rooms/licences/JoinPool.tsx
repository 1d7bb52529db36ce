import {
  Alert,
  Button,
  Card,
  Checkbox,
  Group,
  Modal,
  Radio,
  SimpleGrid,
  Stack,
  Stepper,
  Table,
  Text,
} from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyKey } from '@/api/client';
import { $api } from '@/api/hooks';
import { useBalances } from '@/live/balances';
import { type Deposit, refetchLists, stageOf } from '@/live/chain/deposits';
import { useLiveEvent } from '@/live/live';
import { PayDeposit } from '@/ui/chain/PayDeposit';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive } from '@/ui/money';
import { Receipt, type ReceiptOf } from '@/ui/Receipt';
import { RiskNotice } from '@/ui/RiskNotice';
import { useErrorText } from '@/ui/useErrorText';
import type { Pool } from './PoolsTab';

interface JoinPoolProps {
  pools: readonly Pool[];
  first: Pool;
  onClose: () => void;
}

type Source = 'available' | 'crypto';

/** Pool and value, source, risks, review, and over the chain the payment. */
export function JoinPool({ pools, first, onClose }: JoinPoolProps) {
  const { t } = useTranslation('licences');
  const { t: common } = useTranslation();
  const { decimal } = useFormat();
  const errorText = useErrorText();
  const balances = useBalances();
  const [step, setStep] = useState(0);
  const [pool, setPool] = useState(first);
  const [value, setValue] = useState('');
  const [source, setSource] = useState<Source>('available');
  const [accepted, setAccepted] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // One key per opened dialog: a second click or a retry is the same order.
  const key = useRef(idempotencyKey());
  const [paying, setPaying] = useState<Deposit | null>(null);
  const [receipt, setReceipt] = useState<ReceiptOf | null>(null);
  const large = value !== '' && isPositive(value) && compare(value, pool.minimum) >= 0;
  const quote = $api.useQuery(
    'get',
    '/trader/get-deposit-intent/{kind}/{value}/{planId}',
    { params: { path: { kind: 'liquidity_for_pools', value: value || '0', planId: pool._id } } },
    { enabled: step > 0 && large },
  );
  const balance = balances.available?.balance ?? '0';
  const enough = source === 'crypto' ? quote.data !== undefined : compare(balance, value || '0') >= 0;
  useLiveEvent('crypto_deposit.changed', (event) => {
    const deposit = event.deposit as unknown as Deposit;
    setPaying((shown) => (shown?._id === deposit._id && shown.version < deposit.version ? deposit : shown));
  });

  const submit = async () => {
    setBusy(true);
    setError(null);
    const params = { header: { 'Idempotency-Key': key.current } };
    try {
      if (source === 'crypto') {
        setPaying(
          quote.data?.open ??
            (await body(
              api.POST('/trader/create-deposit-intent', {
                params,
                body: {
                  kind: 'liquidity_for_pools',
                  licenseValue: value,
                  product: 'usdt_bep20',
                  isHighRisk: false,
                  planId: pool._id,
                  riskAccepted: true,
                },
              }),
            )),
        );
        void refetchLists();
        setStep(4);
        return;
      }
      const { transfers } = await body(
        api.POST('/pools/join', { params, body: { plan: pool._id, value, riskAccepted: true } }),
      );
      setReceipt({ title: t(($) => $.pools.done), transfers, hint: t(($) => $.pools.stays) });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  if (receipt)
    return (
      <Modal opened onClose={onClose} title={pool.name} size="lg" centered withCloseButton={false}>
        <Receipt {...receipt} />
        <Group justify="flex-end" mt="md">
          <Button onClick={onClose} data-autofocus>
            {t(($) => $.buy.close)}
          </Button>
        </Group>
      </Modal>
    );
  const facts: [string, React.ReactNode][] = [
    [t(($) => $.pools.pool), pool.name],
    [t(($) => $.value), <Money key="v" value={value || '0'} digits={6} />],
    [t(($) => $.pools.term), t(($) => $.pools.termDays, { count: pool.termDays })],
    [t(($) => $.buy.source), t(($) => $.sources[source])],
    ...(source === 'crypto' && quote.data
      ? [
          [t(($) => $.buy.cryptoTotal), <Money key="t" value={quote.data.total} />] as [
            string,
            React.ReactNode,
          ],
        ]
      : []),
  ];
  const ready = [large, enough, accepted, true][step] ?? true;
  const reason = [
    t(($) => $.pools.tooSmall, { minimum: decimal(pool.minimum, 2) }),
    t(($) => $.pools.insufficient),
    t(($) => $.buy.acceptFirst),
  ][step];
  return (
    <Modal
      opened
      onClose={busy ? () => {} : onClose}
      title={t(($) => $.pools.joinTitle)}
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      <Stack gap="lg">
        <Stepper active={step} size="xs" iconSize={28}>
          <Stepper.Step label={t(($) => $.pools.pool)} />
          <Stepper.Step label={t(($) => $.buy.source)} />
          <Stepper.Step label={t(($) => $.buy.risks)} />
          <Stepper.Step label={t(($) => $.buy.review)} />
          {source === 'crypto' && <Stepper.Step label={t(($) => $.buy.payment)} />}
        </Stepper>
        {step === 0 && (
          <Stack gap="md">
            <Radio.Group
              label={t(($) => $.pools.choose)}
              value={pool._id}
              onChange={(id) => setPool(pools.find((one) => one._id === id) ?? pool)}
            >
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
                {pools.map((one) => (
                  <Radio.Card key={one._id} value={one._id} p="sm" radius="md">
                    <Group wrap="nowrap" gap="sm">
                      <Radio.Indicator />
                      <div>
                        <Text fw={600}>{one.name}</Text>
                        <Text fz="xs" c="dimmed">
                          {t(($) => $.pools.termDays, { count: one.termDays })}
                        </Text>
                      </div>
                    </Group>
                  </Radio.Card>
                ))}
              </SimpleGrid>
            </Radio.Group>
            <MoneyInput
              label={t(($) => $.value)}
              value={value}
              onChange={setValue}
              description={t(($) => $.pools.atLeast, { minimum: decimal(pool.minimum, 2) })}
              required
            />
          </Stack>
        )}
        {step === 1 && (
          <Radio.Group
            label={t(($) => $.buy.source)}
            value={source}
            onChange={(next) => setSource(next as Source)}
          >
            <Stack gap="xs" mt="xs">
              {(['available', 'crypto'] as const).map((one) => (
                <Radio.Card key={one} value={one} p="sm" radius="md">
                  <Group justify="space-between" wrap="nowrap">
                    <Group gap="sm">
                      <Radio.Indicator />
                      <Text fz="sm">{t(($) => $.sources[one])}</Text>
                    </Group>
                    <Money value={one === 'crypto' ? quote.data?.total : balance} />
                  </Group>
                </Radio.Card>
              ))}
            </Stack>
            {source === 'crypto' && quote.error && (
              <ErrorCard what={t(($) => $.buy.quoteWhat)} error={quote.error} onRetry={quote.refetch} />
            )}
            {!enough && source !== 'crypto' && (
              <Text c="red" fz="sm" mt="xs" role="alert">
                {t(($) => $.pools.insufficient)}
              </Text>
            )}
          </Radio.Group>
        )}
        {step === 2 && (
          <Stack gap="md">
            <RiskNotice />
            <Alert color="gold" variant="light">
              {t(($) => $.pools.noLeaving, { count: pool.termDays })}
            </Alert>
            <Checkbox
              label={t(($) => $.buy.accept)}
              checked={accepted}
              onChange={(event) => setAccepted(event.currentTarget.checked)}
            />
          </Stack>
        )}
        {step === 3 && (
          <>
            <Card withBorder p={0}>
              <Table variant="vertical">
                <Table.Tbody>
                  {facts.map(([label, fact]) => (
                    <Table.Tr key={label}>
                      <Table.Th fw={500} c="dimmed" bg="transparent">
                        {label}
                      </Table.Th>
                      <Table.Td className="num">{fact}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Card>
            <Text fz="sm" c="dimmed">
              {t(($) => $.pools.stays)}
            </Text>
          </>
        )}
        {step === 4 && paying && <PayDeposit deposit={paying} />}
        {error !== null && (
          <Alert color="red" variant="light" role="alert">
            {errorText(error)}
          </Alert>
        )}
        {step === 4 ? (
          <Group justify="flex-end">
            <Button onClick={onClose}>
              {paying && stageOf(paying) === 'credited' ? t(($) => $.buy.close) : t(($) => $.buy.closeLater)}
            </Button>
          </Group>
        ) : (
          <Group justify="space-between">
            <Button
              variant="default"
              disabled={busy}
              onClick={() => (step === 0 ? onClose() : setStep(step - 1))}
            >
              {step === 0 ? common(($) => $.actions.cancel) : t(($) => $.buy.back)}
            </Button>
            {step < 3 ? (
              <GuardedButton
                needsConnection={false}
                allowed={ready}
                reason={reason}
                onClick={() => setStep(step + 1)}
              >
                {t(($) => $.buy.next)}
              </GuardedButton>
            ) : (
              <GuardedButton allowed={!busy} loading={busy} onClick={() => void submit()}>
                {source === 'crypto' ? t(($) => $.buy.open) : t(($) => $.pools.confirm)}
              </GuardedButton>
            )}
          </Group>
        )}
      </Stack>
    </Modal>
  );
}
