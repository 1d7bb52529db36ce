/** How lists of tickets follow facts. */
import type { Schemas } from '@/api/client';

type Ticket = Schemas['TicketView'];

export const TICKET_FACTS = ['ticket.opened', 'ticket.activity'] as const;

/** Read marks and changed words move no row; a new message and a closing do. */
export const BROUGHT = {
  row: ({ ticket }: { ticket: Ticket }) => ticket,
  place: ['status', 'waitingSince', 'lastMessageAt', 'deleted'],
} as const;
