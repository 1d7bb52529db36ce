import { Alert, Card, SimpleGrid, Skeleton, Stack, Table, Tabs, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconActivity, IconBolt, IconHandStop, IconRobot, IconTrendingUp } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { inOrder, resting, useLicences, working } from '@/live/licences';
import { useGlimpse } from '@/live/live';
import { useDayLine } from '@/live/useDayLine';
import { useOwnLicences } from '@/live/useOwnLicences';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { useToday } from '@/shared/results/useToday';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { compare, isPositive, sum } from '@/ui/money';
import { PageHeader } from '@/ui/PageHeader';
import { plainList } from '@/ui/plainList';
import { StatTile } from '@/ui/StatTile';
import { TickChart } from '@/ui/TickChart';
import { DeskNotice } from './DeskNotice';
import { LeadersTab } from './LeadersTab';
import { RobotDrawer } from './RobotDrawer';
import { RobotCard, RobotRow } from './RobotRow';

/** Watch and steer the robots at work; and those of others that may be copied. */
export default function RobotsOnPage() {
  const { t } = useTranslation('robots');
  const [search, setSearch] = useSearchParams();
  const tab = search.get('tab') === 'leaders' ? 'leaders' : 'mine';
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.on.title)} subtitle={t(($) => $.on.subtitle)} live />
      <DeskNotice />
      <Tabs
        value={tab}
        onChange={(to) => setSearch(to === 'leaders' ? { tab: to } : {}, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="mine">{t(($) => $.leaders.mine)}</Tabs.Tab>
          <Tabs.Tab value="leaders">{t(($) => $.leaders.tab)}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="mine">
          <AtWork />
        </Tabs.Panel>
        <Tabs.Panel value="leaders">
          <LeadersTab />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** Nothing came: that is no zero. */
const UNKNOWN = '–';

function AtWork() {
  const { t } = useTranslation('robots');
  const [search, setSearch] = useSearchParams();
  const { usdt } = useFormat();
  const own = useOwnLicences();
  useDayLine();
  const phone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const byId = useLicences((book) => book.byId);
  const today = useToday();
  const robots = working(byId);
  const all = inOrder(byId);
  // Who has capital at rest is not told to lend more of it.
  const rests = resting(byId).some(({ allocated }) => isPositive(allocated));
  const ids = robots.map((robot) => robot._id).join(' ');
  // Rows subscribe to themselves: the list changes only when a robot joins or leaves.
  const rows = useMemo(() => (ids === '' ? [] : ids.split(' ')), [ids]);
  const open = useCallback(
    (id: string | null) => setSearch(id === null ? {} : { robot: id }, { replace: true }),
    [setSearch],
  );
  const mode = all[0]?.mode;
  const failed = own.isError && !own.data;
  const allocated = sum(all.map((robot) => robot.allocated));
  /** Tiles tell of all robots, as they do on every other screen; the list below may be a part of them. */
  const part = (whole: string, of: string, sign = false) =>
    own.isPending || compare(whole, of) === 0
      ? undefined
      : t(($) => $.on.part, { amount: usdt(of, 2, sign) });
  return (
    <Stack gap="lg">
      <Halted />
      <SimpleGrid cols={{ base: 2, lg: 4 }}>
        <StatTile
          label={t(($) => $.allocated)}
          value={failed ? UNKNOWN : <Ticking value={allocated} />}
          hint={part(allocated, sum(robots.map((robot) => robot.allocated)))}
          loading={own.isPending}
          icon={<IconRobot size={20} />}
        />
        <StatTile
          label={t(($) => $.today)}
          value={failed ? UNKNOWN : <Ticking value={today} sign />}
          hint={part(today, sum(robots.map((robot) => robot.today)), true)}
          loading={own.isPending}
          badge={mode && <ModeBadge mode={mode} size="xs" />}
          icon={<IconTrendingUp size={20} />}
        />
        <StatTile
          label={t(($) => $.operations)}
          value={failed ? UNKNOWN : <Count value={all.reduce((sum, robot) => sum + robot.operations, 0)} />}
          hint={t(($) => $.on.ever)}
          loading={own.isPending}
          badge={mode && <ModeBadge mode={mode} size="xs" />}
          icon={<IconActivity size={20} />}
        />
        <Opportunities />
      </SimpleGrid>
      {own.error ? (
        <ErrorCard what={t(($) => $.what)} error={own.error} onRetry={own.refetch} />
      ) : own.isPending ? (
        <Skeleton h={280} radius="md" />
      ) : rows.length === 0 ? (
        <Card>
          <EmptyState
            title={t(($) => $.on.empty)}
            hint={
              rests ? (
                <Link to="/robots-without-operation">{t(($) => $.on.rest)}</Link>
              ) : (
                <Link to="/licences">{t(($) => $.on.cure)}</Link>
              )
            }
            icon={<IconRobot size={26} stroke={1.5} />}
          />
        </Card>
      ) : (
        <>
          <Today />
          {phone ? <RobotCards rows={rows} onOpen={open} /> : <RobotTable rows={rows} onOpen={open} />}
        </>
      )}
      <RobotDrawer id={search.get('robot')} onClose={() => open(null)} />
    </Stack>
  );
}

interface RobotsProps {
  rows: readonly string[];
  onOpen: (id: string) => void;
}

function RobotTable({ rows, onOpen }: RobotsProps) {
  const { t } = useTranslation('robots');
  return (
    <Card p={0}>
      <Table.ScrollContainer
        minWidth={880}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': t(($) => $.table) } }}
      >
        <Table verticalSpacing="sm" aria-label={t(($) => $.table)}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t(($) => $.robot)}</Table.Th>
              <Table.Th>{t(($) => $.line)}</Table.Th>
              <Table.Th ta="right">{t(($) => $.allocated)}</Table.Th>
              <Table.Th ta="right">{t(($) => $.today)}</Table.Th>
              <Table.Th ta="right">{t(($) => $.yield)}</Table.Th>
              <Table.Th ta="right">{t(($) => $.goal)}</Table.Th>
              <Table.Th ta="right">{t(($) => $.limit)}</Table.Th>
              <Table.Th>{t(($) => $.mode)}</Table.Th>
              <Table.Th>{t(($) => $.status)}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((id) => (
              <RobotRow key={id} id={id} onOpen={onOpen} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function RobotCards({ rows, onOpen }: RobotsProps) {
  const { t } = useTranslation('robots');
  return (
    <Stack component="ul" gap="sm" {...plainList} aria-label={t(($) => $.table)}>
      {rows.map((id) => (
        <RobotCard key={id} id={id} onOpen={onOpen} />
      ))}
    </Stack>
  );
}

function Today() {
  const { t } = useTranslation('robots');
  const points = useLicences((book) => book.line);
  return (
    <Card>
      <Title order={2} fz={15} mb="sm">
        {t(($) => $.chart)}
      </Title>
      <TickChart label={t(($) => $.chart)} points={points} />
    </Card>
  );
}

function Ticking({ value, sign = false }: { value: string; sign?: boolean }) {
  return (
    <FlashValue value={value}>
      <Money value={value} sign={sign} />
    </FlashValue>
  );
}

function Count({ value }: { value: number }) {
  const { count } = useFormat();
  return <FlashValue value={value}>{count(value)}</FlashValue>;
}

/** The desk begins nothing, and why: a robot that rests with it is not at fault. */
function Halted() {
  const { t } = useTranslation('robots');
  const [cause, setCause] = useState<'daily_loss' | null>(null);
  useGlimpse('desk.stats', (stats) => setCause(stats.halted ?? null), 'desk');
  if (cause === null) return null;
  return (
    <Alert
      color="gold"
      variant="light"
      role="status"
      title={t(($) => $.halted.title)}
      icon={<IconHandStop size={18} aria-hidden />}
    >
      {t(($) => $.halted[cause])}
    </Alert>
  );
}

/** What the desk sees, whoever's robots take it. */
function Opportunities() {
  const { t } = useTranslation('robots');
  const { count } = useFormat();
  const [desk, setDesk] = useState<{ perMinute: number; quotes: number; feed: string } | null>(null);
  useGlimpse(
    'desk.stats',
    (stats) =>
      setDesk({ perMinute: stats.opportunitiesPerMinute, quotes: stats.quotesPerSecond, feed: stats.feed }),
    'desk',
  );
  return (
    <StatTile
      label={t(($) => $.opportunities)}
      value={desk ? <Count value={desk.perMinute} /> : '–'}
      hint={desk ? t(($) => $.quotes, { count: desk.quotes, number: count(desk.quotes) }) : undefined}
      icon={<IconBolt size={20} />}
    />
  );
}
