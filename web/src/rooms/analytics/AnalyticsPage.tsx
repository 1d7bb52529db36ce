import { Card, Grid, Group, SegmentedControl, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import type { Schemas } from '@/api/client';
import { inOrder, useLicences } from '@/live/licences';
import type { Mode } from '@/live/protocol';
import { isPeriod, PERIODS, type Period, useAnalytics } from '@/live/useAnalytics';
import { useOwnLicences } from '@/live/useOwnLicences';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { ModeLens } from '@/shared/results/ModeLens';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { PageHeader } from '@/ui/PageHeader';
import { StatTile } from '@/ui/StatTile';
import { BonusChart, DayChart, DrawdownChart, RobotChart } from './charts';

type Analytics = Schemas['Analytics'];
type Route = Schemas['RouteResults'];

const MODES: readonly Mode[] = ['simulated', 'paper', 'live'];
const ALL = 'all';

/** /dashboard-analytics: where results come from. */
export default function AnalyticsPage() {
  const { t } = useTranslation('analytics');
  const [search, setSearch] = useSearchParams();
  useOwnLicences();
  const licences = inOrder(useLicences((book) => book.byId));
  const asked = search.get('period');
  const period: Period = isPeriod(asked) ? asked : '30d';
  const mode = MODES.find((one) => one === search.get('mode')) ?? null;
  const robot = licences.find(({ _id }) => _id === search.get('robot'))?._id ?? null;
  const choose = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const answer = useAnalytics(period, mode, robot);
  const { data } = answer;
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live />
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t(($) => $.period)}
          value={period}
          onChange={(next) => choose('period', next)}
          data={PERIODS.map((value) => ({ value, label: t(($) => $.periods[value]) }))}
        />
        <Select
          size="xs"
          w={170}
          aria-label={t(($) => $.robot)}
          value={robot ?? ALL}
          onChange={(next) => choose('robot', next === ALL ? null : next)}
          allowDeselect={false}
          data={[
            { value: ALL, label: t(($) => $.allRobots) },
            ...licences.map(({ _id, number }) => ({ value: _id, label: t(($) => $.name, { number }) })),
          ]}
        />
        {data && (
          <ModeLens value={mode ?? data.mode} onChange={(next) => choose('mode', next)} modes={data.modes} />
        )}
      </Group>
      {answer.error && !data ? (
        <ErrorCard what={t(($) => $.what)} error={answer.error} onRetry={answer.refetch} />
      ) : (
        <Body data={data} />
      )}
    </Stack>
  );
}

function Body({ data }: { data: Analytics | undefined }) {
  const { t } = useTranslation('analytics');
  const format = useFormat();
  const total = data?.total;
  const empty = total?.operations === 0;
  const rate = (hits: number, operations: number) =>
    operations === 0 ? '–' : format.percent(String(Math.floor((hits * 10_000) / operations) / 100));
  return (
    <>
      {data && !data.booked && (
        <Text fz="sm" c="dimmed" role="note">
          {t(($) => $.unbooked)}
        </Text>
      )}
      <SimpleGrid cols={{ base: 2, lg: 4 }}>
        <StatTile
          label={t(($) => $.net)}
          value={<Money value={total?.net} sign />}
          loading={!data}
          badge={data?.mode && <ModeBadge mode={data?.mode} size="xs" />}
        />
        <StatTile
          label={t(($) => $.operations)}
          value={total ? format.count(total.operations) : '–'}
          loading={!data}
        />
        <StatTile
          label={t(($) => $.hits)}
          value={total ? rate(total.hits, total.operations) : '–'}
          loading={!data}
        />
        <StatTile label={t(($) => $.fees)} value={<Money value={total?.fees} />} loading={!data} />
      </SimpleGrid>
      {empty ? (
        <Card>
          <EmptyState title={t(($) => $.empty)} icon={<IconChartBar size={26} stroke={1.5} />} />
        </Card>
      ) : (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <Card h="100%">
              <DayChart days={data?.days ?? []} />
            </Card>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 4 }}>
            <Card h="100%">
              <RobotChart robots={data?.robots ?? []} />
            </Card>
          </Grid.Col>
        </Grid>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Card h="100%">
            <BonusChart bonus={data?.bonus ?? []} />
          </Card>
        </Grid.Col>
        {!empty && (
          <Grid.Col span={{ base: 12, lg: 6 }}>
            <Card h="100%">
              <DrawdownChart points={data?.drawdown ?? []} />
            </Card>
          </Grid.Col>
        )}
      </Grid>
      {!empty && <Routes data={data} rate={rate} />}
    </>
  );
}

interface RoutesProps {
  data: Analytics | undefined;
  rate: (hits: number, operations: number) => string;
}

function Routes({ data, rate }: RoutesProps) {
  const { t } = useTranslation('analytics');
  const format = useFormat();
  const columns: Column<Route>[] = [
    {
      key: 'route',
      label: t(($) => $.routes.route),
      fixed: true,
      render: (row) => <span style={{ overflowWrap: 'anywhere' }}>{row.route}</span>,
    },
    {
      key: 'operations',
      label: t(($) => $.routes.operations),
      align: 'right',
      render: (row) => <span className="num">{format.count(row.operations)}</span>,
    },
    {
      key: 'hits',
      label: t(($) => $.routes.hits),
      align: 'right',
      render: (row) => <span className="num">{rate(row.hits, row.operations)}</span>,
    },
    {
      key: 'fees',
      label: t(($) => $.routes.fees),
      align: 'right',
      render: (row) => <Money value={row.fees} digits={4} unit={false} />,
    },
    {
      key: 'net',
      label: t(($) => $.routes.net),
      align: 'right',
      fixed: true,
      render: (row) => <Money value={row.net} digits={4} unit={false} sign />,
    },
  ];
  return (
    <Stack gap="xs">
      <Title order={2} fz={17}>
        {t(($) => $.routes.title)}
      </Title>
      <DataTable
        name="rotas"
        label={t(($) => $.routes.title)}
        columns={columns}
        rows={data?.routes}
        rowKey={(row) => row.route}
      />
      {data && data.otherRoutesCount > 0 && (
        <Text fz="sm" c="dimmed">
          {t(($) => $.routes.others, {
            count: data.otherRoutesCount,
            net: format.usdt(data.otherRoutes.net, 4, true),
          })}
        </Text>
      )}
    </Stack>
  );
}
