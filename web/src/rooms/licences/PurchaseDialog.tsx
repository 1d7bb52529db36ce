import {
  Alert,
  Button,
  Card,
  Checkbox,
  Group,
  Modal,
  Radio,
  Stack,
  Stepper,
  Table,
  Text,
} from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { useBalances } from '@/live/balances';
import { type Deposit, openIntent, stageOf } from '@/live/chain/deposits';
import { useLiveEvent } from '@/live/live';
import { PayDeposit } from '@/shared/payments/PayDeposit';
import { RiskNotice } from '@/shared/results/RiskNotice';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { compare, tidy } from '@/ui/money';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { Receipt } from './Receipt';

export type Own = 'available' | 'sponsored';
type Source = Own | 'crypto';

interface PurchaseDialogProps {
  title: string;
  /** What is bought: how the step is called, what is chosen in it, and whether that is enough to go on (else why not). */
  choice: { label: string; content: ReactNode; refusal?: string | undefined };
  /** Which of one's own balances may pay, besides the chain. */
  sources: readonly Own[];
  price: string;
  /** The payment over the chain for what was chosen. */
  intent: Omit<Schemas['NewIntent'], 'product' | 'riskAccepted'> & {
    kind: 'license' | 'liquidity_for_pools';
    licenseValue: string;
    planId: string;
  };
  /** Beside the risk notice. */
  warning?: ReactNode;
  facts: readonly [string, ReactNode][];
  /** Said under the review and on the receipt. */
  hint: string;
  /** Said instead where the chain pays, given the total. */
  chainHint?: (total: string) => string;
  insufficient: string;
  confirm: string;
  done: string;
  /** Pays from a balance; the ids of the movements. */
  pay: (source: Own, idempotencyKey: string) => Promise<readonly string[]>;
  onClose: () => void;
}

/** Choice, source, risks, review, and over the chain the payment: every purchase step by step. */
export function PurchaseDialog(props: PurchaseDialogProps) {
  const { title, choice, sources, price, intent, warning, facts, hint, insufficient, onClose } = props;
  const { t } = useTranslation('licences');
  const { t: common } = useTranslation();
  const { exact } = useFormat();
  const errorText = useErrorText();
  const balances = useBalances();
  const [step, setStep] = useState(0);
  const [source, setSource] = useState<Source>('available');
  const [accepted, setAccepted] = useState(false);
  const [paying, setPaying] = useState<Deposit | null>(null);
  const [transfers, setTransfers] = useState<readonly string[] | null>(null);
  const quote = $api.useQuery(
    'get',
    '/trader/get-deposit-intent/{kind}/{value}/{planId}',
    { params: { path: { kind: intent.kind, value: intent.licenseValue, planId: intent.planId } } },
    { enabled: step > 0 && choice.refusal === undefined },
  );
  const held = source === 'crypto' ? '0' : (balances[source]?.balance ?? '0');
  const enough = source === 'crypto' ? quote.data !== undefined : compare(held, price) >= 0;
  useLiveEvent('crypto_deposit.changed', ({ deposit }) => {
    setPaying((shown) => (shown?._id === deposit._id && shown.version < deposit.version ? deposit : shown));
  });

  /** Pays from a balance, or opens the payment over the chain: the one that is open for this choice goes on. */
  const { busy, failure, run } = useSubmit(async (source: Source, key) => {
    if (source !== 'crypto') return setTransfers(await props.pay(source, key));
    const order = { ...intent, product: 'usdt_bep20' as const, riskAccepted: true };
    setPaying(quote.data?.open ?? (await openIntent(order, key)));
    setStep(4);
  });

  if (transfers)
    return (
      <Modal opened onClose={onClose} title={title} size="lg" centered withCloseButton={false}>
        <Receipt title={props.done} transfers={[...transfers]} hint={hint} />
        <Group justify="flex-end" mt="md">
          <Button onClick={onClose} data-autofocus>
            {t(($) => $.buy.close)}
          </Button>
        </Group>
      </Modal>
    );
  const refusal = [
    choice.refusal,
    enough ? undefined : insufficient,
    accepted ? undefined : t(($) => $.buy.acceptFirst),
  ][step];
  return (
    <Modal
      opened
      onClose={busy ? () => {} : onClose}
      title={title}
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      <Stack gap="lg">
        <Stepper active={step} size="xs" iconSize={28}>
          <Stepper.Step label={choice.label} />
          <Stepper.Step label={t(($) => $.buy.source)} />
          <Stepper.Step label={t(($) => $.buy.risks)} />
          <Stepper.Step label={t(($) => $.buy.review)} />
          {source === 'crypto' && <Stepper.Step label={t(($) => $.buy.payment)} />}
        </Stepper>
        {step === 0 && choice.content}
        {step === 1 && (
          <Radio.Group
            label={t(($) => $.buy.source)}
            value={source}
            onChange={(next) => setSource(next as Source)}
          >
            <Stack gap="xs" mt="xs">
              {([...sources, 'crypto'] as const).map((one) => (
                <Radio.Card key={one} value={one} p="sm" radius="md">
                  <Group justify="space-between" wrap="nowrap">
                    <Group gap="sm">
                      <Radio.Indicator />
                      <Text fz="sm">{t(($) => $.sources[one])}</Text>
                    </Group>
                    <Money value={one === 'crypto' ? quote.data?.total : (balances[one]?.balance ?? '0')} />
                  </Group>
                </Radio.Card>
              ))}
            </Stack>
            {source === 'crypto' && quote.error && (
              <ErrorCard what={t(($) => $.buy.quoteWhat)} error={quote.error} onRetry={quote.refetch} />
            )}
            {!enough && source !== 'crypto' && (
              <Text c="red" fz="sm" mt="xs" role="alert">
                {insufficient}
              </Text>
            )}
          </Radio.Group>
        )}
        {step === 2 && (
          <Stack gap="md">
            <RiskNotice />
            {warning && (
              <Alert color="gold" variant="light">
                {warning}
              </Alert>
            )}
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
                  {[
                    ...facts,
                    [t(($) => $.buy.source), t(($) => $.sources[source])] as const,
                    ...(source === 'crypto' && quote.data
                      ? [[t(($) => $.buy.cryptoTotal), <Money key="t" value={quote.data.total} />] as const]
                      : []),
                  ].map(([label, fact]) => (
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
              {source === 'crypto' && quote.data && props.chainHint
                ? props.chainHint(exact(tidy(quote.data.total, 2)))
                : hint}
            </Text>
          </>
        )}
        {step === 4 && paying && <PayDeposit deposit={paying} />}
        {failure && (
          <Alert color="red" variant="light" role="alert">
            {errorText(failure.error)}
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
                allowed={refusal === undefined}
                reason={refusal}
                onClick={() => setStep(step + 1)}
              >
                {t(($) => $.buy.next)}
              </GuardedButton>
            ) : (
              <GuardedButton allowed={!busy} loading={busy} onClick={() => void run(source)}>
                {source === 'crypto' ? t(($) => $.buy.open) : props.confirm}
              </GuardedButton>
            )}
          </Group>
        )}
      </Stack>
    </Modal>
  );
}
