import { Stack, Text } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Deed } from '@/shared/audit/Deed';
import { useCategoryField, useLogWords } from '@/shared/audit/useLogWords';
import { actionOf, actionsIn, type Log } from '@/shared/audit/words';
import { PersonLink } from '@/shared/people/PersonCell';
import { PersonFilter } from '@/shared/people/PersonFilter';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import type { OwnField } from '@/ui/FilterBar';
import { List } from '@/ui/List';
import { PageHeader } from '@/ui/PageHeader';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { Chain } from './Chain';
import { EntryDrawer, useOpenEntry } from './EntryDrawer';

/** /administrator/audit: who did what, to whom and when. */
export default function AuditPage() {
  const { t } = useTranslation('audit');
  const { t: logs } = useTranslation('logs');
  const category = useCategoryField();
  const actions = useActions();
  const [open, setOpen] = useOpenEntry();
  const list = useList('/admin/audit', {
    filters: ['search', 'actor', 'subject', 'category', 'action', 'startDate', 'endDate'],
    file: true,
  });
  const person = (field: OwnField) => (
    <PersonFilter {...field} hint={t(($) => $.filter.type)} nobody={t(($) => $.filter.nobody)} />
  );
  const columns: Column<Log>[] = [
    {
      key: 'at',
      label: logs(($) => $.columns.at),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'action',
      label: logs(($) => $.columns.action),
      fixed: true,
      render: (row) => <Deed row={row} change />,
    },
    {
      key: 'category',
      label: logs(($) => $.columns.category),
      render: (row) => logs(($) => $.categories[row.category as 'auth']),
    },
    {
      key: 'actor',
      label: logs(($) => $.columns.actor),
      fixed: true,
      render: ({ actor }) =>
        actor ? <PersonLink id={actor._id} username={actor.username} /> : logs(($) => $.columns.platform),
    },
    {
      key: 'subject',
      label: logs(($) => $.columns.subject),
      fixed: true,
      render: ({ subject, about }) =>
        subject ? (
          <PersonLink id={subject._id} username={subject.username} />
        ) : about ? (
          <Text span fz="xs" ff="monospace" translate="no" title={about}>
            {`${about.slice(0, 8)}…`}
          </Text>
        ) : (
          '–'
        ),
    },
    {
      key: 'number',
      label: t(($) => $.number),
      align: 'right',
      hidden: true,
      render: ({ _id }) => <span className="num">{_id}</span>,
    },
  ];
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} />
      <Chain />
      <List
        list={list}
        name="auditoria"
        label={t(($) => $.title)}
        what={t(($) => $.what)}
        rowKey={({ _id }) => String(_id)}
        columns={columns}
        fields={[
          { kind: 'search', name: 'search', label: t(($) => $.search) },
          { kind: 'own', name: 'actor', label: t(($) => $.filter.actor), render: person },
          { kind: 'own', name: 'subject', label: t(($) => $.filter.subject), render: person },
          category,
          {
            kind: 'select',
            name: 'action',
            label: logs(($) => $.columns.action),
            options: actions,
            searchable: true,
          },
        ]}
        onOpen={(row) => setOpen(row._id)}
        empty={
          <EmptyState
            icon={<IconListSearch size={26} stroke={1.5} />}
            title={t(($) => $.empty)}
            hint={t(($) => $.emptyHint)}
          />
        }
      />
      <EntryDrawer id={open} onClose={() => setOpen(null)} />
    </Stack>
  );
}

/** What entries tell of, in the order of the reader's letters. */
function useActions() {
  const { i18n } = useTranslation('logs');
  const words = useLogWords();
  return actionsIn(words)
    .map((value) => ({ value, label: actionOf(words, value) }))
    .sort((one, other) => one.label.localeCompare(other.label, i18n.language));
}
