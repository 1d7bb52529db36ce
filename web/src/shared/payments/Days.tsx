import { Card, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { HistoryChart, type Unit } from '@/ui/HistoryChart';
import { type DayTotal, everyDay } from './everyDay';

interface DaysProps {
  title: string;
  /** What is counted and what is summed. */
  count: string;
  total: string;
  days: readonly DayTotal[] | undefined;
  /** Points, where it is not USDT. */
  unit?: Unit;
  /** What is lost is no gain. */
  color?: string;
}

/** Sums by day, as bars or as a table; nothing where there is no day. */
export function Days({ title, count, total, days, unit, color = 'var(--up)' }: DaysProps) {
  const { t } = useTranslation('lists');
  const asTable = useState(false);
  if (!days?.length) return null;
  return (
    <Card component="section" aria-label={title}>
      <HistoryChart
        title={
          <Title order={2} fz={17}>
            {title}
          </Title>
        }
        label={title}
        axis={t(($) => $.report.day)}
        counted={count}
        height={220}
        {...(unit && { unit })}
        asTable={asTable}
        rows={everyDay(days).map((one) => ({ at: one.day, count: one.count, values: { total: one.total } }))}
        series={[{ key: 'total', label: total, color, shape: 'bar' }]}
      />
    </Card>
  );
}
