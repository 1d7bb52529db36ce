import { Badge, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { When } from '@/ui/When';
import { type Side, type Ticket, unreadOf } from './conversation';

export const STATUSES = ['open', 'closed'] as const;

/** Open, waiting for a reply, answered or closed: what a row says in one word. */
export function TicketState({ ticket, side }: { ticket: Ticket; side: Side }) {
  const status =
    ticket.status === 'closed'
      ? 'closed'
      : side === 'staff'
        ? ticket.waitingSince
          ? 'waiting'
          : 'answered'
        : ticket.waitingSince
          ? 'open'
          : 'answered';
  return <StatusBadge status={status} />;
}

export function Unread({ ticket, side }: { ticket: Ticket; side: Side }) {
  const count = unreadOf(ticket, side);
  return count === 0 ? (
    <Text span c="dimmed" fz="sm" className="num">
      0
    </Text>
  ) : (
    <Badge color="gold" circle={count < 10} size="lg" className="num">
      {count}
    </Badge>
  );
}

interface SubjectProps {
  ticket: Ticket;
  /** The message in which the words of a search are. */
  found?: Schemas['FoundMessage'] | undefined;
}

/** Subject, and how the conversation stands, or where in it the words were found. */
export function Subject({ ticket, found }: SubjectProps) {
  const { t } = useTranslation('support');
  return (
    <div style={{ minWidth: 0, maxWidth: 420 }}>
      <Text fz="sm" fw={600} truncate>
        {ticket.subject}
      </Text>
      {found ? (
        <Text fz="xs" c="dimmed" lineClamp={2} component="div" data-found>
          <span>{t(($) => $.list.found, { number: found.number })}</span> <span>{found.text}</span>
        </Text>
      ) : (
        <Text fz="xs" c="dimmed" truncate>
          {ticket.lastMessage}
        </Text>
      )}
    </div>
  );
}

export function CategoryName({ ticket }: { ticket: Pick<Ticket, 'category'> }) {
  const { t } = useTranslation('support');
  return <>{t(($) => $.category[ticket.category])}</>;
}

/** The colleague who has it open. */
export function Looking({ name }: { name: string | undefined }) {
  const { t } = useTranslation('support');
  if (name === undefined) return null;
  return (
    <Text fz="xs" c="var(--gold-text)" role="status">
      {t(($) => $.staff.looking, { name })}
    </Text>
  );
}

export const LastReply = ({ ticket }: { ticket: Ticket }) => <When at={ticket.lastMessageAt} relative />;
