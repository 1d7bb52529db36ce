import { BarChart } from '@mantine/charts';
import { Card, Group, SegmentedControl, Table, Title } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { toChart } from '@/ui/money';

interface DaysProps {
  title: string;
  /** What is counted and what is summed. */
  count: string;
  total: string;
  days: readonly { day: string; count: number; total: string }[] | undefined;
}

/** Sums by day, as bars or as a table; nothing where there is no day. */
export function Days({ title, count, total, days }: DaysProps) {
  const { t } = useTranslation('wallet');
  const format = useFormat();
  const [as, setAs] = useState<'chart' | 'table'>('chart');
  const id = useId();
  if (!days?.length) return null;
  return (
    <Card component="section" aria-labelledby={id}>
      <Group justify="space-between" mb="md">
        <Title order={2} fz={17} id={id}>
          {title}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={title}
          value={as}
          onChange={(next) => setAs(next as typeof as)}
          data={[
            { value: 'chart', label: t(($) => $.sales.chart) },
            { value: 'table', label: t(($) => $.sales.table) },
          ]}
        />
      </Group>
      {as === 'chart' ? (
        <BarChart
          h={220}
          data={days.map((one) => ({ day: format.date(one.day), total: toChart(one.total) }))}
          dataKey="day"
          series={[{ name: 'total', label: 'USDT', color: 'mint.6' }]}
          maxBarWidth={48}
          barProps={{ isAnimationActive: false }}
        />
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t(($) => $.sales.day)}</Table.Th>
              <Table.Th ta="right">{count}</Table.Th>
              <Table.Th ta="right">{total}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {days.map((one) => (
              <Table.Tr key={one.day}>
                <Table.Td>{format.date(one.day)}</Table.Td>
                <Table.Td ta="right" className="num">
                  {one.count}
                </Table.Td>
                <Table.Td ta="right">
                  <Money value={one.total} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Card>
  );
}
