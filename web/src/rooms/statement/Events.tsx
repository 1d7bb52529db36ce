import { SimpleGrid, Stack } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { offer } from '@/api/download';
import { type ActivityEvent, EventAmount, EventName } from '@/shared/activity/event';
import { useOrigin } from '@/shared/origin/origin';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { StatTile } from '@/ui/StatTile';
import { Together } from '@/ui/Together';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { About, Files, OtherFlows } from './parts';

const GROUPS = [
  'deposits',
  'withdrawals',
  'transfers',
  'licences',
  'results',
  'bonus',
  'exchange',
  'pools',
  'sponsorship',
  'others',
] as const;

/** What happened to one's money, a line an event. */
export function Events() {
  const { t } = useTranslation('statement');
  const list = useList('/activity', {
    filters: ['group', 'startDate', 'endDate'],
    sorts: 'direction',
    live: ['balance.changed'],
  });
  const params = { query: list.state.filters };
  const { data } = list;
  const columns: Column<ActivityEvent>[] = [
    {
      key: 'date',
      label: t(($) => $.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.at} />,
    },
    {
      key: 'event',
      label: t(($) => $.description),
      fixed: true,
      render: (row) => (
        <About mode={row.mode}>
          <EventName event={row} />
        </About>
      ),
    },
    { key: 'state', label: t(($) => $.state), render: (row) => t(($) => $.states[row.state]) },
    {
      key: 'amount',
      label: t(($) => $.amount),
      align: 'right',
      fixed: true,
      render: (row) => <EventAmount event={row} />,
    },
  ];
  const tile = (label: string, value: string | undefined, hint?: string) => (
    <StatTile label={label} value={<Money value={value} />} hint={hint} loading={list.isPending} />
  );
  return (
    <Stack gap="lg">
      <Files
        csv={() => offer(api.GET('/activity.csv', { params, parseAs: 'blob' }), 'extrato.csv')}
        pdf={() => offer(api.GET('/activity.pdf', { params, parseAs: 'blob' }), 'extrato.pdf')}
      />
      <Together>
        <SimpleGrid cols={{ base: 2, md: 4 }}>
          {tile(
            t(($) => $.opening),
            data?.opening,
          )}
          {tile(
            t(($) => $.entries),
            data?.flows.entries,
            t(($) => $.entriesHint),
          )}
          {tile(
            t(($) => $.exits),
            data?.flows.exits,
            t(($) => $.exitsHint),
          )}
          {tile(
            t(($) => $.closing),
            data?.closing,
          )}
        </SimpleGrid>
        {data && <OtherFlows flows={data.flows} />}
        <List
          list={list}
          name="atividade"
          label={t(($) => $.views.events)}
          what={t(($) => $.what)}
          columns={columns}
          onOpen={(event) => useOrigin.getState().open({ event })}
          fields={[
            {
              kind: 'select',
              name: 'group',
              label: t(($) => $.kind),
              options: GROUPS.map((value) => ({ value, label: t(($) => $.groups[value]) })),
            },
          ]}
          empty={
            <EmptyState
              icon={<IconListDetails size={26} stroke={1.5} />}
              title={t(($) => $.empty)}
              hint={t(($) => $.emptyHint)}
            />
          }
        />
      </Together>
    </Stack>
  );
}
