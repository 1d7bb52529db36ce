/** What support does for as long as somebody is signed in: lists follow the facts, the menu counts what waits. */
import { api, body } from '@/api/client';
import { patchRows, refetch } from '@/api/lists';
import { QUEUES } from '@/api/queues';
import { currentUser, mayRead } from '@/api/session';
import { setCounter } from '@/live/counters';
import { onLive } from '@/live/live';
import { DESK_FACT, TICKET_FACTS } from '@/shared/support/tickets';
import { type Ticket, unreadOf } from './conversation';
import { CANNED, showDesk } from './desk';

const unread = new Map<string, number>();
let recount: ReturnType<typeof setTimeout> | undefined;

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
  for (const ticket of data) countOwn(ticket);
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
  clearTimeout(recount);
  recount = setTimeout(() => void loadWaiting().catch(() => {}), 400);
}

export const supportLive = {
  listen: () => {
    const stops = [
      ...TICKET_FACTS.map((kind) => onLive(kind, ({ ticket }) => hear(ticket))),
      onLive(DESK_FACT, ({ desk }) => showDesk(desk)),
      onLive('canned_replies.changed', () => void refetch(CANNED)),
    ];
    return () => {
      clearTimeout(recount);
      unread.clear();
      for (const stop of stops) stop();
    };
  },
  load: () => Promise.allSettled([loadOwn(), loadWaiting()]),
};
