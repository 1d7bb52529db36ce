import { Button, Group, Stack, Text } from '@mantine/core';
import { IconChecks, IconMessageBolt } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { QUEUES } from '@/api/queues';
import { useCan } from '@/api/session';
import type { EventOf } from '@/live/protocol';
import { useDeciding } from '@/live/useDeciding';
import { PersonLink } from '@/shared/people/PersonCell';
import { BROUGHT, DESK_FACT, TICKET_FACTS } from '@/shared/support/tickets';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { NewRows } from '@/ui/NewRows';
import { PageHeader } from '@/ui/PageHeader';
import { useList } from '@/ui/useList';
import { CATEGORIES } from './api';
import { CANNED_PAGE } from './CannedChoice';
import { pathOf } from './conversation';
import { DeskReport } from './DeskReport';
import { AGES, type StaffTicket } from './desk';
import { HolderLine, useToldOfHandovers } from './Holder';
import { CategoryName, LastReply, Looking, STATUSES, Subject, TicketState, Unread } from './TicketBits';
import { FirstAnswer, Waits } from './Times';
import { useHolders } from './useHolders';

type Fact = EventOf<(typeof TICKET_FACTS)[number] | typeof DESK_FACT>;

/** Where who has a ticket narrows the list, that is part of a row's place. */
const BROUGHT_BY_HOLDER = {
  row: (fact: Fact) => ('ticket' in fact ? fact.ticket : { _id: fact.desk._id, desk: fact.desk }),
  place: [...BROUGHT.place, 'desk'],
} as const;

export default function TicketsListPage() {
  const { t } = useTranslation('support');
  const navigate = useNavigate();
  const { t: desk } = useTranslation('desk');
  const { date } = useFormat();
  const answers = useCan('customer-service_response-ticket');
  const byHolder = useSearchParams()[0].has('agent');
  const list = useList(QUEUES.tickets.list, {
    limit: 100,
    sortby: 'waiting_since',
    filters: ['search', 'category', 'status', 'waiting', 'agent', 'age'],
    ask: ({ filters }) => (filters.waiting ? { waiting: filters.waiting === 'true' } : {}),
    file: true,
    live: byHolder ? [...TICKET_FACTS, DESK_FACT] : TICKET_FACTS,
    brings: BROUGHT_BY_HOLDER,
    calm: true,
  });
  const holders = useHolders(list.state.filters.agent);
  useToldOfHandovers();
  const looking = useDeciding(QUEUES.tickets);
  const { t: shell } = useTranslation('shell');
  /** At the message in which the words are, where that is what was found. */
  const open = ({ _id, found }: StaffTicket) =>
    void navigate(`${pathOf('staff', _id)}${found ? `?message=${found.number}` : ''}`);
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.staff.title)}
        subtitle={t(($) => $.staff.subtitle)}
        live
        action={
          <Group gap="xs">
            <NewRows list={list} label={t(($) => $.staff.newRows, { count: list.changed })} />
            <DeskReport />
            {answers && (
              <Button
                component={Link}
                to={CANNED_PAGE}
                variant="default"
                leftSection={<IconMessageBolt size={16} aria-hidden />}
              >
                {desk(($) => $.canned.title)}
              </Button>
            )}
          </Group>
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
          {
            kind: 'select',
            name: 'agent',
            label: desk(($) => $.list.taken),
            options: holders,
            searchable: true,
          },
          {
            kind: 'select',
            name: 'age',
            label: desk(($) => $.list.age),
            options: AGES.map((value) => ({ value, label: desk(($) => $.list.ages[value]) })),
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
            render: (ticket) => <Subject ticket={ticket} found={ticket.found ?? undefined} />,
          },
          {
            key: 'customer',
            label: t(($) => $.list.customer),
            sort: 'customer',
            render: ({ user, userName }) => (
              <PersonLink id={user} username={userName}>
                {userName}
              </PersonLink>
            ),
          },
          // What is decided by stands where no width cuts it off.
          {
            key: 'status',
            label: t(($) => $.list.status),
            sort: 'status',
            render: (ticket) => (
              <div>
                <TicketState ticket={ticket} side="staff" />
                <HolderLine desk={ticket.desk} />
                {ticket.desk.rating != null && (
                  <Text fz="xs" c="dimmed">
                    {desk(($) => $.list.rating, { score: ticket.desk.rating })}
                  </Text>
                )}
                <Looking name={looking.get(ticket._id)} />
              </div>
            ),
          },
          {
            key: 'category',
            label: t(($) => $.list.category),
            sort: 'category',
            render: (ticket) => <CategoryName ticket={ticket} />,
          },
          {
            key: 'waiting',
            label: t(($) => $.list.waiting),
            sort: 'waiting_since',
            render: (ticket) => <Waits ticket={ticket} />,
          },
          {
            key: 'opened',
            label: desk(($) => $.list.opened),
            sort: 'created_at',
            render: (ticket) => <span className="num">{date(ticket.created_at)}</span>,
          },
          {
            key: 'first',
            label: desk(($) => $.list.firstAnswer),
            sort: 'first_answer',
            align: 'right',
            render: (ticket) => <FirstAnswer ticket={ticket} desk={ticket.desk} />,
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
        ]}
        empty={<EmptyState icon={<IconChecks size={26} stroke={1.5} />} title={t(($) => $.staff.empty)} />}
      />
    </Stack>
  );
}
