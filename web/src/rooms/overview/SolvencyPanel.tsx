import { Alert, Button, Card, Group, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { QUEUES } from '@/api/queues';
import { mayRead } from '@/api/session';
import type { CoinCode } from '@/live/chain/deposits';
import { ErrorCard } from '@/ui/ErrorCard';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { compare, isPositive } from '@/ui/money';
import { ShortTable } from '@/ui/ShortTable';
import { StatTile } from '@/ui/StatTile';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { DeclaredHoldings } from './Declared';

type Solvency = Schemas['Solvency'];

/** The chain is read every half minute at most; oftener there is nothing new. */
const REFRESH = 30_000;

/** What we owe beside what we hold, and the button that recomputes the books. */
export function SolvencyPanel() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const report = $api.useQuery('get', QUEUES.holdings.list, undefined, { refetchInterval: REFRESH });
  const { data } = report;
  if (report.error && !data)
    return <ErrorCard what={t(($) => $.solvency.what)} error={report.error} onRetry={report.refetch} />;
  const covered = data?.coverage;
  return (
    <Card component="section" aria-labelledby="solvency">
      <Stack gap="md">
        <Group justify="space-between" align="start" gap="sm">
          <div>
            <Title order={2} fz={17} id="solvency">
              {t(($) => $.solvency.title)}
            </Title>
            <Text fz="sm" c="dimmed">
              {t(($) => $.solvency.subtitle)}
            </Text>
          </div>
          {data && (
            <Text fz="xs" c="dimmed">
              {t(($) => $.solvency.as_of, { at: format.time(data.asOf) })}
            </Text>
          )}
        </Group>
        {data && !data.chainReadAt && (
          <Alert color="gold" variant="light" role="alert">
            {t(($) => $.solvency.never)}
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
          <StatTile
            label={t(($) => $.solvency.coverage)}
            value={
              <FlashValue value={covered ?? ''}>
                <span
                  data-testid="coverage"
                  style={short(covered) ? { color: 'var(--mantine-color-red-text)' } : undefined}
                >
                  {covered ? format.percent(covered) : '–'}
                </span>
              </FlashValue>
            }
            loading={!data}
          />
          <StatTile
            label={t(($) => $.solvency.owed)}
            value={<Money value={data?.owedTotal} currency="USD" />}
            loading={!data}
          />
          <StatTile
            label={t(($) => $.solvency.held)}
            value={<Money value={data?.heldTotal} currency="USD" />}
            loading={!data}
          />
          <StatTile
            label={t(($) => $.solvency.fx)}
            value={<Money value={data?.fxTotal} currency="USD" sign />}
            loading={!data}
          />
        </SimpleGrid>
        {data ? <Sides report={data} /> : <Skeleton height={220} radius="md" aria-hidden />}
        {data && (
          <Text fz="xs" c="dimmed">
            {t(($) => $.solvency.modes, {
              simulated: format.usdt(data.modes.simulated),
              paper: format.usdt(data.modes.paper),
              live: format.usdt(data.modes.live),
            })}
          </Text>
        )}
        {data && <DeclaredHoldings report={data} />}
        {mayRead('admin_permissions') && <Verify />}
      </Stack>
    </Card>
  );
}

const short = (coverage: string | null | undefined): boolean =>
  typeof coverage === 'string' && compare(coverage, '100') < 0;

const OWES = [
  'available',
  'held',
  'held_orders',
  'held_transfers',
  'held_deposits',
  'bonus',
  'bonus_deferred',
  'price',
  'topup',
  'allocated',
  'yield',
  'loan',
  'pool_principal',
] as const;
const PLACES = ['hot', 'cold', 'deposits', 'pix', 'exchange'] as const;

function Sides({ report }: { report: Solvency }) {
  const { t } = useTranslation('overview');
  const owes = (account: string) => OWES.find((one) => one === account);
  const place = (name: string) => PLACES.find((one) => one === name);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Table.ScrollContainer
        minWidth={280}
        type="native"
        tabIndex={0}
        role="region"
        aria-label={t(($) => $.solvency.owedTitle)}
      >
        <Table captionSide="top">
          <Table.Caption>{t(($) => $.solvency.owedTitle)}</Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t(($) => $.solvency.source)}</Table.Th>
              <Table.Th scope="col" ta="right">
                {t(($) => $.solvency.worth)}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {report.owed.map(({ account, usdt }) => {
              const known = owes(account);
              return (
                <Table.Tr key={account}>
                  <Table.Th scope="row" fw={500}>
                    {known ? t(($) => $.solvency.owes[known]) : account}
                  </Table.Th>
                  <Table.Td ta="right">
                    <Money value={usdt} digits={4} unit={false} />
                  </Table.Td>
                </Table.Tr>
              );
            })}
            {(
              [
                ['sponsored', report.sponsored],
                ['receivable', report.receivable],
                ['house', report.house],
                ['capital', report.capital],
              ] as const
            ).map(([name, usdt]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400} c="dimmed">
                  {t(($) => $.solvency[name])}
                </Table.Th>
                <Table.Td ta="right" c="dimmed">
                  (<Money value={usdt} digits={4} unit={false} />)
                </Table.Td>
              </Table.Tr>
            ))}
            {report.pyx && isPositive(report.pyx.issued) && (
              <Table.Tr data-testid="pyx-owed">
                <Table.Th scope="row" fw={400} c="dimmed">
                  {t(($) => $.solvency.pyx)}
                </Table.Th>
                <Table.Td ta="right" c="dimmed">
                  <Money value={report.pyx.owed} currency="PYX" digits={4} unit={false} /> /{' '}
                  <Money value={report.pyx.issued} currency="PYX" digits={4} />
                </Table.Td>
              </Table.Tr>
            )}
            {report.pyx && isPositive(report.pyx.leftBehind) && (
              <Table.Tr data-testid="pyx-left">
                <Table.Th scope="row" fw={400} c="dimmed">
                  {t(($) => $.solvency.pyxLeft)}
                </Table.Th>
                <Table.Td ta="right" c="dimmed">
                  <Money value={report.pyx.leftBehind} currency="PYX" digits={4} />
                </Table.Td>
              </Table.Tr>
            )}
            {report.pyx && isPositive(report.pyx.issued) && (
              <Table.Tr data-testid="pyx-out">
                <Table.Th scope="row" fw={400} c="dimmed">
                  {t(($) => $.solvency.pyxOut)}
                </Table.Th>
                <Table.Td ta="right" c="dimmed">
                  <Money value={report.pyx.withdrawn} currency="PYX" digits={4} unit={false} /> /{' '}
                  <span>
                    {report.pyx.onChain ? (
                      <Money value={report.pyx.onChain} currency="PYX" digits={4} />
                    ) : (
                      '–'
                    )}
                  </span>
                </Table.Td>
              </Table.Tr>
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <ShortTable
        label={t(($) => $.solvency.heldTitle)}
        caption
        rows={report.held}
        rowKey={(one) => `${one.place}-${one.currency}`}
        columns={[
          {
            key: 'source',
            label: t(($) => $.solvency.source),
            render: (one) => {
              const known = place(one.place);
              return known ? t(($) => $.solvency.places[known]) : one.place;
            },
          },
          {
            key: 'amount',
            label: t(($) => $.solvency.amount),
            figure: true,
            render: (one) => (
              <Money
                value={one.amount}
                currency={one.currency as CoinCode | 'BRL'}
                digits={one.currency === 'BNB' ? 8 : 2}
              />
            ),
          },
          {
            key: 'worth',
            label: t(($) => $.solvency.worth),
            figure: true,
            render: (one) =>
              one.usdt ? (
                <Money value={one.usdt} digits={4} unit={false} />
              ) : (
                <Text span fz="xs" c="dimmed">
                  {t(($) => $.solvency.unvalued)}
                </Text>
              ),
          },
        ]}
      />
    </SimpleGrid>
  );
}

/** Recomputes every balance from the postings. */
function Verify() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const errorText = useErrorText();
  const [found, setFound] = useState<Schemas['Report'] | null>(null);
  const { busy, failure, run } = useSubmit(() => body(api.POST('/admin/ledger/verify')), setFound);
  return (
    <Group gap="sm">
      <Button variant="default" loading={busy} onClick={() => void run(null)}>
        {t(($) => $.solvency.verify)}
      </Button>
      {found && (
        <Text fz="sm" role="status" c={found.exact ? undefined : 'red'}>
          {found.exact
            ? t(($) => $.solvency.verified, { transfers: format.count(found.transfers) })
            : t(($) => $.solvency.differs, { what: found.firstDifference?.subject ?? '' })}
        </Text>
      )}
      {failure && (
        <Text fz="sm" c="red" role="alert">
          {errorText(failure.error)}
        </Text>
      )}
    </Group>
  );
}
