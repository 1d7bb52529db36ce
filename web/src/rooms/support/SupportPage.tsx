import { Button, Stack } from '@mantine/core';
import { IconMessageCircle, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { BROUGHT, TICKET_FACTS } from '@/shared/support/tickets';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { PageHeader } from '@/ui/PageHeader';
import { useList } from '@/ui/useList';
import { CATEGORIES } from './api';
import type { Ticket } from './conversation';
import { CategoryName, LastReply, STATUSES, Subject, TicketState, Unread } from './TicketBits';

export default function SupportPage() {
  const { t } = useTranslation('support');
  const navigate = useNavigate();
  const { t: shell } = useTranslation('shell');
  const list = useList('/support/list-tickets-user/', {
    sortby: 'last_message_at',
    filters: ['search', 'category', 'status'],
    live: TICKET_FACTS,
    brings: BROUGHT,
    calm: true,
  });
  const open = (ticket: Ticket) => void navigate(`/support/ticket/${ticket._id}`);
  const create = (
    <Button component={Link} to="/support/new-ticket" leftSection={<IconPlus size={17} aria-hidden />}>
      {t(($) => $.new)}
    </Button>
  );
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live action={create} />
      <List
        list={list}
        name="tickets"
        label={t(($) => $.list.label)}
        what={t(($) => $.list.what)}
        onOpen={open}
        fields={[
          { kind: 'search', name: 'search', label: t(($) => $.list.search) },
          {
            kind: 'select',
            name: 'category',
            label: t(($) => $.list.category),
            options: CATEGORIES.map((value) => ({ value, label: t(($) => $.category[value]) })),
          },
          {
            kind: 'select',
            name: 'status',
            label: t(($) => $.list.status),
            options: STATUSES.map((value) => ({ value, label: shell(($) => $.status[value]) })),
          },
        ]}
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
    </Stack>
  );
}
