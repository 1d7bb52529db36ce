import { Button, Stack } from '@mantine/core';
import { IconMessageCircle, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { $api } from '@/api/hooks';
import { DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { PageHeader } from '@/ui/PageHeader';
import { useTableQuery } from '@/ui/useTableQuery';
import type { Ticket } from './conversation';
import { CategoryName, LastReply, Subject, TicketState, Unread } from './TicketBits';
import { useLiveList } from './useLiveList';

const LIST = '/support/list-tickets-user/';

export default function SupportPage() {
  const { t } = useTranslation('support');
  const navigate = useNavigate();
  const list = useTableQuery({ sortby: 'last_message_at' });
  const query = $api.useQuery('get', LIST, { params: { query: list.query } });
  const live = useLiveList(LIST);
  const open = (ticket: Ticket) => void navigate(`/support/ticket/${ticket._id}`);
  const create = (
    <Button component={Link} to="/support/new-ticket" leftSection={<IconPlus size={17} aria-hidden />}>
      {t(($) => $.new)}
    </Button>
  );
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live action={create} />
      <div {...live.area}>
        <DataTable<Ticket>
          name="tickets"
          label={t(($) => $.list.label)}
          what={t(($) => $.list.what)}
          rows={query.data?.data}
          meta={query.data?.meta}
          query={list}
          error={query.error}
          onRetry={query.refetch}
          rowKey={(ticket) => ticket._id}
          onOpen={open}
          columns={[
            { key: 'number', label: t(($) => $.list.number), render: ({ number }) => number, width: 70 },
            {
              key: 'subject',
              label: t(($) => $.list.subject),
              fixed: true,
              render: (ticket) => <Subject ticket={ticket} />,
            },
            {
              key: 'category',
              label: t(($) => $.list.category),
              render: (ticket) => <CategoryName ticket={ticket} />,
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
              render: (ticket) => <Unread ticket={ticket} side="customer" />,
            },
            {
              key: 'status',
              label: t(($) => $.list.status),
              render: (ticket) => <TicketState ticket={ticket} side="customer" />,
            },
          ]}
          empty={
            <EmptyState
              icon={<IconMessageCircle size={26} stroke={1.5} />}
              title={t(($) => $.list.empty)}
              hint={t(($) => $.list.emptyHint)}
              action={create}
            />
          }
        />
      </div>
    </Stack>
  );
}
