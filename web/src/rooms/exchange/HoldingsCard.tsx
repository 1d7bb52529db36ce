import { Card, Group, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconLockOpen } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { ErrorCard } from '@/ui/ErrorCard';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { isPositive, percentOf, ratio } from '@/ui/money';
import { toast } from '@/ui/toast';
import { usePress } from '@/ui/usePress';
import { claimVested, type Holdings } from './exchange';

/** One's own PYX: free, locked, held; what today frees, and the calendar of the rest. */
export function HoldingsCard() {
  const { t } = useTranslation('exchange');
  const { data, error, refetch } = $api.useQuery('get', '/presale/holdings');
  if (!data)
    return error ? (
      <ErrorCard what={t(($) => $.own.what)} error={error} onRetry={refetch} />
    ) : (
      <Skeleton h={260} radius="md" />
    );
  const { balances, schedules } = data;
  return (
    <Card component="section" aria-labelledby="own-pyx">
      <Stack gap="md">
        <Title order={2} fz={17} id="own-pyx">
          {t(($) => $.own.title)}
        </Title>
        <SimpleGrid cols={3} spacing="sm">
          {(['free', 'locked', 'held'] as const).map((kind) => (
            <div key={kind} data-testid={`pyx-${kind}`}>
              <Text fz={12.5} c="dimmed">
                {t(($) => $.own[kind])}
              </Text>
              <Text fw={650} component="div">
                <FlashValue value={balances[kind]}>
                  <Money value={balances[kind]} currency="PYX" digits={4} unit={false} />
                </FlashValue>
              </Text>
            </div>
          ))}
        </SimpleGrid>
        {schedules.length === 0 ? (
          <Text fz="sm" c="dimmed">
            {t(($) => $.own.nothing)}
          </Text>
        ) : (
          <>
            <Claim holdings={data} />
            {schedules.map((schedule) => (
              <Schedule key={schedule.round} schedule={schedule} />
            ))}
          </>
        )}
      </Stack>
    </Card>
  );
}

function Claim({ holdings }: { holdings: Holdings }) {
  const { t } = useTranslation('exchange');
  const format = useFormat();
  const { claimable, claimedToday, next } = holdings;
  const due = isPositive(claimable) && !claimedToday;
  const { busy, run: claim } = usePress(claimVested, ({ pyx }) =>
    toast.success(t(($) => $.own.claimed, { value: format.decimal(pyx, 4) })),
  );
  return (
    <Group justify="space-between">
      <div>
        <Text fz={12.5} c="dimmed">
          {t(($) => $.own.today)}
        </Text>
        <Text fw={650} component="div" data-testid="claimable">
          <Money value={claimedToday ?? claimable} currency="PYX" digits={4} />
        </Text>
        {next && (
          <Text fz={12.5} c="dimmed" component="div">
            <span>{t(($) => $.own.next, { day: format.date(next.day) })}</span>{' '}
            <Money value={next.pyx} currency="PYX" digits={4} />
          </Text>
        )}
      </div>
      <GuardedButton
        allowed={due}
        reason={claimedToday ? t(($) => $.own.alreadyToday) : t(($) => $.own.notYet)}
        opensAt={next?.day}
        loading={busy}
        leftSection={<IconLockOpen size={17} aria-hidden />}
        onClick={() => void claim(null)}
      >
        {t(($) => $.own.claim)}
      </GuardedButton>
    </Group>
  );
}

function Schedule({ schedule }: { schedule: Holdings['schedules'][number] }) {
  const { t } = useTranslation('exchange');
  const format = useFormat();
  const share = ratio(schedule.vested, schedule.bought) * 100;
  return (
    <div data-round={schedule.number}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text fz="sm" fw={600}>
          {t(($) => $.presale.round, { number: schedule.number })}
        </Text>
        <Text fz="sm" component="div">
          <Money value={schedule.bought} currency="PYX" digits={4} />
        </Text>
      </Group>
      <Progress.Root size={6} radius="xl">
        <Progress.Section
          value={share}
          color="mint.5"
          aria-label={t(($) => $.own.vestedShare)}
          aria-valuetext={format.percent(percentOf(schedule.vested, schedule.bought), 0)}
        />
      </Progress.Root>
      <Text fz={12.5} c="dimmed" mt={4} component="div">
        <span>
          {t(($) => $.own.schedule, {
            first: format.date(schedule.firstDay),
            last: format.date(schedule.lastDay),
          })}
        </span>{' '}
        · <Money value={schedule.perDay} currency="PYX" digits={4} /> <span>{t(($) => $.own.perDay)}</span>
      </Text>
    </div>
  );
}
