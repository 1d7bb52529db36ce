/** What support does for as long as somebody is signed in: lists follow the facts, the menu counts what waits. */
import { api, body } from '@/api/client';
import { serverNow } from '@/api/clock';
import { patchRows, refetch } from '@/api/lists';
import { QUEUES } from '@/api/queues';
import { currentUser, mayRead } from '@/api/session';
import { i18n } from '@/i18n';
import { setCounter } from '@/live/counters';
import { onLive } from '@/live/live';
import { alertOf } from '@/shared/support/alerts';
import { DESK_FACT, TICKET_FACTS } from '@/shared/support/tickets';
import { pathOf, type Ticket, unreadOf } from './conversation';
import { CANNED, type Desk, showDesk, shownDesk } from './desk';

const unread = new Map<string, number>();
let recount: ReturnType<typeof setTimeout> | undefined;

/** What is told after a longer time (a gap is being made up for) is no news. */
const NEWS_MS = 120_000;
/** The newest number that was heard of, by ticket. */
const newest = new Map<string, number>();
/** What staff know of tickets, the newest that was told: of those that a colleague has that colleague is told. */
const desks = new Map<string, Desk>();
/** Of the tickets that somebody has, those in which something was said last. */
const MOST_TAKEN = 100;

const isColleagues = (id: string) => {
  // One that was closed, and is opened again by a message, keeps its holder and is among none that were read.
  const holder = (desks.get(id) ?? shownDesk(id))?.takenBy;
  return holder != null && holder._id !== currentUser()?._id;
};

/** A message of the other side is told in the ways that were chosen for this browser. */
function tellOf(ticket: Ticket) {
  const { _id, number, lastNumber, lastMessage } = ticket;
  const side = ticket.user === currentUser()?._id ? 'customer' : 'staff';
  const before = newest.get(_id) ?? 0;
  newest.set(_id, Math.max(before, lastNumber));
  if (ticket.deleted || lastNumber <= before || unreadOf(ticket, side) === 0) return;
  if (serverNow() - Date.parse(ticket.lastMessageAt) > NEWS_MS || isColleagues(_id)) return;
  const title =
    side === 'customer'
      ? i18n.t(($) => $.told.answer, { number })
      : i18n.t(($) => $.told.message, { number });
  alertOf({ ticket: _id, path: pathOf(side, _id), title, text: lastMessage });
}

function noteHolder(desk: Desk) {
  const known = desks.get(desk._id);
  if (!known || known.version < desk.version) desks.set(desk._id, desk);
}

function countOwn(ticket: Ticket) {
  const left = ticket.deleted ? 0 : unreadOf(ticket, 'customer');
  if (left > 0) unread.set(ticket._id, left);
  else unread.delete(ticket._id);
  setCounter(
    'supportUnread',
    [...unread.values()].reduce((sum, count) => sum + count, 0),
  );
}

async function loadOwn() {
  if (!mayRead('registered-user')) return;
  const { data } = await body(
    api.GET('/support/list-tickets-user/', { params: { query: { limit: 100, sortby: 'last_message_at' } } }),
  );
  unread.clear();
  for (const ticket of data) {
    countOwn(ticket);
    newest.set(ticket._id, Math.max(newest.get(ticket._id) ?? 0, ticket.lastNumber));
  }
}

async function loadWaiting() {
  const { id, list, permission } = QUEUES.tickets;
  if (!mayRead(permission)) return;
  const query = { limit: 1, waiting: true };
  setCounter(id, (await body(api.GET(list, { params: { query } }))).meta.total);
}

/** Who has what since before the page was open, or while it heard nothing. */
async function loadHolders() {
  const { list, permission } = QUEUES.tickets;
  if (!mayRead(permission)) return;
  const before = [...desks];
  const query = {
    agent: 'someone',
    status: 'open',
    sortby: 'last_message_at',
    limit: MOST_TAKEN,
  } as const;
  const { data, meta } = await body(api.GET(list, { params: { query } }));
  // A whole answer names all that are taken: what was heard before it, and not since, is over where it does not.
  if (meta.total <= data.length)
    for (const [id, desk] of before) if (desks.get(id) === desk) desks.delete(id);
  for (const { desk } of data) noteHolder(desk);
}

function hear(ticket: Ticket) {
  // A row that is on screen takes its new values where it stands; where rows enter or leave is the screen's own decision.
  patchRows(['/support/list-tickets-user/'], ticket, { whole: true });
  // What only staff know of it comes by a fact of its own and stays.
  patchRows([QUEUES.tickets.list], ticket);
  if (ticket.user === currentUser()?._id) countOwn(ticket);
  tellOf(ticket);
  clearTimeout(recount);
  recount = setTimeout(() => void loadWaiting().catch(() => {}), 400);
}

export const supportLive = {
  listen: () => {
    const stops = [
      ...TICKET_FACTS.map((kind) => onLive(kind, ({ ticket }) => hear(ticket))),
      onLive(DESK_FACT, ({ desk }) => {
        showDesk(desk);
        noteHolder(desk);
      }),
      onLive('canned_replies.changed', () => void refetch(CANNED)),
    ];
    return () => {
      clearTimeout(recount);
      unread.clear();
      newest.clear();
      desks.clear();
      for (const stop of stops) stop();
    };
  },
  load: () => Promise.allSettled([loadOwn(), loadWaiting(), loadHolders()]),
};
