import { Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { BONUS_COLORS } from '@/shared/network/bonusKinds';
import { EmptyState } from '@/ui/EmptyState';
import { HistoryChart } from '@/ui/HistoryChart';
import { byMonth } from './figures';
import { type Dashboard, LEGS } from './network';
import { useWords } from './words';

const heading = (text: string) => (
  <Title order={2} fz={15}>
    {text}
  </Title>
);

/** What each type of bonus paid, month by month. */
export function BonusChart({ data }: { data: Dashboard }) {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  const { rows, kinds } = byMonth(data.growth, data.bonuses);
  const title = t(($) => $.network.byType);
  if (kinds.length === 0)
    return (
      <>
        {heading(title)}
        <EmptyState title={t(($) => $.network.noBonus)} />
      </>
    );
  return (
    <HistoryChart
      title={heading(title)}
      label={title}
      axis={t(($) => $.network.month)}
      rows={rows}
      series={kinds.map((kind) => ({
        key: kind,
        label: words.kind(kind),
        color: BONUS_COLORS[kind],
        shape: 'bar',
        stack: 'bonus',
      }))}
    />
  );
}

/** What stands on each leg: carried by the last closing, and come since. */
export function LegChart({ data }: { data: Dashboard }) {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  const title = t(($) => $.network.perLeg);
  return (
    <HistoryChart
      title={heading(title)}
      label={title}
      axis={t(($) => $.references.leg)}
      names
      unit="plain"
      height={200}
      rows={LEGS.map((leg) => ({
        at: words.leg(leg),
        values: { carried: data[leg].carried, fresh: data[leg].fresh },
      }))}
      series={[
        {
          key: 'carried',
          label: t(($) => $.network.carried),
          color: 'var(--up)',
          shape: 'bar',
          stack: 'leg',
        },
        {
          key: 'fresh',
          label: t(($) => $.network.fresh),
          color: 'var(--gold-dot)',
          shape: 'bar',
          stack: 'leg',
        },
      ]}
    />
  );
}

/** Members on each leg and new direct referrals, month by month. */
export function GrowthChart({ data }: { data: Dashboard }) {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  const title = t(($) => $.network.growth);
  return (
    <HistoryChart
      title={heading(title)}
      label={title}
      axis={t(($) => $.network.month)}
      unit="plain"
      rows={data.growth.map(({ month, left, right, referrals }) => ({
        at: month,
        values: { left: String(left), right: String(right), referrals: String(referrals) },
      }))}
      series={[
        { key: 'left', label: words.leg('left'), color: 'var(--up)', shape: 'area' },
        { key: 'right', label: words.leg('right'), color: 'var(--gold-dot)', shape: 'step' },
        {
          key: 'referrals',
          label: t(($) => $.network.newReferrals),
          color: 'var(--mantine-color-blue-5)',
          shape: 'bar',
        },
      ]}
    />
  );
}
