/** How lists of tickets follow facts. */
import type { Schemas } from '@/api/client';

type Ticket = Schemas['TicketView'];

export const TICKET_FACTS = ['ticket.opened', 'ticket.activity'] as const;

/** What staff alone know of a ticket: told on their queue only. */
export const DESK_FACT = 'ticket.desk';

/** Read marks and changed words move no row; a new message and a closing do. */
export const BROUGHT = {
  row: ({ ticket }: { ticket: Ticket }) => ticket,
  place: ['status', 'waitingSince', 'lastMessageAt', 'deleted'],
} as const;
