/** The room's types, calls and caches. */
import { api, body, type Schemas } from '@/api/client';
import { refetch } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';
import { mayRead } from '@/api/session';
import { upload } from '@/api/upload';
import { onLive } from '@/live/live';

export type Row = Schemas['UserRow'];
export type Person = Schemas['PersonView'];
export type Network = Schemas['PersonNetwork'];
export type NewUser = Schemas['NewUser'];
export type Edit = Schemas['EditUser'];
export type Locale = Schemas['Locale'];
export type Operation = Schemas['StaffOrderView'];

export const LIST = '/admin/users-list/';
export const PERSON = '/admin/user/{id}';
export const NETWORK = '/admin/user/{id}/network';
export const NOTES = '/admin/user/{id}/notes';
export const SESSIONS = '/admin/user/{id}/sessions';
export const RELATED = '/admin/user/{id}/related';
export const LOGS = '/admin/user-logs-list/{userId}';
export const OPERATIONS = '/admin/robots/{robotId}/operations';

/** docs/rules/identity.md */
export const AVATAR_BYTES = 4 * 1024 * 1024;
export const MAX_NOTE = 2_000;
export const LOCALES: readonly Locale[] = ['pt', 'en', 'es'];

const at = (id: string) => ({ params: { path: { id } } });
/** What tells of a person themself. */
const SHOWN = [LIST, PERSON, LOGS] as const;

export const invite = mutation({
  send: (person: NewUser) => body(api.POST('/admin/user', { body: person })),
  changes: [LIST],
});

export const inviteAgain = mutation({
  send: (id: string) => api.POST('/admin/sendemail/creation/user/{id}', at(id)),
  changes: [LOGS],
});

/** What needs two is asked for: the answer then holds the request. */
export const edit = mutation({
  send: ({ id, ...change }: Edit & { id: string }) =>
    body(api.PATCH('/admin/user/{id}/edit', { ...at(id), body: change })),
  changes: [...SHOWN, SESSIONS, QUEUES.grants.list],
});

/** The owner is told at once; the log says so. */
export const beginLook = mutation({
  send: ({ id, ...look }: Schemas['NewLook'] & { id: string }) =>
    body(api.POST('/admin/user/{id}/look', { ...at(id), body: look })),
  changes: [LOGS],
});

/** The first person asks and says why, the second one's word takes it back. */
export const reverseResult = mutation({
  send: ({ robotId, operationId, reason }: { robotId: string; operationId: string; reason: string }, key) =>
    body(
      api.POST('/admin/robots/{robotId}/operations/{operationId}/reverse', {
        params: { path: { robotId, operationId }, header: { 'Idempotency-Key': key } },
        body: { reason },
      }),
    ),
  changes: [OPERATIONS, '/admin/balance-manager/get-user-licenses/{id}', LOGS, '/admin/approvals/preview'],
  always: true,
});

export const putAvatar = mutation({
  send: ({ id, file, onProgress }: { id: string; file: File; onProgress: (ratio: number) => void }) => {
    const form = new FormData();
    form.append('file', file, file.name);
    const path = `/admin/user/${encodeURIComponent(id)}/upload-image`;
    return upload<Schemas['AvatarAnswer']>({ path, form, maxBytes: AVATAR_BYTES, onProgress });
  },
  changes: SHOWN,
});

export const removeAvatar = mutation({
  send: (id: string) => api.DELETE('/admin/user/{id}/avatar', at(id)),
  changes: SHOWN,
});

export const addNote = mutation({
  send: ({ id, text }: { id: string; text: string }) =>
    body(api.POST('/admin/user/{id}/notes', { ...at(id), body: { text } })),
  changes: [NOTES, LOGS],
});

export const endSessions = mutation({
  send: (id: string) => body(api.DELETE('/admin/user/{id}/sessions', at(id))),
  changes: [SESSIONS, LOGS],
});

/** A person who decides is changed by two; whoever may decide hears where that stands. */
export const peopleLive = {
  listen: () =>
    onLive('admin_grant.changed', () => {
      if (mayRead('customer-service_list-users')) void refetch(LIST);
      if (mayRead('customer-service_user-view')) void refetch(PERSON);
    }),
};
