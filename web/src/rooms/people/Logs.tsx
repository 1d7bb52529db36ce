import { Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Deed } from '@/shared/audit/Deed';
import { useCategoryField, useLogWords } from '@/shared/audit/useLogWords';
import { detailsOf, type Log } from '@/shared/audit/words';
import { MemberFace } from '@/shared/people/MemberFace';
import { PersonLink } from '@/shared/people/PersonCell';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { LOGS } from './people';

/** What a person did and what was done to them. */
export function Logs({ id }: { id: string }) {
  const { t } = useTranslation('people');
  const { t: logs } = useTranslation('logs');
  const category = useCategoryField();
  const words = useLogWords();
  const list = useList(LOGS, {
    path: { userId: id },
    filters: ['category', 'startDate', 'endDate'],
    file: true,
  });
  const change = (row: Log, side: 'before' | 'after') => {
    const text = detailsOf(words, row)[side];
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
      fields={[category]}
      columns={[
        {
          key: 'at',
          label: logs(($) => $.columns.at),
          sort: 'created_at',
          fixed: true,
          render: (row) => <When at={row.created_at} />,
        },
        {
          key: 'category',
          label: logs(($) => $.columns.category),
          sort: 'category',
          render: (row) => logs(($) => $.categories[row.category as 'auth']),
        },
        {
          key: 'action',
          label: logs(($) => $.columns.action),
          sort: 'action',
          fixed: true,
          render: (row) => <Deed row={row} />,
        },
        { key: 'before', label: t(($) => $.edit.before), render: (row) => change(row, 'before') },
        { key: 'after', label: t(($) => $.edit.after), render: (row) => change(row, 'after') },
        {
          key: 'actor',
          label: logs(($) => $.columns.actor),
          render: ({ actor }) =>
            actor ? (
              <MemberFace username={actor.username}>
                <PersonLink id={actor._id} username={actor.username} />
              </MemberFace>
            ) : (
              logs(($) => $.columns.platform)
            ),
        },
        {
          key: 'subject',
          label: logs(($) => $.columns.subject),
          hidden: true,
          render: ({ subject }) =>
            subject ? (
              <MemberFace username={subject.username}>
                <PersonLink id={subject._id} username={subject.username} />
              </MemberFace>
            ) : (
              '–'
            ),
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
