import { Button, Stack } from '@mantine/core';
import { IconChecks, IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { QUEUES } from '@/api/queues';
import { useCan } from '@/api/session';
import { useDeciding } from '@/live/useDeciding';
import { PersonLink } from '@/shared/people/PersonCell';
import { BROUGHT, TICKET_FACTS } from '@/shared/support/tickets';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { PageHeader } from '@/ui/PageHeader';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { CATEGORIES } from './api';
import type { Ticket } from './conversation';
import { CategoryName, LastReply, Looking, Subject, TicketState, Unread } from './TicketBits';

const STATUSES = ['open', 'closed'] as const;

export default function TicketsListPage() {
  const { t } = useTranslation('support');
  const navigate = useNavigate();
  const answers = useCan('customer-service_response-ticket');
  const list = useList(QUEUES.tickets.list, {
    limit: 100,
    sortby: 'waiting_since',
    filters: ['search', 'category', 'status', 'waiting'],
    ask: ({ filters }) => (filters.waiting ? { waiting: filters.waiting === 'true' } : {}),
    file: true,
    live: TICKET_FACTS,
    brings: BROUGHT,
    calm: true,
  });
  const looking = useDeciding(QUEUES.tickets);
  const { t: shell } = useTranslation('shell');
  const open = (ticket: Ticket) => void navigate(`/customer-service/ticket-response/${ticket._id}`);
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.staff.title)}
        subtitle={t(($) => $.staff.subtitle)}
        live
        action={
          list.changed > 0 && (
            <Button
              variant="default"
              radius="xl"
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => list.show()}
            >
              {t(($) => $.staff.newRows, { count: list.changed })}
            </Button>
          )
        }
      />
      <List
        list={list}
        name="all-tickets"
        label={t(($) => $.staff.label)}
        what={t(($) => $.list.what)}
        {...(answers && { onOpen: open })}
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
            name: 'status',
            label: t(($) => $.list.status),
            options: STATUSES.map((value) => ({ value, label: shell(($) => $.status[value]) })),
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
            render: ({ user, userName }) => (
              <PersonLink id={user} username={userName}>
                {userName}
              </PersonLink>
            ),
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
              <div>
                <TicketState ticket={ticket} side="staff" />
                <Looking name={looking.get(ticket._id)} />
              </div>
            ),
          },
        ]}
        empty={<EmptyState icon={<IconChecks size={26} stroke={1.5} />} title={t(($) => $.staff.empty)} />}
      />
    </Stack>
  );
}
