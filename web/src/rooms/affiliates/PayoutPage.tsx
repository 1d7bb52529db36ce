import {
  Alert,
  Card,
  Group,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { PersonHandles } from '@/shared/people/PersonCell';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { HistoryChart } from '@/ui/HistoryChart';
import { Money } from '@/ui/Money';
import { add, isZero } from '@/ui/money';
import { PageHeader } from '@/ui/PageHeader';
import { PeriodInput } from '@/ui/PeriodInput';
import { ShortTable } from '@/ui/ShortTable';
import { StatTile } from '@/ui/StatTile';
import { PAYOUT } from './network';

type Report = Schemas['PayoutReport'];
type Sums = Schemas['PayoutSums'];
type Ring = Schemas['Ring'];
type By = 'days' | 'months';

/** /payout-report: what the network takes out of what the house earns. */
export default function PayoutPage() {
  const { t } = useTranslation('affiliates');
  const [search, setSearch] = useSearchParams();
  const [startDate, endDate] = [search.get('startDate'), search.get('endDate')];
  const query = { ...(startDate && { startDate }), ...(endDate && { endDate }) };
  const answer = $api.useQuery('get', PAYOUT, { params: { query } });
  const { data } = answer;
  const choose = (from: string | null, to: string | null) =>
    setSearch(from && to ? { startDate: from, endDate: to } : {}, { replace: true });
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.staff.payout.title)}
        subtitle={t(($) => $.staff.payout.subtitle)}
        action={
          <PeriodInput
            from={startDate ?? data?.firstDay ?? null}
            to={endDate ?? data?.lastDay ?? null}
            onChange={choose}
          />
        }
      />
      {answer.error && !data ? (
        <ErrorCard what={t(($) => $.staff.payout.what)} error={answer.error} onRetry={answer.refetch} />
      ) : (
        <Body data={data} />
      )}
    </Stack>
  );
}

const paidOut = ({ bonuses, graduations }: Sums) => add(bonuses, graduations);

function Body({ data }: { data: Report | undefined }) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const loading = !data;
  const share = (ratio: string | null | undefined) => (ratio ? format.percent(ratio) : '–');
  return (
    <>
      {data?.ceiling.over && (
        <Alert color="red" variant="light" role="alert" icon={<IconAlertTriangle size={18} aria-hidden />}>
          <span>
            {data.ceiling.sums.ratio
              ? t(($) => $.staff.payout.over, {
                  ratio: share(data.ceiling.sums.ratio),
                  ceiling: share(data.ceiling.ceiling),
                })
              : t(($) => $.staff.payout.overNothing)}
          </span>
          {data.ceiling.alertSince && (
            <span>{` ${t(($) => $.staff.payout.since, { at: format.dateTime(data.ceiling.alertSince) })}`}</span>
          )}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 2, lg: 4 }}>
        <StatTile
          label={t(($) => $.staff.payout.ratio)}
          value={share(data?.ceiling.sums.ratio)}
          hint={data && t(($) => $.staff.payout.ceiling, { ceiling: share(data.ceiling.ceiling) })}
          loading={loading}
        />
        <StatTile
          label={t(($) => $.staff.payout.revenue)}
          value={<Money value={data?.total.revenue} currency="USD" />}
          hint={
            data &&
            t(($) => $.staff.payout.revenueOf, {
              licences: format.usdt(data.total.licences),
              fees: format.usdt(data.total.fees),
            })
          }
          loading={loading}
        />
        <StatTile
          label={t(($) => $.staff.payout.bonuses)}
          value={<Money value={data && paidOut(data.total)} currency="USD" />}
          hint={data && t(($) => $.staff.payout.graduations, { value: format.usdt(data.total.graduations) })}
          loading={loading}
        />
        <StatTile
          label={t(($) => $.staff.payout.rings)}
          value={share(data?.rings.ratio)}
          hint={
            data &&
            t(($) => $.staff.payout.ringsOf, {
              accounts: format.count(data.rings.accounts),
              groups: format.count(data.rings.count),
            })
          }
          loading={loading}
        />
      </SimpleGrid>
      <Card>{data ? <OverTime data={data} /> : <Skeleton h={520} radius="md" />}</Card>
      <Card component="section" aria-labelledby="rings">
        <Title order={2} fz={15} id="rings">
          {t(($) => $.staff.payout.ringsTitle)}
        </Title>
        <Text fz="sm" c="dimmed" mb="sm">
          {t(($) => $.staff.payout.ringsHint)}
        </Text>
        {data ? <RingTable rings={data.rings.largest} /> : <Skeleton h={160} radius="md" />}
      </Card>
    </>
  );
}

/** Bonuses and revenue, and the one against the other, by day or by month. */
function OverTime({ data }: { data: Report }) {
  const { t } = useTranslation('affiliates');
  const [by, setBy] = useState<By>('days');
  const rows =
    by === 'days'
      ? data.days.map((day) => ({ ...day, at: day.day }))
      : data.months.map((month) => ({ ...month, at: month.month }));
  if (isZero(data.total.revenue) && isZero(paidOut(data.total)))
    return <EmptyState title={t(($) => $.staff.payout.empty)} hint={t(($) => $.staff.payout.emptyHint)} />;
  const axis = by === 'days' ? t(($) => $.staff.day) : t(($) => $.network.month);
  return (
    <Stack gap="lg">
      <Group>
        <SegmentedControl
          size="xs"
          aria-label={t(($) => $.staff.payout.by)}
          value={by}
          onChange={(next) => setBy(next as By)}
          data={[
            { value: 'days', label: t(($) => $.staff.payout.byDay) },
            { value: 'months', label: t(($) => $.staff.payout.byMonth) },
          ]}
        />
      </Group>
      <HistoryChart
        title={
          <Title order={2} fz={15}>
            {t(($) => $.staff.payout.overTime)}
          </Title>
        }
        label={t(($) => $.staff.payout.overTime)}
        axis={axis}
        unit="percent"
        rows={rows.map(({ at, ratio }) => ({
          at,
          values: { ratio: ratio ?? null, ceiling: data.ceiling.ceiling },
        }))}
        series={[
          { key: 'ratio', label: t(($) => $.staff.payout.share), color: 'var(--up)', shape: 'bar' },
          {
            key: 'ceiling',
            label: t(($) => $.staff.payout.ceilingLine),
            color: 'var(--mantine-color-red-6)',
            shape: 'step',
          },
        ]}
      />
      <HistoryChart
        title={
          <Title order={2} fz={15}>
            {t(($) => $.staff.payout.amounts)}
          </Title>
        }
        label={t(($) => $.staff.payout.amounts)}
        axis={axis}
        rows={rows.map((row) => ({
          at: row.at,
          values: { revenue: row.revenue, bonuses: paidOut(row) },
        }))}
        series={[
          {
            key: 'revenue',
            label: t(($) => $.staff.payout.revenue),
            color: 'var(--mantine-color-blue-5)',
            shape: 'bar',
          },
          {
            key: 'bonuses',
            label: t(($) => $.staff.payout.bonuses),
            color: 'var(--gold-dot)',
            shape: 'bar',
          },
        ]}
      />
    </Stack>
  );
}

/** Accounts that share a device, a document or a payer, those that took most first. */
function RingTable({ rings }: { rings: readonly Ring[] }) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  if (rings.length === 0) return <EmptyState title={t(($) => $.staff.payout.noRings)} />;
  return (
    <ShortTable<Ring>
      label={t(($) => $.staff.payout.ringsTitle)}
      rows={rings}
      rowKey={({ members }) => members.join()}
      columns={[
        {
          key: 'members',
          label: t(($) => $.staff.payout.members),
          render: ({ members, accounts }) => (
            <>
              <PersonHandles names={members} />
              {accounts > members.length && (
                <span translate="no">{` +${format.count(accounts - members.length)}`}</span>
              )}
            </>
          ),
        },
        {
          key: 'bonuses',
          label: t(($) => $.staff.payout.bonuses),
          figure: true,
          render: ({ bonuses }) => <Money value={bonuses} digits={4} unit={false} />,
        },
        {
          key: 'deposits',
          label: t(($) => $.staff.payout.deposits),
          figure: true,
          render: ({ deposits }) => <Money value={deposits} digits={4} unit={false} />,
        },
        {
          key: 'ratio',
          label: t(($) => $.staff.payout.ringShare),
          figure: true,
          render: ({ ratio }) => <span className="num">{ratio ? format.percent(ratio) : '–'}</span>,
        },
      ]}
    />
  );
}
