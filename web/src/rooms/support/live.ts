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
import { CANNED, type Desk, showDesk } from './desk';

const unread = new Map<string, number>();
let recount: ReturnType<typeof setTimeout> | undefined;

/** What is told after a longer time (a gap is being made up for) is no news. */
const NEWS_MS = 120_000;
/** The newest number that was heard of, by ticket. */
const newest = new Map<string, number>();
/** Colleagues' tickets, as far as they were heard of: of those they are told. */
const theirs = new Set<string>();

/** A message of the other side is told in the ways that were chosen for this browser. */
function tellOf(ticket: Ticket) {
  const { _id, number, lastNumber, lastMessage } = ticket;
  const side = ticket.user === currentUser()?._id ? 'customer' : 'staff';
  const before = newest.get(_id) ?? 0;
  newest.set(_id, Math.max(before, lastNumber));
  if (ticket.deleted || lastNumber <= before || unreadOf(ticket, side) === 0) return;
  if (serverNow() - Date.parse(ticket.lastMessageAt) > NEWS_MS || theirs.has(_id)) return;
  const title =
    side === 'customer'
      ? i18n.t(($) => $.told.answer, { number })
      : i18n.t(($) => $.told.message, { number });
  alertOf({ ticket: _id, path: pathOf(side, _id), title, text: lastMessage });
}

function noteHolder({ _id, takenBy }: Desk) {
  if (takenBy && takenBy._id !== currentUser()?._id) theirs.add(_id);
  else theirs.delete(_id);
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
      theirs.clear();
      for (const stop of stops) stop();
    };
  },
  load: () => Promise.allSettled([loadOwn(), loadWaiting()]),
};
