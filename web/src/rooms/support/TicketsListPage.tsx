import { Button, Group, Stack } from '@mantine/core';
import { IconChecks, IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { api } from '@/api/client';
import { $api } from '@/api/hooks';
import { useCan } from '@/api/session';
import { DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FilterBar } from '@/ui/FilterBar';
import { PageHeader } from '@/ui/PageHeader';
import { useTableQuery } from '@/ui/useTableQuery';
import { When } from '@/ui/When';
import { CATEGORIES } from './api';
import type { Ticket } from './conversation';
import { CategoryName, LastReply, Subject, TicketState, Unread } from './TicketBits';
import { useLiveList } from './useLiveList';

const LIST = '/support/list-tickets-all/';

export default function TicketsListPage() {
  const { t } = useTranslation('support');
  const navigate = useNavigate();
  const answers = useCan('customer-service_response-ticket');
  const list = useTableQuery({
    limit: 100,
    sortby: 'waiting_since',
    filters: ['search', 'category', 'status', 'waiting'],
  });
  const { waiting, ...filters } = list.query;
  const asked = { ...filters, ...(waiting && { waiting: waiting === 'true' }) };
  const query = $api.useQuery('get', LIST, { params: { query: asked } });
  const live = useLiveList(LIST);
  const open = (ticket: Ticket) => void navigate(`/customer-service/ticket-response/${ticket._id}`);
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.staff.title)}
        subtitle={t(($) => $.staff.subtitle)}
        live
        action={
          live.changed > 0 && (
            <Button
              variant="default"
              radius="xl"
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => void live.show()}
            >
              {t(($) => $.staff.newRows, { count: live.changed })}
            </Button>
          )
        }
      />
      <div {...live.area}>
        <DataTable<Ticket>
          name="all-tickets"
          label={t(($) => $.staff.label)}
          what={t(($) => $.list.what)}
          rows={query.data?.data}
          meta={query.data?.meta}
          query={list}
          error={query.error}
          onRetry={query.refetch}
          file={(signal) =>
            api.GET(LIST, { params: { query: { ...asked, format: 'csv' } }, parseAs: 'stream', signal })
          }
          rowKey={(ticket) => ticket._id}
          {...(answers && { onOpen: open })}
          filterBar={
            <FilterBar
              query={list}
              fields={[
                { kind: 'search', name: 'search', label: t(($) => $.list.search) },
                {
                  kind: 'select',
                  name: 'category',
                  label: t(($) => $.staff.category),
                  options: CATEGORIES.map((value) => ({ value, label: t(($) => $.category[value]) })),
                },
                {
                  kind: 'select',
                  name: 'waiting',
                  label: t(($) => $.staff.queue),
                  options: [
                    { value: 'true', label: t(($) => $.staff.waitingOnly) },
                    { value: 'false', label: t(($) => $.staff.answeredOnly) },
                  ],
                },
              ]}
            />
          }
          columns={[
            {
              key: 'number',
              label: t(($) => $.list.number),
              render: ({ number }) => number,
              width: 70,
            },
            {
              key: 'subject',
              label: t(($) => $.list.subject),
              fixed: true,
              render: (ticket) => <Subject ticket={ticket} />,
            },
            {
              key: 'customer',
              label: t(($) => $.list.customer),
              render: ({ userName }) => userName,
            },
            {
              key: 'category',
              label: t(($) => $.list.category),
              render: (ticket) => <CategoryName ticket={ticket} />,
            },
            {
              key: 'waiting',
              label: t(($) => $.list.waiting),
              sort: 'waiting_since',
              render: ({ waitingSince, status }) =>
                waitingSince && status === 'open' ? <When at={waitingSince} relative /> : '–',
            },
            {
              key: 'last',
              label: t(($) => $.list.last),
              sort: 'last_message_at',
              render: (ticket) => <LastReply ticket={ticket} />,
            },
            {
              key: 'unread',
              label: t(($) => $.list.unread),
              align: 'right',
              render: (ticket) => <Unread ticket={ticket} side="staff" />,
            },
            {
              key: 'status',
              label: t(($) => $.list.status),
              render: (ticket) => (
                <Group gap={6}>
                  <TicketState ticket={ticket} side="staff" />
                </Group>
              ),
            },
          ]}
          empty={<EmptyState icon={<IconChecks size={26} stroke={1.5} />} title={t(($) => $.staff.empty)} />}
        />
      </div>
    </Stack>
  );
}
