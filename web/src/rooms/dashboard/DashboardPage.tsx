import { Badge, Card, Grid, Group, Select, SimpleGrid, Stack, Title, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconMedal, IconRobot, IconSparkles, IconTrendingUp, IconWallet } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { businessDay } from '@/api/clock';
import { useIsStaff, useUser } from '@/api/session';
import { useBalances } from '@/live/balances';
import { useLicences, working } from '@/live/licences';
import type { Mode } from '@/live/protocol';
import { PERIODS, type Period, useAnalytics } from '@/live/useAnalytics';
import { useDayLine } from '@/live/useDayLine';
import { useOwnLicences } from '@/live/useOwnLicences';
import { PaidBy } from '@/shared/network/PaidBy';
import { askOrigin } from '@/shared/origin/origin';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { ModeLens } from '@/shared/results/ModeLens';
import { RiskNotice } from '@/shared/results/RiskNotice';
import { useToday } from '@/shared/results/useToday';
import { useTotal } from '@/shared/results/useTotal';
import { ErrorCard } from '@/ui/ErrorCard';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { HistoryChart } from '@/ui/HistoryChart';
import { Money } from '@/ui/Money';
import { isPositive } from '@/ui/money';
import { PageHeader } from '@/ui/PageHeader';
import { StatTile } from '@/ui/StatTile';
import { Together } from '@/ui/Together';
import { Activity } from './Activity';
import { BinaryTeam } from './BinaryTeam';
import { FirstSteps } from './FirstSteps';
import { NextDates, NextLimit } from './Next';
import { RobotsTable } from './RobotsTable';
import { useResults } from './useResults';

/** My results: how am I doing, what needs me. */
export default function DashboardPage() {
  const { t } = useTranslation('dashboard');
  const user = useUser();
  const staff = useIsStaff();
  const { date } = useFormat();
  const results = useResults();
  const own = useOwnLicences();
  useDayLine();
  const [period, setPeriod] = useState<Period>('30d');
  const [lens, setLens] = useState<Mode | null>(null);
  const analytics = useAnalytics(period, lens);
  const licences = useLicences((book) => book.byId);
  const total = useTotal();
  const available = useBalances((balances) => balances.available?.balance);
  const ownToday = useToday();
  const first = results.data?.myResults;
  const world = first?.mode;
  const mode = lens ?? world ?? 'simulated';
  const loading = results.isPending || own.isPending;
  const failed = results.error ?? own.error;
  const robots = working(licences);
  const ofLens = analytics.data?.mode === lens ? analytics.data.days.at(-1)?.net : undefined;
  // While another mode's figures come, those of the one before are still there.
  const today = lens === null || lens === world ? ownToday : ofLens;
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.title, { name: user?.fullName.split(' ')[0] ?? '' })}
        subtitle={t(($) => $.subtitle, { date: date(businessDay(), 'long') })}
        live
        action={
          <Group gap="sm">
            <ModeLens value={mode} onChange={setLens} modes={analytics.data?.modes ?? []} />
            {analytics.data?.goldTrader && (
              <Tooltip label={t(($) => $.gold.hint)} events={{ hover: true, focus: true, touch: true }}>
                <Badge
                  color="gold"
                  variant="light"
                  size="lg"
                  tabIndex={0}
                  leftSection={<IconMedal size={16} aria-hidden />}
                >
                  {t(($) => $.gold.name)}
                </Badge>
              </Tooltip>
            )}
          </Group>
        }
      />
      <RiskNotice foldable />
      {failed ? (
        <ErrorCard
          what={t(($) => $.what)}
          error={failed}
          onRetry={() => Promise.all([results.refetch(), own.refetch()])}
        />
      ) : (
        <>
          <SimpleGrid cols={{ base: 2, lg: 4 }}>
            <StatTile
              label={t(($) => $.tiles.total)}
              value={
                <FlashValue value={total ?? ''}>
                  <Money value={total} onOrigin={askOrigin({})} />
                </FlashValue>
              }
              hint={first && <OfTotal available={available ?? first.available} sponsored={first.sponsored} />}
              loading={loading}
              icon={<IconWallet size={20} />}
            />
            <StatTile
              label={t(($) => $.tiles.today)}
              value={
                <FlashValue value={today ?? ''}>
                  <Money value={today} sign />
                </FlashValue>
              }
              loading={loading || (today === undefined && analytics.isFetching)}
              badge={mode && <ModeBadge mode={mode} size="xs" />}
              icon={<IconTrendingUp size={20} />}
              href="/dashboard-analytics"
            />
            <StatTile
              label={t(($) => $.tiles.robots)}
              value={<FlashValue value={robots.length}>{robots.length}</FlashValue>}
              loading={loading}
              icon={<IconRobot size={20} />}
              href="/robots-in-operation"
            />
            <StatTile
              label={t(($) => $.tiles.bonus)}
              value={
                <FlashValue value={analytics.data?.bonusMonth ?? ''}>
                  <Money value={analytics.data?.bonusMonth} onOrigin={askOrigin({ account: 'bonus' })} />
                </FlashValue>
              }
              loading={analytics.isPending}
              icon={<IconSparkles size={20} />}
            />
          </SimpleGrid>
          <Together>
            {!loading && !staff && Object.keys(licences).length === 0 && (
              <FirstSteps deposited={analytics.data?.deposited ?? false} />
            )}
            <Grid gap="lg">
              <Grid.Col span={{ base: 12, lg: 8 }}>
                {analytics.error && !analytics.data ? (
                  <ErrorCard
                    what={t(($) => $.equity.what)}
                    error={analytics.error}
                    onRetry={analytics.refetch}
                  />
                ) : (
                  <Equity
                    points={analytics.data?.equity ?? []}
                    now={loading ? undefined : total}
                    period={period}
                    onPeriod={setPeriod}
                  />
                )}
              </Grid.Col>
              <Grid.Col span={{ base: 12, lg: 4 }}>
                <Stack gap="lg">
                  <NextLimit />
                  <BinaryTeam />
                  <NextDates
                    yieldDay={first?.nextYieldDay ?? null}
                    free={analytics.data && (analytics.data.nextFree ?? null)}
                  />
                </Stack>
              </Grid.Col>
            </Grid>
            <PaidBy />
            {robots.length > 0 && <RobotsTable robots={robots} />}
            <Activity />
          </Together>
        </>
      )}
    </Stack>
  );
}

/** What of the total is free, and what of it never leaves. */
function OfTotal({ available, sponsored }: { available: string; sponsored: string }) {
  const { t } = useTranslation('dashboard');
  return (
    <>
      <span>{t(($) => $.tiles.available)}</span> <Money value={available} />
      {isPositive(sponsored) && (
        <>
          {' · '}
          <span>{t(($) => $.tiles.sponsored)}</span> <Money value={sponsored} />
        </>
      )}
    </>
  );
}

interface EquityProps {
  points: readonly { day: string; total: string; netPaidIn: string }[];
  /** What is owned this moment: the last point moves with it. */
  now: string | undefined;
  period: Period;
  onPeriod: (period: Period) => void;
}

function Equity({ points, now, period, onPeriod }: EquityProps) {
  const { t } = useTranslation('dashboard');
  // Beside it stand three cards.
  const wide = useMediaQuery('(min-width: 75em)', undefined, { getInitialValueInEffect: false });
  const rows = points.map(({ day, total, netPaidIn }, index) => ({
    at: day,
    values: { total: index === points.length - 1 && now !== undefined ? now : total, netPaidIn },
  }));
  return (
    <Card h="100%">
      <HistoryChart
        title={
          <Title order={2} fz={15}>
            {t(($) => $.equity.title)}
          </Title>
        }
        label={t(($) => $.equity.label)}
        height={wide ? 360 : 240}
        axis={t(($) => $.equity.day)}
        rows={rows}
        series={[
          { key: 'total', label: t(($) => $.tiles.total), color: 'var(--up)', shape: 'area' },
          { key: 'netPaidIn', label: t(($) => $.equity.netPaidIn), color: 'var(--gold-dot)', shape: 'step' },
        ]}
        controls={
          <Select
            size="xs"
            w={112}
            aria-label={t(($) => $.equity.period)}
            value={period}
            onChange={(next) => next && onPeriod(next as Period)}
            allowDeselect={false}
            data={PERIODS.map((value) => ({ value, label: t(($) => $.periods[value]) }))}
          />
        }
      />
    </Card>
  );
}
