import { IconMessageCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import type { Schemas } from '@/api/client';
import { QUEUES } from '@/api/queues';
import { useCan } from '@/api/session';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { BROUGHT, TICKET_FACTS } from '@/shared/support/tickets';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';

type Ticket = Schemas['TicketView'];

/** What a person has asked the support. */
export function Tickets({ id }: { id: string }) {
  const { t } = useTranslation('people');
  const { t: support } = useTranslation('support');
  const navigate = useNavigate();
  const answers = useCan('customer-service_response-ticket');
  const list = useList(QUEUES.tickets.list, {
    sortby: 'last_message_at',
    ask: () => ({ userId: id }),
    live: TICKET_FACTS,
    brings: BROUGHT,
  });
  return (
    <List
      list={list}
      name="chamados"
      label={t(($) => $.tabs.tickets)}
      what={support(($) => $.list.what)}
      {...(answers && {
        onOpen: ({ _id }: Ticket) => void navigate(`/customer-service/ticket-response/${_id}`),
      })}
      columns={[
        { key: 'number', label: support(($) => $.list.number), render: ({ number }) => number, width: 70 },
        { key: 'subject', label: support(($) => $.list.subject), fixed: true, render: (row) => row.subject },
        {
          key: 'category',
          label: support(($) => $.list.category),
          render: ({ category }) => support(($) => $.category[category]),
        },
        {
          key: 'last',
          label: support(($) => $.list.last),
          sort: 'last_message_at',
          render: ({ lastMessageAt }) => <When at={lastMessageAt} relative />,
        },
        {
          key: 'status',
          label: support(($) => $.list.status),
          render: ({ status }) => <StatusBadge status={status} />,
        },
      ]}
      empty={
        <EmptyState
          icon={<IconMessageCircle size={26} stroke={1.5} />}
          title={t(($) => $.tickets.empty)}
          hint={t(($) => $.tickets.emptyHint)}
        />
      }
    />
  );
}
