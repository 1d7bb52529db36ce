/** Support's calls, their cache keys and the small things that the screens share. */
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { upload } from '@/api/upload';
import { type Message, type Side, type Ticket, type TicketDetail, withAbout } from './conversation';

export const CATEGORIES = [
  'financial',
  'account_data',
  'affiliate_network',
  'robot_trading',
  'other',
] as const;

export const MAX_TEXT = 4_000;
export const MAX_SUBJECT = 120;
export const MAX_FILE = 8 * 1024 * 1024;
export const EDIT_MS = 15 * 60_000;
export const REOPEN_MS = 7 * 86_400_000;
/** docs/rules/support.md#satisfaction: from 1 to 5. */
export const SCORES = ['very_bad', 'bad', 'fair', 'good', 'very_good'] as const;
export const MAX_COMMENT = 500;
export const ATTACHMENT_TYPES = {
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/gif': ['.gif'],
  'application/pdf': ['.pdf'],
};

/** The most that is read at once. */
const PAGE = 200;

const PATHS = {
  customer: '/support/get-ticket-user/{id}',
  staff: '/support/get-ticket-support-team/{id}',
} as const;

const at = (id: string) => ({ params: { path: { id } } });

/** The newest page of a ticket. */
export const useTicketQuery = (side: Side, id: string) =>
  $api.useQuery('get', PATHS[side], at(id), { retry: false });

export const olderMessages = (side: Side, id: string, before: number): Promise<TicketDetail> =>
  body(api.GET(PATHS[side], { params: { path: { id }, query: { before, limit: PAGE } } }));

export const newerMessages = (side: Side, id: string, after: number): Promise<TicketDetail> =>
  body(api.GET(PATHS[side], { params: { path: { id }, query: { after, limit: PAGE } } }));

/** The thing that a ticket is about, as a fact tells it, written over what was read; what is being read may be older, and is read again. */
export function showAbout(side: Side, id: string, about: Schemas['SubjectView']) {
  const queryKey = ['get', PATHS[side], at(id)];
  if (queryClient.getQueryData(queryKey) === undefined) void queryClient.invalidateQueries({ queryKey });
  else queryClient.setQueryData<TicketDetail>(queryKey, (known) => known && withAbout(known, about));
}

/** One's own list: it is never on screen while somebody writes. */
const OWN = '/support/list-tickets-user/';
/** Staff's list stands beside the conversation and moves nothing under a pointer: what a message changes there it learns from the fact
 *  (`useFollow`). What is done in a dialog has no pointer over it. */
const LISTS = [OWN, QUEUES.tickets.list] as const;

interface NewTicket {
  subject: string;
  description: string;
  category: string;
  about: Schemas['About'] | null;
}

/** The order's key is the message's own id: sent again after a lost answer it opens no second ticket. */
export const openTicket = mutation({
  send: (ticket: NewTicket, clientId) =>
    body(api.POST('/support/open-ticket', { body: { ...ticket, clientId } })),
  changes: [OWN],
});

interface Words {
  ticketId: string;
  text: string;
}

/** The conversation shows it before it is sent, and sends one after the other: that queue is its own (`useConversation`). */
export const sendReply = mutation({
  send: (words: Words, clientId) =>
    body(api.POST('/support/ticket-response', { body: { ...words, clientId } })),
  changes: [OWN],
});

export const editMessage = mutation({
  send: (words: { messageId: string; text: string }): Promise<Message> =>
    body(api.PATCH('/support/edit-ticket-message', { body: words })),
  changes: [OWN],
});

export const closeTicket = mutation({
  send: (id: string): Promise<Ticket> => body(api.POST('/support/close-ticket/{id}', at(id))),
  changes: LISTS,
});

/** Without a score: one does not want to say. A refusal says that something was said elsewhere. */
export const rateTicket = mutation({
  send: ({ id, ...said }: { id: string; score: number | null; comment: string | null }): Promise<Ticket> =>
    body(
      api.POST('/support/rate-ticket/{ticketId}', {
        params: { path: { ticketId: id } },
        body: said,
      }),
    ),
  changes: [OWN, PATHS.customer],
  always: true,
});

export const deleteTicket = mutation({
  send: (id: string) => api.DELETE('/support/delete-ticket/{id}', at(id)),
  changes: LISTS,
});

export const sendMail = mutation({
  send: (words: Words, clientId) => body(api.POST('/support/email-send', { body: { ...words, clientId } })),
  changes: LISTS,
});

/** To one's own address. */
export const mailTranscript = mutation({
  send: (id: string) =>
    body(api.POST('/support/mail-transcript/{ticketId}', { params: { path: { ticketId: id } } })),
  changes: [],
});

interface Sending {
  ticketId: string;
  /** None: the ticket's first message. */
  messageId: string | null;
  file: File;
  onProgress?: (ratio: number) => void;
}

export const uploadAttachment = mutation({
  send: ({ ticketId, messageId, file, onProgress }: Sending) => {
    const form = new FormData();
    form.append('file', file, file.name);
    const query = messageId === null ? '' : `?messageId=${encodeURIComponent(messageId)}`;
    return upload<{ ticket: Ticket; message: Message }>({
      path: `/support/upload-image/${encodeURIComponent(ticketId)}${query}`,
      form,
      ...(onProgress && { onProgress }),
    });
  },
  changes: [OWN],
});
