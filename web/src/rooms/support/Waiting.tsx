import { Badge, Card, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { $api } from '@/api/hooks';
import { QUEUES } from '@/api/queues';
import { BROUGHT, TICKET_FACTS } from '@/shared/support/tickets';
import { useFollow } from '@/ui/useList';
import { When } from '@/ui/When';
import { unreadOf } from './conversation';
import type { StaffTicket } from './desk';
import { HolderLine } from './Holder';
import classes from './Screens.module.css';
import { Looking } from './TicketBits';

const LIST = QUEUES.tickets.list;

/** Who waits, longest first. */
export function useWaiting() {
  const { data } = $api.useQuery('get', LIST, {
    params: { query: { waiting: true, sortby: 'waiting_since', limit: 50 } },
  });
  const { area } = useFollow(LIST, TICKET_FACTS, { rows: data?.data, brings: BROUGHT, calm: true });
  return { tickets: data?.data, total: data?.meta.total, area };
}

interface WaitingProps {
  current: string;
  waiting: ReturnType<typeof useWaiting>;
  /** Colleagues' names by the ticket that they look at. */
  looking: ReadonlyMap<string, string>;
}

/** Beside the conversation. */
export function Waiting({ current, waiting: { tickets, total, area }, looking }: WaitingProps) {
  const { t } = useTranslation('support');
  return (
    <Card component="nav" className={classes.queue} aria-label={t(($) => $.staff.waiting)} {...area}>
      <div className={classes.queueTitle}>
        <Text fz="sm" fw={600}>
          {t(($) => $.staff.waiting)}
        </Text>
        {total !== undefined && (
          <Badge color={total > 0 ? 'gold' : 'gray'} className="num">
            {total}
          </Badge>
        )}
      </div>
      {tickets?.length === 0 ? (
        <Text fz="sm" c="dimmed" p="md">
          {t(($) => $.staff.nobody)}
        </Text>
      ) : (
        <ul className={classes.queueList}>
          {(tickets ?? []).map((ticket) => (
            <li key={ticket._id}>
              <Line ticket={ticket} current={ticket._id === current} looking={looking.get(ticket._id)} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Line({
  ticket,
  current,
  looking,
}: {
  ticket: StaffTicket;
  current: boolean;
  looking: string | undefined;
}) {
  return (
    <Link
      to={`/customer-service/ticket-response/${ticket._id}`}
      className={classes.queueItem}
      aria-current={current ? 'page' : undefined}
    >
      <Group justify="space-between" gap={6} wrap="nowrap">
        <Text fz="sm" fw={600} truncate>
          {ticket.userName}
        </Text>
        {unreadOf(ticket, 'staff') > 0 && !current && (
          <Badge color="gold" size="sm" className="num">
            {unreadOf(ticket, 'staff')}
          </Badge>
        )}
      </Group>
      <Text fz="xs" truncate>
        {ticket.subject}
      </Text>
      <Group justify="space-between" gap={6} wrap="nowrap" fz="xs" c="dimmed">
        {ticket.waitingSince && <When at={ticket.waitingSince} relative />}
        <HolderLine desk={ticket.desk} />
      </Group>
      <Looking name={looking} />
    </Link>
  );
}
