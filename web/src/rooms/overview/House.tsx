import { Card, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { QUEUES } from '@/api/queues';
import { screenAt } from '@/api/screens';
import { mayRead } from '@/api/session';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { HistoryChart } from '@/ui/HistoryChart';
import { Money } from '@/ui/Money';
import { add, isZero, subtract } from '@/ui/money';
import { StatTile } from '@/ui/StatTile';
import { When } from '@/ui/When';

type View = Schemas['GeneralView'];

/** As often as the server reads anew. */
const REFRESH = 10_000;

/** The house's figures: people, licences, robots, money in and out, what works by itself. */
export function House() {
  const { t } = useTranslation('overview');
  const answer = $api.useQuery('get', '/admin/general-view', undefined, { refetchInterval: REFRESH });
  const { data } = answer;
  if (answer.error && !data)
    return <ErrorCard what={t(($) => $.house.what)} error={answer.error} onRetry={answer.refetch} />;
  return (
    <>
      <Tiles data={data} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Card>{data ? <MoneyByDay days={data.days} /> : <Skeleton h={290} radius="md" />}</Card>
        <Card>{data ? <ComingByDay days={data.days} /> : <Skeleton h={290} radius="md" />}</Card>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Card>{data ? <Plans licences={data.licences} /> : <Skeleton h={240} radius="md" />}</Card>
        <Health data={data} />
      </SimpleGrid>
    </>
  );
}

/** The list in which a day's figure of a chart stands. */
const LISTS = {
  inPix: QUEUES.pixDeposits,
  inChain: QUEUES.cryptoDeposits,
  outPix: QUEUES.pixWithdrawals,
  outChain: QUEUES.cryptoWithdrawals,
} as const;
const SALES = { permission: 'admin_permissions', screen: '/crypto-deposits-list' } as const;
const PEOPLE = { permission: 'customer-service_list-users', screen: '/administrator/users/list' } as const;
const WHOLE = { sold: SALES, registered: PEOPLE } as const;

function listOfDay(day: string, series: string): string | undefined {
  const days = { startDate: day, endDate: day };
  if (Object.hasOwn(WHOLE, series)) {
    const list = WHOLE[series as keyof typeof WHOLE];
    return mayRead(list.permission) ? screenAt(list, days) : undefined;
  }
  const list = Object.hasOwn(LISTS, series) && LISTS[series as 'inPix'];
  if (!list || !mayRead(list.permission)) return undefined;
  return screenAt(list, { tab: 'all', ...days });
}

/** A way into a list, for who may read it. */
const into = (permission: Parameters<typeof mayRead>[0], href: string) =>
  mayRead(permission) ? { href } : {};

/** All members' robots, with what is asked of them. */
const robotsBy = (asked: string) => into('admin_permissions', `/administrator/robots?${asked}`);

/** Today in every mode that has a result, and in the one that the desk works in. */
function todayOf({ robots: { mode, today } }: View): View['robots']['today'] {
  if (today.some((one) => one.mode === mode)) return today;
  return [{ mode, gain: '0', loss: '0', operations: 0, robots: 0 }, ...today];
}

function Tiles({ data }: { data: View | undefined }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const loading = !data;
  const payout = data?.payout;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} component="section" aria-label={t(($) => $.house.title)}>
      <StatTile
        label={t(($) => $.house.people)}
        value={format.count(data?.people.all ?? 0)}
        hint={
          data &&
          t(($) => $.house.peopleHint, {
            today: format.count(data.people.today),
            week: format.count(data.people.last7Days),
          })
        }
        loading={loading}
        {...into('customer-service_list-users', PEOPLE.screen)}
      />
      <StatTile
        label={t(($) => $.house.licences)}
        value={format.count(data?.licences.active ?? 0)}
        hint={data && t(($) => $.house.licencesHint, { value: format.usdt(data.licences.value) })}
        loading={loading}
        {...into('admin_permissions', '/crypto-deposits-list')}
      />
      <StatTile
        label={t(($) => $.house.robots)}
        value={format.count(data?.robots.working ?? 0)}
        badge={data && <ModeBadge mode={data.robots.mode} size="xs" />}
        hint={
          data &&
          t(($) => $.house.robotsHint, {
            paused: format.count(data.robots.paused),
            idle: format.count(data.robots.idle),
            manual: format.count(data.robots.manual),
          })
        }
        loading={loading}
        {...robotsBy('status=working')}
      />
      {(data ? todayOf(data) : [null]).map((today) => (
        <StatTile
          key={today?.mode ?? ''}
          label={t(($) => $.house.today)}
          value={<Money value={today ? subtract(today.gain, today.loss) : '0'} currency="USD" sign />}
          badge={today && <ModeBadge mode={today.mode} size="xs" />}
          hint={
            today &&
            t(($) => $.house.todayHint, {
              operations: format.count(today.operations),
              robots: format.count(today.robots),
            })
          }
          loading={loading}
          {...(today && robotsBy(`mode=${today.mode}&sortby=today`))}
        />
      ))}
      <StatTile
        label={t(($) => $.house.allocated)}
        value={<Money value={data?.licences.allocated} currency="USD" />}
        hint={data && t(($) => $.house.topup, { value: format.usdt(data.licences.topup) })}
        loading={loading}
        {...into('admin_permissions', '/crypto-deposits-list?status=active')}
      />
      <StatTile
        label={t(($) => $.house.coverage)}
        value={data?.coverage.coverage ? format.percent(data.coverage.coverage) : '–'}
        hint={
          data &&
          t(($) => $.house.coverageHint, {
            held: format.usdt(data.coverage.held),
            owed: format.usdt(data.coverage.owed),
          })
        }
        loading={loading}
        href="#solvency"
      />
      <StatTile
        label={t(($) => $.house.payout)}
        value={payout?.sums.ratio ? format.percent(payout.sums.ratio) : '–'}
        hint={payout && t(($) => $.house.payoutHint, { ceiling: format.percent(payout.ceiling) })}
        loading={loading}
        {...into('admin_permissions', '/payout-report')}
      />
      <StatTile
        label={t(($) => $.house.unconfirmed)}
        value={format.count(data?.people.unconfirmed ?? 0)}
        loading={loading}
        {...into('customer-service_list-users', `${PEOPLE.screen}?emailConfirmed=false`)}
      />
      <StatTile
        label={t(($) => $.house.inactive)}
        value={format.count(data ? data.people.all - data.people.active : 0)}
        loading={loading}
        {...into('customer-service_list-users', `${PEOPLE.screen}?status=inactive`)}
      />
    </SimpleGrid>
  );
}

const heading = (text: string) => (
  <Title order={2} fz={15}>
    {text}
  </Title>
);

function MoneyByDay({ days }: { days: View['days'] }) {
  const { t } = useTranslation('overview');
  const title = t(($) => $.house.money);
  const none = days.every((day) =>
    [day.inPix, day.inChain, day.outPix, day.outChain].every((amount) => isZero(amount)),
  );
  if (none)
    return (
      <>
        {heading(title)}
        <EmptyState title={t(($) => $.house.noMoney)} />
      </>
    );
  return (
    <HistoryChart
      title={heading(title)}
      label={title}
      axis={t(($) => $.house.day)}
      rows={days.map(({ day, inPix, inChain, outPix, outChain }) => ({
        at: day,
        values: {
          inPix,
          inChain,
          outPix: subtract('0', outPix),
          outChain: subtract('0', outChain),
          net: subtract(add(inPix, inChain), add(outPix, outChain)),
        },
      }))}
      lead={listOfDay}
      series={[
        { key: 'inPix', label: t(($) => $.house.inPix), color: 'var(--up)', shape: 'bar', stack: 'flow' },
        {
          key: 'inChain',
          label: t(($) => $.house.inChain),
          color: 'var(--mantine-color-blue-5)',
          shape: 'bar',
          stack: 'flow',
        },
        {
          key: 'outPix',
          label: t(($) => $.house.outPix),
          color: 'var(--gold-dot)',
          shape: 'bar',
          stack: 'flow',
        },
        {
          key: 'outChain',
          label: t(($) => $.house.outChain),
          color: 'var(--down)',
          shape: 'bar',
          stack: 'flow',
        },
        { key: 'net', label: t(($) => $.house.net), color: 'var(--mantine-color-text)', shape: 'line' },
      ]}
    />
  );
}

function ComingByDay({ days }: { days: View['days'] }) {
  const { t } = useTranslation('overview');
  const title = t(($) => $.house.coming);
  return (
    <HistoryChart
      title={heading(title)}
      label={title}
      axis={t(($) => $.house.day)}
      unit="plain"
      rows={days.map(({ day, registered, licencesSold }) => ({
        at: day,
        values: { registered: String(registered), sold: String(licencesSold) },
      }))}
      lead={listOfDay}
      series={[
        {
          key: 'registered',
          label: t(($) => $.house.registered),
          color: 'var(--mantine-color-blue-5)',
          shape: 'bar',
        },
        { key: 'sold', label: t(($) => $.house.sold), color: 'var(--up)', shape: 'bar' },
      ]}
    />
  );
}

function Plans({ licences }: { licences: View['licences'] }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const title = t(($) => $.house.plans);
  if (licences.active === 0)
    return (
      <>
        {heading(title)}
        <EmptyState title={t(($) => $.house.noLicences)} />
      </>
    );
  return (
    <HistoryChart
      title={heading(title)}
      label={title}
      axis={t(($) => $.house.plan)}
      names
      height={200}
      counted={t(($) => $.house.licences)}
      rows={licences.plans.map(({ price, isHighRisk, value, active }) => ({
        at: t(($) => (isHighRisk ? $.house.planRisk : $.house.planOf), { price: format.usdt(price) }),
        values: { value },
        count: active,
      }))}
      series={[{ key: 'value', label: t(($) => $.house.value), color: 'var(--up)', shape: 'bar' }]}
    />
  );
}

/** What works by itself, and whether it does. */
function Health({ data }: { data: View | undefined }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const health = data?.health;
  const lines = health && [
    {
      key: 'desk',
      good: health.desk,
      text: health.desk ? t(($) => $.house.deskRuns) : t(($) => $.house.deskStands),
    },
    {
      key: 'signing',
      good: health.signing,
      text: health.signing ? t(($) => $.house.signs) : t(($) => $.house.signsNot),
    },
    {
      key: 'jobs',
      good: health.jobsParked === 0,
      text:
        health.jobsParked === 0
          ? t(($) => $.house.jobsGood, { due: format.count(health.jobsDue) })
          : t(($) => $.house.jobsParked, {
              count: health.jobsParked,
              parked: format.count(health.jobsParked),
            }),
    },
    {
      key: 'closings',
      good: health.closingsLate === 0,
      text:
        health.closingsLate === 0
          ? t(($) => $.house.closingsGood)
          : t(($) => $.house.closingsLate, {
              count: health.closingsLate,
              late: format.count(health.closingsLate),
            }),
    },
    {
      key: 'mails',
      good: health.mailsDue === 0,
      text:
        health.mailsDue === 0
          ? t(($) => $.house.mailsGood)
          : t(($) => $.house.mailsWait, { count: health.mailsDue, due: format.count(health.mailsDue) }),
    },
  ];
  return (
    <Card component="section" aria-labelledby="health">
      <Title order={2} fz={15} id="health" mb="sm">
        {t(($) => $.house.health)}
      </Title>
      {!lines || !data ? (
        <Skeleton h={160} radius="md" />
      ) : (
        <Stack gap="sm">
          {lines.map(({ key, good, text }) => (
            <Text key={key} fz="sm" data-testid={`health-${key}`} data-good={good}>
              <Text span c={good ? 'var(--up)' : 'var(--down)'} fw={700} mr={8}>
                {good ? t(($) => $.house.good) : t(($) => $.house.bad)}
              </Text>
              <span>{text}</span>
            </Text>
          ))}
          <Text fz="xs" c="dimmed">
            <span>{t(($) => $.house.asOf)}</span> <When at={data.asOf} relative />
          </Text>
        </Stack>
      )}
    </Card>
  );
}
