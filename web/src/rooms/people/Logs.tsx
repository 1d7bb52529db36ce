import { Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { PersonLink } from '@/shared/people/PersonCell';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { actionOf, detailsOf } from './logs';
import { LOGS, type Log } from './people';

const CATEGORIES = ['auth', 'profile', 'money', 'roles', 'settings', 'support'] as const;

/** What a person did and what was done to them. */
export function Logs({ id }: { id: string }) {
  const { t } = useTranslation('people');
  const list = useList(LOGS, {
    path: { userId: id },
    filters: ['category', 'startDate', 'endDate'],
    file: true,
  });
  const { t: logs } = useTranslation('logs');
  const names = {
    actions: logs(($) => $.actions, { returnObjects: true }),
    payouts: logs(($) => $.payouts, { returnObjects: true }),
    deeds: logs(($) => $.deeds, { returnObjects: true }),
    details: logs(($) => $.details, { returnObjects: true }),
    yes: logs(($) => $.yes),
    no: logs(($) => $.no),
  };
  const change = (row: Log, side: 'before' | 'after') => {
    const text = detailsOf(names, row)[side];
    return text === null ? (
      '–'
    ) : (
      <Text fz="sm" style={{ overflowWrap: 'anywhere' }} maw={260}>
        {text}
      </Text>
    );
  };
  return (
    <List<Log, 'category' | 'startDate' | 'endDate'>
      list={list}
      name="registros"
      label={t(($) => $.tabs.logs)}
      what={t(($) => $.logs.what)}
      rowKey={({ _id }) => String(_id)}
      fields={[
        {
          kind: 'select',
          name: 'category',
          label: t(($) => $.logs.category),
          options: CATEGORIES.map((value) => ({ value, label: t(($) => $.logs.categories[value]) })),
        },
      ]}
      columns={[
        {
          key: 'at',
          label: t(($) => $.logs.at),
          sort: 'created_at',
          fixed: true,
          render: (row) => <When at={row.created_at} />,
        },
        {
          key: 'category',
          label: t(($) => $.logs.category),
          sort: 'category',
          render: ({ category }) => t(($) => $.logs.categories[category as 'auth']),
        },
        {
          key: 'action',
          label: t(($) => $.logs.action),
          sort: 'action',
          fixed: true,
          render: (row) => (
            <div>
              <Text fz="sm" fw={500} title={row.action}>
                {actionOf(names, row.action)}
              </Text>
              <Text fz="xs" c="dimmed" maw={320} style={{ overflowWrap: 'anywhere' }}>
                {detailsOf(names, row).rest}
              </Text>
            </div>
          ),
        },
        { key: 'before', label: t(($) => $.edit.before), render: (row) => change(row, 'before') },
        { key: 'after', label: t(($) => $.edit.after), render: (row) => change(row, 'after') },
        {
          key: 'actor',
          label: t(($) => $.logs.actor),
          render: ({ actor }) =>
            actor ? <PersonLink id={actor._id} username={actor.username} /> : t(($) => $.logs.platform),
        },
        {
          key: 'subject',
          label: t(($) => $.logs.subject),
          hidden: true,
          render: ({ subject }) =>
            subject ? <PersonLink id={subject._id} username={subject.username} /> : '–',
        },
      ]}
      empty={
        <EmptyState
          icon={<IconListDetails size={26} stroke={1.5} />}
          title={t(($) => $.logs.empty)}
          hint={t(($) => $.logs.emptyHint)}
        />
      }
    />
  );
}
