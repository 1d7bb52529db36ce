import '@mantine/charts/styles.layer.css';
import { LineChart } from '@mantine/charts';
import { Card, Group, SegmentedControl, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { toChart } from '@/ui/money';

/** The price over time: a step for each round, then the hours in which PYX was traded. */
export function PriceSteps() {
  const { t } = useTranslation('exchange');
  const format = useFormat();
  const [as, setAs] = useState<'chart' | 'table'>('chart');
  const { data, error, refetch } = $api.useQuery('get', '/presale/price-history');
  if (!data)
    return error ? (
      <ErrorCard what={t(($) => $.steps.what)} error={error} onRetry={refetch} />
    ) : (
      <Skeleton h={260} radius="md" />
    );
  const { rounds, candles } = data;
  if (rounds.length === 0) return null;
  const now = new Date().toISOString();
  const steps = [
    ...rounds.flatMap((round) => [
      { at: round.startsAt, price: round.price },
      { at: round.endsAt < now ? round.endsAt : now, price: round.price },
    ]),
    ...candles.map(({ at, close }) => ({ at, price: close })),
  ];
  return (
    <Card component="section" aria-labelledby="price-steps">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} fz={17} id="price-steps">
            {t(($) => $.steps.title)}
          </Title>
          <SegmentedControl
            size="xs"
            aria-label={t(($) => $.steps.as)}
            value={as}
            onChange={(next) => setAs(next as 'chart' | 'table')}
            data={[
              { value: 'chart', label: t(($) => $.steps.chart) },
              { value: 'table', label: t(($) => $.steps.table) },
            ]}
          />
        </Group>
        {as === 'chart' ? (
          <LineChart
            h={220}
            data={steps.map(({ at, price }) => ({ at: format.dateTime(at), price: toChart(price) }))}
            dataKey="at"
            series={[{ name: 'price', label: 'USDT', color: 'mint.6' }]}
            curveType="stepAfter"
            withDots={steps.length < 12}
            lineProps={{ isAnimationActive: false }}
            valueFormatter={(value) => format.decimal(value.toFixed(4), 4)}
            xAxisProps={{ minTickGap: 40 }}
            yAxisProps={{ width: 64 }}
          />
        ) : (
          <Table aria-label={t(($) => $.steps.title)}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t(($) => $.steps.when)}</Table.Th>
                <Table.Th ta="right">{t(($) => $.presale.price)}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rounds.map((round) => (
                <Table.Tr key={round.number}>
                  <Table.Td>
                    <Text fz="sm">{t(($) => $.presale.round, { number: round.number })}</Text>
                    <Text fz="xs" c="dimmed">
                      <span>{format.dateTime(round.startsAt)}</span> –{' '}
                      <span>{format.dateTime(round.endsAt)}</span>
                    </Text>
                  </Table.Td>
                  <Table.Td ta="right">
                    <Money value={round.price} digits={4} />
                  </Table.Td>
                </Table.Tr>
              ))}
              {candles.map(({ at, close }) => (
                <Table.Tr key={at}>
                  <Table.Td>{format.dateTime(at)}</Table.Td>
                  <Table.Td ta="right">
                    <Money value={close} digits={4} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
    </Card>
  );
}
