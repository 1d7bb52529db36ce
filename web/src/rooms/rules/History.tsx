import { Badge, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PersonHandles } from '@/shared/people/PersonCell';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { Items } from './Items';
import { type Change, useRules, useRuleText } from './rules';
import { useKindOf } from './Waiting';

const COLORS = { waiting: 'gold', agreed: 'blue', in_force: 'mint', withdrawn: 'gray' } as const;

/** Every change of a rule: before, after, why, by whom. */
export function History() {
  const { t } = useTranslation('rules');
  const { name } = useRuleText();
  const kindOf = useKindOf();
  const keys = useRules().data?.settings.map(({ key }) => key) ?? [];
  const list = useList('/admin/settings/history', { filters: ['search'], sorts: 'never', prefix: 'h_' });
  const columns: Column<Change>[] = [
    {
      key: 'date',
      label: t(($) => $.date),
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'change',
      label: t(($) => $.waiting.change),
      fixed: true,
      render: (row) => <Items change={row} kindOf={kindOf} />,
    },
    {
      key: 'reason',
      label: t(($) => $.reason),
      render: (row) => (
        <Text fz="sm" lineClamp={3} maw={280}>
          {row.withdrawnReason ?? row.reason}
        </Text>
      ),
    },
    {
      key: 'by',
      label: t(($) => $.by),
      render: (row) => <PersonHandles names={[row.orderedBy, row.agreedBy, row.withdrawnBy]} />,
    },
    {
      key: 'from',
      label: t(($) => $.from),
      render: (row) => (row.effectiveAt ? <When at={row.effectiveAt} /> : '–'),
    },
    {
      key: 'status',
      label: t(($) => $.status.title),
      render: (row) => (
        <Badge variant="light" color={COLORS[row.status]}>
          {t(($) => $.status[row.status])}
        </Badge>
      ),
    },
  ];
  return (
    <List
      list={list}
      name="historico-regras"
      label={t(($) => $.tabs.history)}
      what={t(($) => $.historyWhat)}
      columns={columns}
      fields={[
        {
          kind: 'select',
          name: 'search',
          label: t(($) => $.setting),
          options: keys.map((value) => ({ value, label: name(value) })),
        },
      ]}
      empty={<EmptyState title={t(($) => $.noHistory)} />}
    />
  );
}
