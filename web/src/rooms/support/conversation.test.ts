import { describe, expect, it } from 'vitest';
import {
  type Conversation,
  EMPTY,
  firstUnread,
  leavesGap,
  type Message,
  type Ticket,
  type TicketDetail,
  unreadOf,
  withAbout,
  withMessage,
  withOlder,
  withRead,
  withSnapshot,
} from './conversation';

const message = (number: number, more: Partial<Message> = {}): Message => ({
  _id: `m${number}`,
  ticket: 't',
  number,
  author: 'u',
  authorName: 'Ana',
  side: 'customer',
  text: `texto ${number}`,
  attachment: null,
  edited: false,
  deleted: false,
  clientId: null,
  created_at: '2026-11-20T12:00:00Z',
  ...more,
});

const ticket = (version: number, more: Partial<Ticket> = {}): Ticket => ({
  doubles: 0,
  _id: 't',
  number: 1,
  user: 'u',
  userName: 'Ana',
  subject: 'Assunto',
  category: 'other',
  status: 'open',
  lastNumber: 3,
  lastMessage: '',
  readByCustomer: 1,
  readByStaff: 0,
  waitingSince: null,
  lastMessageAt: '2026-11-20T12:00:00Z',
  created_at: '2026-11-20T12:00:00Z',
  closedAt: null,
  version,
  ...more,
});

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => message(from + index));
const numbers = ({ messages }: Conversation) => messages.map(({ number }) => number);
const started = (from: number, to: number) =>
  withSnapshot(EMPTY, { ticket: ticket(1), messages: range(from, to) });

describe('a conversation', () => {
  it('shows every message once and in order, however often it comes', () => {
    let now = started(1, 2);
    for (const number of [3, 3, 4, 2, 5]) now = withMessage(now, message(number));
    now = withSnapshot(now, { ticket: ticket(1), messages: range(3, 5) });
    expect(numbers(now)).toEqual([1, 2, 3, 4, 5]);
  });

  it('takes no message before its forerunners', () => {
    const now = started(1, 2);
    expect(leavesGap(now, message(4))).toBe(true);
    expect(numbers(withMessage(now, message(4)))).toEqual([1, 2]);
  });

  it('after a long absence keeps the newest run only, and loads what is before it', () => {
    let now = withSnapshot(started(1, 3), { ticket: ticket(2), messages: range(60, 70) });
    expect(numbers(now)[0]).toBe(60);
    now = withOlder(now, range(50, 59));
    expect(numbers(now)).toEqual(range(50, 70).map(({ number }) => number));
  });

  it('opens where reading goes on, once the messages from there on are here', () => {
    const theirs = (from: number, to: number) =>
      range(from, to).map((one) => ({ ...one, author: one.number % 2 === 0 ? 'me' : 'u' }));
    expect(firstUnread(theirs(1, 9), 5, 9, 'me')).toBe(7);
    // One's own words are no news, and what came after the opening is below.
    expect(firstUnread(theirs(1, 9), 5, 6, 'me')).toBeNull();
    expect(firstUnread(theirs(1, 9), 9, 9, 'me')).toBeNull();
    expect(firstUnread(theirs(1, 9), 0, 9, 'me')).toBeNull();
    // Of many missed ones the earlier are not loaded yet.
    expect(firstUnread(theirs(60, 90), 20, 90, 'me')).toBeNull();
    expect(firstUnread(theirs(21, 90), 20, 90, 'me')).toBe(21);
  });

  it('takes pages at either end and over what is there', () => {
    let now = withOlder(started(50, 60), range(40, 49));
    now = withSnapshot(now, { ticket: ticket(2), messages: range(61, 70) });
    expect(numbers(now)).toEqual(range(40, 70).map(({ number }) => number));
    now = withSnapshot(now, {
      ticket: ticket(3),
      messages: [message(45, { text: 'corrigido' }), message(46)],
    });
    expect(numbers(now)).toEqual(range(40, 70).map(({ number }) => number));
    expect(now.messages[5]?.text).toBe('corrigido');
    now = withSnapshot(now, { ticket: ticket(4), messages: range(65, 75) });
    expect(numbers(now)).toEqual(range(40, 75).map(({ number }) => number));
  });

  it('changes a message in place and never one that is not shown', () => {
    const now = withMessage(started(5, 7), message(6, { text: 'corrigido', edited: true }));
    expect(now.messages[1]?.text).toBe('corrigido');
    expect(numbers(withMessage(now, message(2)))).toEqual([5, 6, 7]);
  });

  it('never goes back to an older ticket or read mark', () => {
    let now = withSnapshot(EMPTY, { ticket: ticket(5), messages: [] });
    now = withSnapshot(now, { ticket: ticket(4, { status: 'closed' }), messages: [] });
    expect(now.ticket?.status).toBe('open');
    now = withRead(withRead(now, 'staff', 3), 'staff', 2);
    expect(now.ticket?.readByStaff).toBe(3);
    expect(unreadOf(now.ticket as Ticket, 'customer')).toBe(2);
    expect(unreadOf(now.ticket as Ticket, 'staff')).toBe(0);
  });
});

describe('what a ticket is about', () => {
  const subject = (id: string, status: string, minute: number) => ({
    kind: 'pix_deposit',
    id,
    amount: '50.000000',
    currency: 'USDT',
    status,
    at: `2026-11-20T12:0${minute}:00.5Z`,
  });
  const known = (about: ReturnType<typeof subject> | null): TicketDetail => ({
    ticket: ticket(1),
    description: '',
    image: null,
    messages: [],
    merged: [],
    hasOlder: false,
    epoch: 1,
    seq: 0,
    about,
    customer: {
      _id: 'u',
      fullName: 'Ana',
      username: 'ana',
      status: 'active',
      locale: 'pt',
      created_at: '2026-11-20T12:00:00Z',
      tickets: 1,
      openTickets: 1,
      recent: [subject('d2', 'pending', 1), subject('d1', 'pending', 1)],
    },
  });

  it('changes where it is shown, and only forward', () => {
    const paid = subject('d1', 'approved', 2);
    const before = known(subject('d1', 'pending', 1));
    const now = withAbout(before, paid);
    expect(now.about).toEqual(paid);
    expect(now.customer?.recent.map(({ status }) => status)).toEqual(['pending', 'approved']);
    // What was read of the conversation is the same: nothing of it is read anew.
    expect(now.messages).toBe(before.messages);
    expect(now.ticket).toBe(before.ticket);
    expect(withAbout(now, subject('d1', 'pending', 1))).toEqual(now);
  });

  it('stays away where a ticket is about nothing', () => {
    expect(withAbout(known(null), subject('d9', 'approved', 2)).about).toBeNull();
  });
});
