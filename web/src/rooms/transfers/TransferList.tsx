import { Group, Text } from '@mantine/core';
import { IconArrowDownLeft, IconArrowsExchange, IconArrowUpRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { MemberFace } from '@/shared/people/MemberFace';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { STATUSES, type Transfer } from './transfers';

/** One's own transfers, sent and received. */
export function TransferList() {
  const { t } = useTranslation('transfers');
  const me = useUser()?._id;
  const list = useList('/transfers-list', {
    filters: ['search', 'status', 'startDate', 'endDate'],
    file: true,
  });
  const sent = (row: Transfer) => row.origin._id === me;
  const word = (status: Transfer['status']) => t(($) => $.status[status]);
  const columns: Column<Transfer>[] = [
    {
      key: 'date',
      label: t(($) => $.list.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'way',
      label: t(($) => $.list.way),
      render: (row) => (
        <Group gap={6} wrap="nowrap">
          {sent(row) ? (
            <IconArrowUpRight size={16} aria-hidden />
          ) : (
            <IconArrowDownLeft size={16} aria-hidden />
          )}
          <Text span fz="sm">
            {t(($) => $.list[sent(row) ? 'sent' : 'received'])}
          </Text>
        </Group>
      ),
    },
    {
      key: 'origin',
      label: t(($) => $.list.from),
      sort: 'origin',
      render: (row) => <MemberFace username={row.origin.username} />,
    },
    {
      key: 'destination',
      label: t(($) => $.list.to),
      sort: 'destination',
      render: (row) => <MemberFace username={row.destination.username} />,
    },
    {
      key: 'value',
      label: t(($) => $.list.value),
      align: 'right',
      sort: 'value',
      fixed: true,
      render: (row) => <Money value={sent(row) ? `-${row.value}` : row.value} digits={4} unit={false} sign />,
    },
    {
      key: 'status',
      label: t(($) => $.list.status),
      sort: 'status',
      render: (row) => (
        <div>
          <StatusBadge status={row.status === 'pending' ? 'pending_approval' : row.status} />
          {row.reason && (
            <Text fz="xs" c="dimmed" lineClamp={2} maw={220}>
              {row.reason}
            </Text>
          )}
        </div>
      ),
    },
  ];
  return (
    <List
      list={list}
      name="transferencias"
      label={t(($) => $.list.label)}
      what={t(($) => $.list.what)}
      columns={columns}
      fields={[
        { kind: 'search', name: 'search', label: t(($) => $.list.search) },
        {
          kind: 'select',
          name: 'status',
          label: t(($) => $.list.status),
          options: STATUSES.map((value) => ({ value, label: word(value) })),
        },
      ]}
      empty={
        <EmptyState
          icon={<IconArrowsExchange size={26} stroke={1.5} />}
          title={t(($) => $.list.empty)}
          hint={t(($) => $.list.emptyHint)}
        />
      }
    />
  );
}
