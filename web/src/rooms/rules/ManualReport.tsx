import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ModeBadge } from '@/shared/results/ModeBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { useList } from '@/ui/useList';

type Day = Schemas['ManualDay'];
type Side = 'manual' | 'cohort';

/** Day by day: what owners took by hand beside what the robots took by themselves. */
export function ManualReport() {
  const { t } = useTranslation('rules');
  const format = useFormat();
  const list = useList('/admin/reports/manual', { prefix: 'm-', sortby: 'day' });
  const side = (of: Side): Column<Day>[] => [
    {
      key: `${of}-operations`,
      label: t(($) => $.manual[of].operations),
      align: 'right',
      render: (row) => <span className="num">{format.count(row[of].operations)}</span>,
    },
    {
      key: `${of}-volume`,
      label: t(($) => $.manual[of].volume),
      align: 'right',
      hidden: true,
      render: (row) => <Money value={row[of].volume} unit={false} />,
    },
    {
      key: `${of}-net`,
      label: t(($) => $.manual[of].net),
      align: 'right',
      render: (row) => <Money value={row[of].net} unit={false} sign />,
    },
    {
      key: `${of}-edge`,
      label: t(($) => $.manual[of].edge),
      align: 'right',
      fixed: true,
      render: (row) => (
        <span className="num">{row[of].edge ? format.percent(row[of].edge, 4, true) : '–'}</span>
      ),
    },
  ];
  const columns: Column<Day>[] = [
    {
      key: 'day',
      label: t(($) => $.manual.day),
      sort: 'day',
      fixed: true,
      // Noon: a date without a time is the same day in every zone.
      render: (row) => <span className="num">{format.date(row.day)}</span>,
    },
    {
      key: 'mode',
      label: t(($) => $.manual.mode),
      fixed: true,
      render: (row) => <ModeBadge mode={row.mode} size="xs" />,
    },
    ...side('manual'),
    ...side('cohort'),
  ];
  return (
    <List
      list={list}
      name="manual-report"
      label={t(($) => $.tabs.manual)}
      columns={columns}
      rowKey={(row) => `${row.day} ${row.mode}`}
      what={t(($) => $.manual.what)}
      empty={<EmptyState title={t(($) => $.manual.empty)} />}
    />
  );
}
