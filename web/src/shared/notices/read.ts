import { api, body } from '@/api/client';
import { mutation } from '@/api/mutation';

/** What the bell asks: its number is of all lines. */
export const LATEST = { params: { query: { page: 1, limit: 30 } } };

/** Marks notices as read: those of these ids, or all. */
export const readNotices = mutation({
  send: (ids: readonly string[] | null) =>
    body(api.POST('/notifications/read-all', { body: ids === null ? {} : { ids: [...ids] } })),
  changes: ['/notifications'],
  always: true,
});
