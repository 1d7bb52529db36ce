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
import { type Plan, put } from '@/live/licences';
import { useLiveEvent } from '@/live/live';
import { PayDeposit } from '@/ui/chain/PayDeposit';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { compare } from '@/ui/money';
import { Receipt, type ReceiptOf } from '@/ui/Receipt';
import { RiskNotice } from '@/ui/RiskNotice';
import { useErrorText } from '@/ui/useErrorText';

interface BuyLicenceProps {
  plans: readonly Plan[];
  /** The plan whose card was pressed. */
  first: Plan;
  onClose: () => void;
}

type Source = 'available' | 'sponsored' | 'crypto';

/** Plan, source, risks, review, and over the chain the payment: the purchase step by step. */
export function BuyLicence({ plans, first, onClose }: BuyLicenceProps) {
  const { t } = useTranslation('licences');
  const { t: common } = useTranslation();
  const { percent, decimal } = useFormat();
  const errorText = useErrorText();
  const balances = useBalances();
  const [step, setStep] = useState(0);
  const [plan, setPlan] = useState(first);
  const [source, setSource] = useState<Source>('available');
  const [accepted, setAccepted] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // One key per opened dialog: a second click or a retry is the same purchase.
  const key = useRef(idempotencyKey());
  const [paying, setPaying] = useState<Deposit | null>(null);
  const [receipt, setReceipt] = useState<ReceiptOf | null>(null);
  const quote = $api.useQuery(
    'get',
    '/trader/get-deposit-intent/{kind}/{value}/{planId}',
    { params: { path: { kind: 'license', value: plan.value, planId: plan._id } } },
    { enabled: step > 0 },
  );
  const balance = source === 'crypto' ? '0' : (balances[source]?.balance ?? '0');
  const enough = source === 'crypto' ? quote.data !== undefined : compare(balance, plan.value) >= 0;
  useLiveEvent('crypto_deposit.changed', (event) => {
    const deposit = event.deposit as unknown as Deposit;
    setPaying((shown) => (shown?._id === deposit._id && shown.version < deposit.version ? deposit : shown));
  });

  /** Opens the payment over the chain, or goes on with the one that is open for this plan. */
  const order = async () => {
    setBusy(true);
    setError(null);
    try {
      const open = quote.data?.open;
      setPaying(
        open ??
          (await body(
            api.POST('/trader/create-deposit-intent', {
              params: { header: { 'Idempotency-Key': key.current } },
              body: {
                licenseValue: plan.value,
                product: 'usdt_bep20',
                isHighRisk: plan.isHighRisk,
                planId: plan._id,
                riskAccepted: true,
              },
            }),
          )),
      );
      void refetchLists();
      setStep(4);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  const buy = async () => {
    if (source === 'crypto') return;
    setBusy(true);
    setError(null);
    try {
      const params = { header: { 'Idempotency-Key': key.current } };
      const { transfers, ...bought } = await body(
        api.POST('/licences/buy', { params, body: { plan: plan._id, source, riskAccepted: true } }),
      );
      put([bought]);
      setReceipt({
        title: t(($) => $.buy.done),
        transfers,
        hint: t(($) => $.buy.cancelHint),
      });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  const facts: [string, React.ReactNode][] = [
    [t(($) => $.buy.plan), <Money key="v" value={plan.value} />],
    [t(($) => $.risk), plan.isHighRisk ? t(($) => $.highRisk) : t(($) => $.standard)],
    [t(($) => $.limit), <Money key="l" value={plan.allocationLimit} />],
    [t(($) => $.maximumReturn), percent(plan.maximumReturn, 0)],
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
  if (receipt)
    return (
      <Modal
        opened
        onClose={onClose}
        title={t(($) => $.buy.title)}
        size="lg"
        centered
        withCloseButton={false}
      >
        <Receipt {...receipt} />
        <Group justify="flex-end" mt="md">
          <Button onClick={onClose} data-autofocus>
            {t(($) => $.buy.close)}
          </Button>
        </Group>
      </Modal>
    );
  return (
    <Modal
      opened
      onClose={busy ? () => {} : onClose}
      title={t(($) => $.buy.title)}
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      <Stack gap="lg">
        <Stepper active={step} size="xs" iconSize={28}>
          <Stepper.Step label={t(($) => $.buy.plan)} />
          <Stepper.Step label={t(($) => $.buy.source)} />
          <Stepper.Step label={t(($) => $.buy.risks)} />
          <Stepper.Step label={t(($) => $.buy.review)} />
          {source === 'crypto' && <Stepper.Step label={t(($) => $.buy.payment)} />}
        </Stepper>
        {step === 0 && (
          <Radio.Group
            label={t(($) => $.buy.choose)}
            value={plan._id}
            onChange={(id) => setPlan(plans.find((one) => one._id === id) ?? plan)}
          >
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
              {plans.map((one) => (
                <Radio.Card key={one._id} value={one._id} p="sm" radius="md">
                  <Group wrap="nowrap" gap="sm">
                    <Radio.Indicator />
                    <div>
                      <Text fw={600} className="num">
                        <Money value={one.value} />
                      </Text>
                      <Text fz="xs" c="dimmed">
                        {one.isHighRisk ? t(($) => $.highRisk) : t(($) => $.standard)}
                      </Text>
                    </div>
                  </Group>
                </Radio.Card>
              ))}
            </SimpleGrid>
          </Radio.Group>
        )}
        {step === 1 && (
          <Radio.Group
            label={t(($) => $.buy.source)}
            value={source}
            onChange={(next) => setSource(next as Source)}
          >
            <Stack gap="xs" mt="xs">
              {(['available', 'sponsored'] as const).map((one) => (
                <Radio.Card key={one} value={one} p="sm" radius="md">
                  <Group justify="space-between" wrap="nowrap">
                    <Group gap="sm">
                      <Radio.Indicator />
                      <Text fz="sm">{t(($) => $.sources[one])}</Text>
                    </Group>
                    <Money value={balances[one]?.balance ?? '0'} />
                  </Group>
                </Radio.Card>
              ))}
              <Radio.Card value="crypto" p="sm" radius="md">
                <Group justify="space-between" wrap="nowrap">
                  <Group gap="sm">
                    <Radio.Indicator />
                    <Text fz="sm">{t(($) => $.sources.crypto)}</Text>
                  </Group>
                  <Money value={quote.data?.total} />
                </Group>
              </Radio.Card>
            </Stack>
            {source === 'crypto' && quote.error && (
              <ErrorCard what={t(($) => $.buy.quoteWhat)} error={quote.error} onRetry={quote.refetch} />
            )}
            {!enough && source !== 'crypto' && (
              <Text c="red" fz="sm" mt="xs" role="alert">
                {t(($) => $.buy.insufficient)}
              </Text>
            )}
          </Radio.Group>
        )}
        {step === 2 && (
          <Stack gap="md">
            <RiskNotice />
            <Checkbox
              label={t(($) => $.buy.accept)}
              checked={accepted}
              onChange={(event) => setAccepted(event.currentTarget.checked)}
            />
          </Stack>
        )}
        {step === 3 && (
          <Card withBorder p={0}>
            <Table variant="vertical">
              <Table.Tbody>
                {facts.map(([label, value]) => (
                  <Table.Tr key={label}>
                    <Table.Th fw={500} c="dimmed" bg="transparent">
                      {label}
                    </Table.Th>
                    <Table.Td className="num">{value}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Card>
        )}
        {step === 3 && (
          <Text fz="sm" c="dimmed">
            {source === 'crypto' && quote.data
              ? t(($) => $.buy.cryptoHint, { total: decimal(quote.data.total, 2) })
              : t(($) => $.buy.cancelHint)}
          </Text>
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
                allowed={step !== 1 ? step !== 2 || accepted : enough}
                reason={step === 2 ? t(($) => $.buy.acceptFirst) : t(($) => $.buy.insufficient)}
                onClick={() => setStep(step + 1)}
              >
                {t(($) => $.buy.next)}
              </GuardedButton>
            ) : (
              <GuardedButton
                allowed={!busy}
                loading={busy}
                onClick={() => void (source === 'crypto' ? order() : buy())}
              >
                {source === 'crypto' ? t(($) => $.buy.open) : t(($) => $.buy.confirm)}
              </GuardedButton>
            )}
          </Group>
        )}
      </Stack>
    </Modal>
  );
}
