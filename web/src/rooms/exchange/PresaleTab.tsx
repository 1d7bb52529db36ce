import { Alert, Card, Grid, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCalendarTime, IconCoin, IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { queryClient } from '@/api/queryClient';
import { useGlimpse } from '@/live/live';
import type { OutboundState } from '@/shared/payments/OutboundNotice';
import { Countdown } from '@/ui/Countdown';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { Notice } from '@/ui/Notice';
import { BuyPyx, type Receipt } from './BuyPyx';
import { type Round, type Rounds, refetchPresale, showTrade } from './exchange';
import { HoldingsCard } from './HoldingsCard';
import { PriceSteps } from './PriceSteps';
import { SoldGauge } from './SoldGauge';

/** The rounds: the one that sells, what one holds of them, the price over time. */
export function PresaleTab({ state }: { state: OutboundState | undefined }) {
  const { t } = useTranslation('exchange');
  const { data, error, refetch } = $api.useQuery('get', '/presale/rounds');
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  useGlimpse(
    'pyx.round',
    ({ round, sold, version }) =>
      queryClient.setQueryData<Rounds>(['get', '/presale/rounds'], (before) =>
        before?.current && before.current._id === round && version > before.current.version
          ? { ...before, current: { ...before.current, sold, version } }
          : before,
      ),
    'pyx',
  );
  // Between two rounds the price goes on in the book.
  useGlimpse('pyx.trade', ({ kind, ...trade }) => showTrade(trade), 'pyx');
  if (!data)
    return error ? (
      <ErrorCard what={t(($) => $.presale.what)} error={error} onRetry={refetch} />
    ) : (
      <Skeleton h={420} radius="md" />
    );
  const { current, next, past } = data;
  const any = current || next || past.length > 0;
  return (
    <Stack gap="lg">
      {!any && (
        <Card>
          <EmptyState
            icon={<IconCoin size={26} stroke={1.5} />}
            title={t(($) => $.presale.none)}
            hint={t(($) => $.presale.noneHint)}
          />
        </Card>
      )}
      {receipt && (
        <Notice
          key={receipt._id}
          tone="success"
          onClose={() => setReceipt(null)}
          title={t(($) => $.receipt.title)}
        >
          <Group gap="4px 14px">
            <Money value={receipt.pyx} currency="PYX" digits={4} />
            <span>
              <span>{t(($) => $.receipt.paid)}</span> <Money value={receipt.value} digits={6} />
            </span>
            <span>
              <span>{t(($) => $.receipt.price)}</span> <Money value={receipt.price} digits={4} />
            </span>
          </Group>
        </Notice>
      )}
      {any && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, lg: 7 }}>
            <Stack gap="lg">
              {current ? (
                <Running round={current} />
              ) : next ? (
                <Coming round={next} />
              ) : (
                <Card>
                  <EmptyState
                    icon={<IconCalendarTime size={26} stroke={1.5} />}
                    title={t(($) => $.presale.over)}
                    hint={t(($) => $.presale.overHint)}
                  />
                </Card>
              )}
              <PriceSteps />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <Stack gap="lg">
              {current && <BuyPyx round={current} state={state} onBought={setReceipt} />}
              <HoldingsCard />
            </Stack>
          </Grid.Col>
        </Grid>
      )}
    </Stack>
  );
}

function Running({ round }: { round: Round }) {
  const { t } = useTranslation('exchange');
  const span = Date.parse(round.endsAt) - Date.parse(round.startsAt);
  return (
    <Card component="section" aria-labelledby="round">
      <Stack gap="md">
        <Group justify="space-between" align="start">
          <div>
            <Title order={2} fz={17} id="round">
              {t(($) => $.presale.round, { number: round.number })}
            </Title>
            <Text fz="sm" c="dimmed">
              <span>
                {round.state === 'sold_out' ? t(($) => $.presale.soldOut) : t(($) => $.presale.endsIn)}
              </span>{' '}
              <Countdown until={round.endsAt} totalMs={span} onEnd={() => void refetchPresale()} />
            </Text>
          </div>
          <div style={{ textAlign: 'right' }}>
            <Text fz="sm" c="dimmed">
              {t(($) => $.presale.price)}
            </Text>
            <Text fz={24} fw={700} component="div" data-testid="round-price">
              <Money value={round.price} digits={4} />
            </Text>
          </div>
        </Group>
        <FlashValue value={round.sold}>
          <SoldGauge label={t(($) => $.presale.sold)} sold={round.sold} supply={round.supply} />
        </FlashValue>
        <Vesting round={round} />
      </Stack>
    </Card>
  );
}

function Coming({ round }: { round: Round }) {
  const { t } = useTranslation('exchange');
  return (
    <Card component="section" aria-labelledby="round">
      <Stack gap="md">
        <Group justify="space-between" align="start">
          <div>
            <Title order={2} fz={17} id="round">
              {t(($) => $.presale.round, { number: round.number })}
            </Title>
            <Text fz="sm" c="dimmed">
              <span>{t(($) => $.presale.beginsIn)}</span>{' '}
              <Countdown until={round.startsAt} onEnd={() => void refetchPresale()} />
            </Text>
          </div>
          <Text fz={24} fw={700} component="div">
            <Money value={round.price} digits={4} />
          </Text>
        </Group>
        <Text fz="sm" c="dimmed" component="div">
          <span>{t(($) => $.presale.supply)}</span> <Money value={round.supply} currency="PYX" digits={0} /> ·{' '}
          <span>{t(($) => $.presale.cap)}</span> <Money value={round.cap} currency="PYX" digits={0} />
        </Text>
        <Vesting round={round} />
      </Stack>
    </Card>
  );
}

/** When what is bought becomes free, in words. */
function Vesting({ round }: { round: Round }) {
  const { t } = useTranslation('exchange');
  const format = useFormat();
  return (
    <Alert
      variant="light"
      color="blue"
      icon={<IconInfoCircle size={18} aria-hidden />}
      title={t(($) => $.vesting.title)}
    >
      {t(($) => (round.cliffDays > 0 ? $.vesting.withCliff : $.vesting.plain), {
        cliff: round.cliffDays,
        days: round.vestingDays,
        first: format.date(round.firstDay),
        last: format.date(round.lastDay),
      })}
    </Alert>
  );
}
