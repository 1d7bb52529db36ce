/** A ticket's conversation as this browser knows it: pure, so that order and "each once" can be tested without a screen. */
import type { Schemas } from '@/api/client';

export type Ticket = Schemas['TicketView'];
export type Message = Schemas['MessageView'];
export type TicketDetail = Schemas['TicketDetail'];
export type Double = Schemas['Double'];
type Subject = Schemas['SubjectView'];
export type Side = 'customer' | 'staff';

/** A message on its way: shown at once, replaced by the server's one of the same client id. */
export interface Pending {
  clientId: string;
  text: string;
  file: File | null;
  at: string;
  state: 'sending' | 'failed';
}

export interface Conversation {
  ticket: Ticket | null;
  /** By number, ascending, without a gap. */
  messages: readonly Message[];
  pending: readonly Pending[];
}

export const EMPTY: Conversation = { ticket: null, messages: [], pending: [] };

/** Where a side reads a ticket. */
export const pathOf = (side: Side, id: string) =>
  side === 'customer' ? `/support/ticket/${id}` : `/customer-service/ticket-response/${id}`;

/** The newer of two views of a ticket. */
export const newer = (now: Ticket | null, next: Ticket): Ticket =>
  now && now._id === next._id && now.version >= next.version ? now : next;

/** Puts messages in by number; what is given replaces what is there. Keeps the newest run without a gap. */
function put(before: readonly Message[], given: readonly Message[]): Message[] {
  const byNumber = new Map(before.map((message) => [message.number, message]));
  for (const message of given) byNumber.set(message.number, message);
  const all = [...byNumber.values()].sort((a, b) => a.number - b.number);
  let start = all.length - 1;
  while (start > 0 && all[start - 1]?.number === (all[start]?.number ?? 0) - 1) start--;
  return all.slice(Math.max(0, start));
}

function settle(pending: readonly Pending[], messages: readonly Message[]): readonly Pending[] {
  if (pending.length === 0) return pending;
  const arrived = new Set(messages.map(({ clientId }) => clientId).filter((id) => id != null));
  return pending.some(({ clientId }) => arrived.has(clientId))
    ? pending.filter(({ clientId }) => !arrived.has(clientId))
    : pending;
}

/** The newest page, as REST gives it. Facts that came after it are not lost: they have greater numbers. */
export function withSnapshot(
  now: Conversation,
  { ticket, messages }: Pick<TicketDetail, 'ticket' | 'messages'>,
): Conversation {
  return {
    ticket: newer(now.ticket, ticket),
    messages: put(now.messages, messages),
    pending: settle(now.pending, messages),
  };
}

/** Earlier messages, put before what is there. */
export const withOlder = (now: Conversation, older: readonly Message[]): Conversation => ({
  ...now,
  messages: put(older, now.messages),
});

/** A new or changed message from the stream. A message that leaves a gap (its forerunners are on their way) waits for a refetch. */
export function withMessage(now: Conversation, message: Message): Conversation {
  const last = now.messages.at(-1)?.number ?? 0;
  const pending = settle(now.pending, [message]);
  if (now.messages.length > 0 && message.number > last + 1) return { ...now, pending };
  if (now.messages.length > 0 && message.number < (now.messages[0]?.number ?? 0)) return now;
  return { ...now, messages: put(now.messages, [message]), pending };
}

/** Whether a message cannot be shown yet because others before it are missing. */
export const leavesGap = (now: Conversation, message: Message): boolean =>
  now.messages.length > 0 && message.number > (now.messages.at(-1)?.number ?? 0) + 1;

export const withTicket = (now: Conversation, ticket: Ticket): Conversation => ({
  ...now,
  ticket: newer(now.ticket, ticket),
});

export function withRead(now: Conversation, side: Side, upTo: number): Conversation {
  if (!now.ticket) return now;
  const field = side === 'customer' ? 'readByCustomer' : 'readByStaff';
  if (now.ticket[field] >= upTo) return now;
  return { ...now, ticket: { ...now.ticket, [field]: upTo } };
}

/** The thing that a ticket is about, as it stands now, also among its customer's latest; what is known to be newer stays. */
export function withAbout(known: TicketDetail, about: Subject): TicketDetail {
  const put = (one: Subject): Subject =>
    one.kind === about.kind && one.id === about.id && Date.parse(one.at) <= Date.parse(about.at)
      ? about
      : one;
  const { customer } = known;
  return {
    ...known,
    ...(known.about && { about: put(known.about) }),
    ...(customer && { customer: { ...customer, recent: customer.recent.map(put) } }),
  };
}

export const withPending = (now: Conversation, pending: Pending): Conversation => ({
  ...now,
  pending: [...now.pending.filter(({ clientId }) => clientId !== pending.clientId), pending],
});

export const withFailed = (now: Conversation, clientId: string): Conversation => ({
  ...now,
  pending: now.pending.map((item) => (item.clientId === clientId ? { ...item, state: 'failed' } : item)),
});

export const withoutPending = (now: Conversation, clientId: string): Conversation => ({
  ...now,
  pending: now.pending.filter((item) => item.clientId !== clientId),
});

/** Messages of others behind one's read mark. */
export const unreadOf = (ticket: Pick<Ticket, 'lastNumber' | 'readByCustomer' | 'readByStaff'>, side: Side) =>
  Math.max(0, ticket.lastNumber - (side === 'customer' ? ticket.readByCustomer : ticket.readByStaff));
