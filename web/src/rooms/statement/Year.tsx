import { Alert, Card, Group, Select, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCalendarStats, IconInfoCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { api, type Schemas } from '@/api/client';
import { offer } from '@/api/download';
import { $api } from '@/api/hooks';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { isZero } from '@/ui/money';
import { Section } from '@/ui/Section';
import { ShortTable } from '@/ui/ShortTable';
import { StatTile } from '@/ui/StatTile';
import { Files } from './parts';

type Told = Schemas['YearlyStatement'];
type Account = keyof typeof import('@/i18n/pt/statement.json')['accounts'];

/** A year as it is asked for in an address: four digits, else the running one. */
const yearIn = (text: string | null): number | undefined =>
  text !== null && /^\d{4}$/.test(text) ? Number(text) : undefined;

/** One's year, as a tax return asks for it. */
export function Year() {
  const { t } = useTranslation('statement');
  const [search, setSearch] = useSearchParams();
  const year = yearIn(search.get('year'));
  const params = { query: year === undefined ? {} : { year } };
  const answer = $api.useQuery('get', '/yearly-statement', { params });
  // A year that is refused is no dead end: the running one says which there are.
  const running = $api.useQuery(
    'get',
    '/yearly-statement',
    { params: { query: {} } },
    { enabled: answer.isError },
  );
  const { data } = answer;
  const years = data?.years ?? running.data?.years ?? [];
  const shown = data?.year ?? year;
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end" gap="sm">
        <Select
          w={140}
          label={t(($) => $.year.year)}
          value={shown === undefined ? null : String(shown)}
          onChange={(next) =>
            setSearch(next === null ? { view: 'year' } : { view: 'year', year: next }, { replace: true })
          }
          allowDeselect={false}
          data={years.map(String)}
        />
        {data && (
          <Files
            csv={() => offer(api.GET('/yearly-statement.csv', { params, parseAs: 'blob' }), 'informe.csv')}
            pdf={() => offer(api.GET('/yearly-statement.pdf', { params, parseAs: 'blob' }), 'informe.pdf')}
          />
        )}
      </Group>
      <Alert color="blue" variant="light" icon={<IconInfoCircle size={18} aria-hidden />} role="note">
        {t(($) => $.year.noAdvice)}
      </Alert>
      {answer.error && !data ? (
        <ErrorCard what={t(($) => $.year.what)} error={answer.error} onRetry={answer.refetch} />
      ) : (
        <Body data={data} />
      )}
    </Stack>
  );
}

const isEmpty = ({ opening, closing, crossings, results, licences, accounts }: Told) =>
  isZero(opening) &&
  isZero(closing) &&
  [crossings, results, licences, accounts].every((list) => list.length === 0);

function Body({ data }: { data: Told | undefined }) {
  const { t } = useTranslation('statement');
  const format = useFormat();
  const tile = (label: string, value: string | undefined, hint?: string) => (
    <StatTile label={label} value={<Money value={value} />} hint={hint} loading={!data} />
  );
  return (
    <>
      {data?.running && (
        <Text fz="sm" c="dimmed" role="note">
          {t(($) => $.year.running, { day: format.date(data.lastDay) })}
        </Text>
      )}
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        {tile(
          t(($) => $.year.before),
          data?.opening,
        )}
        {tile(
          t(($) => $.entries),
          data?.changes.paidIn,
          t(($) => $.entriesHint),
        )}
        {tile(
          t(($) => $.exits),
          data?.changes.paidOut,
          t(($) => $.exitsHint),
        )}
        {tile(data?.running ? t(($) => $.year.now) : t(($) => $.year.after), data?.closing)}
      </SimpleGrid>
      {!data ? (
        <Skeleton h={220} radius="md" />
      ) : isEmpty(data) ? (
        <Card>
          <EmptyState
            icon={<IconCalendarStats size={26} stroke={1.5} />}
            title={t(($) => $.year.empty)}
            hint={t(($) => $.year.emptyHint)}
          />
        </Card>
      ) : (
        <Parts data={data} />
      )}
    </>
  );
}

function Parts({ data }: { data: Told }) {
  return (
    <>
      <Goods data={data} />
      <Changes data={data} />
      <Crossings data={data} />
      {data.results.map((results) => (
        <Results key={results.mode} results={results} />
      ))}
      <Months data={data} />
      <Licences data={data} />
    </>
  );
}

/** The form's lines, then what the total is made of. */
function Goods({ data }: { data: Told }) {
  const { t } = useTranslation('statement');
  const edges = [
    { key: 'before', label: t(($) => $.year.before) },
    { key: 'after', label: data.running ? t(($) => $.year.now) : t(($) => $.year.after) },
  ] as const;
  return (
    <Section id="year-goods" title={t(($) => $.year.goods)} hint={t(($) => $.year.goodsHint)}>
      <ShortTable
        label={t(($) => $.year.goods)}
        rows={data.goods}
        rowKey={(good) => good.coin}
        columns={[
          {
            key: 'good',
            label: t(($) => $.year.good),
            render: ({ group, code, coin }) => t(($) => $.year.goodName, { group, code, coin }),
          },
          ...edges.map(({ key, label }) => ({
            key,
            label,
            figure: true,
            render: (good: Told['goods'][number]) => (
              <Money value={good[key]} currency={good.coin === 'PYX' ? 'PYX' : 'USDT'} digits={6} />
            ),
          })),
        ]}
      />
      {data.accounts.length > 0 && (
        <ShortTable
          label={t(($) => $.year.accounts)}
          caption
          rows={data.accounts}
          rowKey={({ account }) => account}
          columns={[
            {
              key: 'account',
              label: t(($) => $.account),
              render: ({ account }) => t(($) => $.accounts[account as Account]),
            },
            ...edges.map(({ key, label }) => ({
              key,
              label,
              figure: true,
              render: (row: Told['accounts'][number]) => <Money value={row[key]} digits={6} />,
            })),
          ]}
        />
      )}
    </Section>
  );
}

const CHANGES = ['pools', 'bonus', 'licences', 'exchange', 'sponsorship', 'loans', 'corrections'] as const;

/** From one end of the year to the other: results mode by mode, each by its name. */
function Changes({ data: { changes, results } }: { data: Told }) {
  const { t } = useTranslation('statement');
  const moved = CHANGES.filter((name) => !isZero(changes[name]));
  if (moved.length === 0 && results.length === 0) return null;
  return (
    <Section id="year-changes" title={t(($) => $.flows.title)}>
      <Group component="dl" gap="8px 32px" m={0}>
        {results.map(({ mode, total }) => (
          <div key={mode}>
            <Text component="dt" fz={12.5} c="dimmed">
              <span>{t(($) => $.year.robots)}</span> <ModeBadge mode={mode} size="xs" />
            </Text>
            <Text component="dd" m={0} fz="sm" fw={600}>
              <Money value={total} sign />
            </Text>
          </div>
        ))}
        {moved.map((name) => (
          <div key={name}>
            <Text component="dt" fz={12.5} c="dimmed">
              {name === 'pools' ? t(($) => $.year.pools) : t(($) => $.flows[name])}
            </Text>
            <Text component="dd" m={0} fz="sm" fw={600}>
              <Money value={changes[name]} sign />
            </Text>
          </div>
        ))}
      </Group>
    </Section>
  );
}

function Crossings({ data }: { data: Told }) {
  const { t } = useTranslation('statement');
  const format = useFormat();
  if (data.crossings.length === 0) return null;
  return (
    <Section id="year-crossings" title={t(($) => $.year.crossings)} hint={t(($) => $.year.crossingsHint)}>
      <ShortTable
        label={t(($) => $.year.crossings)}
        rows={data.crossings}
        rowKey={({ month, crossed, way }) => `${month}:${crossed}:${way}`}
        columns={[
          {
            key: 'month',
            label: t(($) => $.year.month),
            render: ({ month, crossed, way }) =>
              `${format.date(month.slice(0, 7))} · ${t(($) => $.year.crossed[crossed])} · ${t(($) => $.year.ways[way])}`,
          },
          {
            key: 'count',
            label: t(($) => $.year.count),
            figure: true,
            render: ({ count }) => format.count(count),
          },
          {
            key: 'coins',
            label: t(($) => $.year.coins),
            figure: true,
            render: ({ coins }) => (coins ? format.exact(coins) : '–'),
          },
          {
            key: 'brl',
            label: t(($) => $.year.brl),
            figure: true,
            render: ({ brl }) => (brl ? <Money value={brl} currency="BRL" /> : '–'),
          },
          {
            key: 'usdt',
            label: t(($) => $.amount),
            figure: true,
            render: ({ usdt }) => <Money value={usdt} digits={6} />,
          },
        ]}
      />
    </Section>
  );
}

function Results({ results }: { results: Told['results'][number] }) {
  const { t } = useTranslation('statement');
  const format = useFormat();
  const { mode, months, total } = results;
  const title = t(($) => $.year.robots);
  return (
    <Card component="section" aria-labelledby={`year-results-${mode}`}>
      <Group justify="space-between" mb="xs">
        <Title order={2} fz={15} id={`year-results-${mode}`}>
          <span>{title}</span> <ModeBadge mode={mode} size="xs" />
        </Title>
        <Text fz="sm" fw={600}>
          <Money value={total} sign />
        </Text>
      </Group>
      <ShortTable
        label={title}
        rows={months}
        rowKey={({ month }) => month}
        columns={[
          {
            key: 'month',
            label: t(($) => $.year.month),
            render: ({ month }) => format.date(month.slice(0, 7)),
          },
          {
            key: 'net',
            label: t(($) => $.year.net),
            figure: true,
            render: ({ net }) => <Money value={net} digits={6} sign />,
          },
        ]}
      />
    </Card>
  );
}

/** Shares of pools and bonuses of the months that had some. */
function Months({ data }: { data: Told }) {
  const { t } = useTranslation('statement');
  const format = useFormat();
  const names = (['pools', 'bonus', 'rankBonus'] as const).filter((name) =>
    data.months.some((month) => !isZero(month[name])),
  );
  const months = data.months.filter((month) => names.some((name) => !isZero(month[name])));
  if (months.length === 0) return null;
  return (
    <Section id="year-months" title={t(($) => $.year.months)}>
      <ShortTable
        label={t(($) => $.year.months)}
        rows={months}
        rowKey={({ month }) => month}
        columns={[
          {
            key: 'month',
            label: t(($) => $.year.month),
            render: ({ month }) => format.date(month.slice(0, 7)),
          },
          ...names.map((name) => ({
            key: name,
            label: t(($) => $.year[name]),
            figure: true,
            render: (month: Told['months'][number]) => <Money value={month[name]} digits={6} />,
          })),
        ]}
      />
    </Section>
  );
}

function Licences({ data }: { data: Told }) {
  const { t } = useTranslation('statement');
  const format = useFormat();
  if (data.licences.length === 0) return null;
  return (
    <Section id="year-licences" title={t(($) => $.year.licences)}>
      <ShortTable
        label={t(($) => $.year.licences)}
        rows={data.licences}
        rowKey={({ number }) => String(number)}
        columns={[
          { key: 'number', label: t(($) => $.year.licence), render: ({ number }) => `#${number}` },
          {
            key: 'bought',
            label: t(($) => $.year.bought),
            render: ({ bought }) => format.date(bought),
          },
          {
            key: 'ended',
            label: t(($) => $.year.ended),
            render: ({ ended }) => (ended ? format.date(ended) : '–'),
          },
          {
            key: 'value',
            label: t(($) => $.year.value),
            figure: true,
            render: ({ value }) => <Money value={value} />,
          },
        ]}
      />
    </Section>
  );
}
