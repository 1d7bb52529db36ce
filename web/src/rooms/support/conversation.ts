/** A ticket's conversation as this browser knows it: pure, so that order and "each once" can be tested without a screen. */
import type { Schemas } from '@/api/client';

export type Ticket = Schemas['TicketView'];
export type Message = Schemas['MessageView'];
export type TicketDetail = Schemas['TicketDetail'];
export type Double = Schemas['Double'];
type Subject = Schemas['SubjectView'];
export type Side = 'customer' | 'staff';

export interface Conversation {
  ticket: Ticket | null;
  /** By number, ascending, without a gap. */
  messages: readonly Message[];
}

export const EMPTY: Conversation = { ticket: null, messages: [] };

/** Where a side reads a ticket. */
export const pathOf = (side: Side, id: string) =>
  side === 'customer' ? `/support/ticket/${id}` : `/customer-service/ticket-response/${id}`;

/** The newer of two views of a ticket. */
export const newer = (now: Ticket | null, next: Ticket): Ticket =>
  now && now._id === next._id && now.version >= next.version ? now : next;

const inOnePiece = (messages: readonly Message[]) =>
  messages.every(({ number }, index) => number === (messages[0]?.number ?? 0) + index);

/** Puts messages in by number; what is given replaces what is there. Keeps the newest run without a gap. */
function put(before: readonly Message[], given: readonly Message[]): readonly Message[] {
  const first = before[0]?.number;
  const last = before.at(-1)?.number;
  const [from, to] = [given[0]?.number, given.at(-1)?.number];
  if (from === undefined || to === undefined) return before;
  // What goes on at either end is by far the most of it: a long history is not put in order for each message.
  if (first !== undefined && last !== undefined && inOnePiece(given)) {
    if (from === last + 1) return [...before, ...given];
    if (to === first - 1) return [...given, ...before];
    if (from >= first && to <= last)
      return [...before.slice(0, from - first), ...given, ...before.slice(to - first + 1)];
  }
  const byNumber = new Map(before.map((message) => [message.number, message]));
  for (const message of given) byNumber.set(message.number, message);
  const all = [...byNumber.values()].sort((a, b) => a.number - b.number);
  let start = all.length - 1;
  while (start > 0 && all[start - 1]?.number === (all[start]?.number ?? 0) - 1) start--;
  return all.slice(Math.max(0, start));
}

/** The newest page, as REST gives it. Facts that came after it are not lost: they have greater numbers. */
export function withSnapshot(
  now: Conversation,
  { ticket, messages }: Pick<TicketDetail, 'ticket' | 'messages'>,
): Conversation {
  return {
    ticket: newer(now.ticket, ticket),
    messages: put(now.messages, messages),
  };
}

/** Earlier messages, put before what is there. */
export const withOlder = (now: Conversation, older: readonly Message[]): Conversation => ({
  ...now,
  messages: put(older, now.messages),
});

/** A new or changed message from the stream. A message that leaves a gap (its forerunners are on their way) waits until they are there. */
export function withMessage(now: Conversation, message: Message): Conversation {
  const last = now.messages.at(-1)?.number ?? 0;
  if (now.messages.length > 0 && message.number > last + 1) return now;
  if (now.messages.length > 0 && message.number < (now.messages[0]?.number ?? 0)) return now;
  return { ...now, messages: put(now.messages, [message]) };
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

/** Where reading goes on: the first of others' messages behind the mark that stood when the ticket was opened, up to the newest of then. None while
 *  those between are not here. */
export function firstUnread(
  messages: readonly Message[],
  mark: number,
  upTo: number,
  me: string | undefined,
): number | null {
  const first = messages[0]?.number;
  if (first === undefined || mark <= 0 || first > mark + 1) return null;
  for (const { number, author } of messages.slice(mark + 1 - first)) {
    if (number > upTo) return null;
    if (author !== me) return number;
  }
  return null;
}

/** Messages of others behind one's read mark. */
export const unreadOf = (ticket: Pick<Ticket, 'lastNumber' | 'readByCustomer' | 'readByStaff'>, side: Side) =>
  Math.max(0, ticket.lastNumber - (side === 'customer' ? ticket.readByCustomer : ticket.readByStaff));
