import { Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { BONUS_COLORS, BONUS_KINDS } from '@/shared/network/bonusKinds';
import { EmptyState } from '@/ui/EmptyState';
import { HistoryChart } from '@/ui/HistoryChart';
import { add } from '@/ui/money';

const heading = (text: string) => (
  <Title order={2} fz={15}>
    {text}
  </Title>
);

/** Net result of each day, around a zero line. */
export function DayChart({ days }: { days: readonly Schemas['DayResults'][] }) {
  const { t } = useTranslation('analytics');
  return (
    <HistoryChart
      title={heading(t(($) => $.days.title))}
      label={t(($) => $.days.title)}
      axis={t(($) => $.day)}
      rows={days.map(({ day, net }) => ({ at: day, values: { net } }))}
      series={[
        { key: 'net', label: t(($) => $.net), color: 'var(--up)', below: 'var(--down)', shape: 'bar' },
      ]}
    />
  );
}

/** Net result of each robot. */
export function RobotChart({ robots }: { robots: readonly Schemas['RobotResults'][] }) {
  const { t } = useTranslation('analytics');
  const rows = robots.map(({ number, net }) => ({ at: t(($) => $.name, { number }), values: { net } }));
  return (
    <HistoryChart
      title={heading(t(($) => $.robots.title))}
      label={t(($) => $.robots.title)}
      axis={t(($) => $.robot)}
      names
      height={Math.max(160, rows.length * 36 + 40)}
      rows={rows}
      series={[
        { key: 'net', label: t(($) => $.net), color: 'var(--up)', below: 'var(--down)', shape: 'bar' },
      ]}
    />
  );
}

/** The types of bonuses, and what has none or is of a rank. */
const KINDS = [...BONUS_KINDS, 'graduation_bonus', 'bonus'] as const;
const colorOf = (kind: (typeof KINDS)[number]) =>
  kind === 'graduation_bonus' || kind === 'bonus' ? 'var(--mantine-color-cyan-6)' : BONUS_COLORS[kind];

/** What the network paid, day by day, the types on top of each other. */
export function BonusChart({ bonus }: { bonus: readonly Schemas['BonusOfDay'][] }) {
  const { t } = useTranslation('analytics');
  const { t: common } = useTranslation('shell');
  const kinds = KINDS.filter((kind) => bonus.some((one) => one.kind === kind));
  if (kinds.length === 0)
    return (
      <>
        {heading(t(($) => $.bonus.title))}
        <EmptyState title={t(($) => $.bonus.empty)} />
      </>
    );
  const days = new Map<string, Record<string, string>>();
  for (const { day, kind, amount } of bonus) {
    const values = days.get(day) ?? {};
    values[kind] = add(values[kind] ?? '0', amount);
    days.set(day, values);
  }
  return (
    <HistoryChart
      title={heading(t(($) => $.bonus.title))}
      label={t(($) => $.bonus.title)}
      axis={t(($) => $.day)}
      rows={[...days].map(([at, values]) => ({ at, values }))}
      series={kinds.map((kind) => ({
        key: kind,
        label: common(($) => $.bonusKinds[kind]),
        color: colorOf(kind),
        shape: 'bar',
        stack: 'bonus',
      }))}
    />
  );
}

/** How far the result stood below its best. */
export function DrawdownChart({ points }: { points: readonly Schemas['DrawdownPoint'][] }) {
  const { t } = useTranslation('analytics');
  return (
    <>
      <HistoryChart
        title={heading(t(($) => $.drawdown.title))}
        label={t(($) => $.drawdown.title)}
        axis={t(($) => $.day)}
        rows={points.map(({ day, amount }) => ({ at: day, values: { amount } }))}
        series={[{ key: 'amount', label: t(($) => $.drawdown.amount), color: 'var(--down)', shape: 'area' }]}
      />
      <Text fz={12.5} c="dimmed" mt="xs">
        {t(($) => $.drawdown.hint)}
      </Text>
    </>
  );
}
