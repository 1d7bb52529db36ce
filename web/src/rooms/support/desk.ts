/** The desk's calls, of staff alone: who has a ticket, what they note about it, the replies that they keep ready, the work by day and how it was found. */
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { patchRows } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { isLocale, type Locale } from '@/i18n/locales';
import type { TicketDetail } from './conversation';

export type Desk = Schemas['DeskView'];
export type Agent = Schemas['DeskAgent'];
export type Note = Schemas['TicketNote'];
export type Canned = Schemas['CannedReply'];
export type StaffTicket = Schemas['StaffTicket'];

const TICKET = '/support/get-ticket-support-team/{id}';
const NOTES = '/support/ticket-notes/{ticketId}';
const AGENTS = '/support/agents';
export const CANNED = '/support/canned-replies';

/** docs/rules/support.md#canned-replies */
export const MAX_TITLE = 80;
export const AGES = ['1d', '3d', '7d', '30d'] as const;
export const TAKEN = ['me', 'nobody', 'someone'] as const;

const at = (ticketId: string) => ({ params: { path: { ticketId } } });
const notesKey = (id: string) => ['get', NOTES, at(id)];

/** The language in which somebody is answered. */
export const languageOf = (locale: string): Locale => (isLocale(locale) ? locale : 'pt');

/** What staff now know of a ticket, written over the list and the ticket that show it; notes that are not here yet are asked for. */
export function showDesk(desk: Desk) {
  patchRows([QUEUES.tickets.list], desk, {
    part: { of: (row) => row.desk, write: (row) => ({ ...row, desk }) },
  });
  const key = ['get', TICKET, { params: { path: { id: desk._id } } }];
  queryClient.setQueryData<TicketDetail>(key, (known) =>
    known?.desk && known.desk.version < desk.version ? { ...known, desk } : known,
  );
  // What its customer said beside the score is in no fact: it is read with the ticket.
  const known = queryClient.getQueryData<TicketDetail>(key);
  if (known && !known.rating && desk.rating != null) void queryClient.invalidateQueries({ queryKey: key });
  const notes = queryClient.getQueryData<Schemas['TicketNotes']>(notesKey(desk._id));
  if (notes && notes.data.length < desk.notes)
    void queryClient.invalidateQueries({ queryKey: notesKey(desk._id) });
}

export const takeTicket = mutation({
  /** `from`: whom the screen shows as its holder. */
  send: ({ id, from }: { id: string; from: string | null }) =>
    body(api.POST('/support/take-ticket/{ticketId}', { ...at(id), body: { from } })),
  changes: [AGENTS],
  patch: showDesk,
});

export const handOver = mutation({
  send: ({ id, to }: { id: string; to: string }) =>
    body(api.POST('/support/hand-over-ticket/{ticketId}', { ...at(id), body: { to } })),
  changes: [AGENTS],
  patch: showDesk,
});

export const letGo = mutation({
  send: (id: string) => body(api.POST('/support/let-go-ticket/{ticketId}', at(id))),
  changes: [AGENTS],
  patch: showDesk,
});

/** A customer's open tickets, newest first: into one of them a double goes. */
export const useOpenTickets = (userId: string, wanted: boolean) =>
  $api.useQuery(
    'get',
    QUEUES.tickets.list,
    { params: { query: { userId, status: 'open', sortby: 'created_at', limit: 50 } } },
    { enabled: wanted },
  );

export const mergeTicket = mutation({
  send: ({ id, into }: { id: string; into: string }) =>
    body(api.POST('/support/merge-ticket/{ticketId}', { ...at(id), body: { into } })),
  changes: [QUEUES.tickets.list, AGENTS],
});

export const useAgents = (wanted: boolean) => $api.useQuery('get', AGENTS, {}, { enabled: wanted });

export const useNotes = (id: string) => $api.useQuery('get', NOTES, at(id), { retry: false });

export const addNote = mutation({
  send: ({ id, text }: { id: string; text: string }, clientId) =>
    body(api.POST(NOTES, { ...at(id), body: { text, clientId } })),
  // The fact tells the others' notes that came between; one's own is shown at once.
  changes: [],
  patch: (note, { id }) =>
    queryClient.setQueryData<Schemas['TicketNotes']>(notesKey(id), (known) =>
      known && !known.data.some(({ _id }) => _id === note._id) ? { data: [...known.data, note] } : known,
    ),
});

export const useCannedReplies = () => $api.useQuery('get', CANNED);

type Typed = Schemas['NewCannedReply'];

/** A new one, or another text of one that there is. */
export const keepCanned = mutation({
  send: ({ reply, typed }: { reply: Canned | null; typed: Typed }) =>
    reply
      ? body(
          api.PATCH('/support/canned-replies/{replyId}', {
            params: { path: { replyId: reply._id } },
            body: { ...typed, version: reply.version },
          }),
        )
      : body(api.POST(CANNED, { body: typed })),
  changes: [CANNED],
});

export const retireCanned = mutation({
  send: ({ id, retired }: { id: string; retired: boolean }) =>
    body(
      api.POST('/support/canned-replies/{replyId}/retire', {
        params: { path: { replyId: id } },
        body: { retired },
      }),
    ),
  changes: [CANNED],
});

export const orderCanned = mutation({
  send: (ids: string[]) => body(api.POST('/support/order-canned-replies', { body: { ids } })),
  changes: [CANNED],
  always: true,
});

export const useDeskReport = (wanted: boolean) =>
  $api.useQuery('get', '/support/desk-report', {}, { enabled: wanted });
