/** Support's calls, their cache keys and the small things that the screens share. */
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { upload } from '@/api/upload';
import type { Message, Side, Ticket, TicketDetail } from './conversation';

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
export const ATTACHMENT_TYPES = {
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/gif': ['.gif'],
  'application/pdf': ['.pdf'],
};

const PATHS = {
  customer: '/support/get-ticket-user/{id}',
  staff: '/support/get-ticket-support-team/{id}',
} as const;

const at = (id: string) => ({ params: { path: { id } } });

/** The newest page of a ticket. */
export const useTicketQuery = (side: Side, id: string) =>
  $api.useQuery('get', PATHS[side], at(id), { retry: false });

export const olderMessages = (side: Side, id: string, before: number): Promise<TicketDetail> =>
  body(api.GET(PATHS[side], { params: { path: { id }, query: { before } } }));

export const newerMessages = (side: Side, id: string, after: number): Promise<TicketDetail> =>
  body(api.GET(PATHS[side], { params: { path: { id }, query: { after, limit: 200 } } }));

export const openTicket = (ticket: {
  subject: string;
  description: string;
  category: string;
  clientId: string;
  about: Schemas['About'] | null;
}) => body(api.POST('/support/open-ticket', { body: ticket }));

export const sendReply = (ticketId: string, text: string, clientId: string) =>
  body(api.POST('/support/ticket-response', { body: { ticketId, text, clientId } }));

export const editMessage = (messageId: string, text: string): Promise<Message> =>
  body(api.PATCH('/support/edit-ticket-message', { body: { messageId, text } }));

export const closeTicket = (id: string): Promise<Ticket> =>
  body(api.POST('/support/close-ticket/{id}', at(id)));

export const deleteTicket = (id: string) => api.DELETE('/support/delete-ticket/{id}', at(id));

export const sendMail = (ticketId: string, text: string, clientId: string) =>
  body(api.POST('/support/email-send', { body: { ticketId, text, clientId } }));

export function uploadAttachment(
  ticketId: string,
  messageId: string | null,
  file: File,
  onProgress?: (ratio: number) => void,
) {
  const form = new FormData();
  form.append('file', file, file.name);
  const query = messageId === null ? '' : `?messageId=${encodeURIComponent(messageId)}`;
  return upload<{ ticket: Ticket; message: Message }>({
    path: `/support/upload-image/${encodeURIComponent(ticketId)}${query}`,
    form,
    ...(onProgress && { onProgress }),
  });
}
