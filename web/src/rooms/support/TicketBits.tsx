import { Badge, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
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

/** Subject, and how the conversation stands. */
export function Subject({ ticket }: { ticket: Ticket }) {
  return (
    <div style={{ minWidth: 0, maxWidth: 420 }}>
      <Text fz="sm" fw={600} truncate>
        {ticket.subject}
      </Text>
      <Text fz="xs" c="dimmed" truncate>
        {ticket.lastMessage}
      </Text>
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
