/** The room's types, calls and caches. */
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { newest, refetch } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';

export type Grant = Schemas['AdminGrantView'];
export type Freeze = Schemas['AdminFreezeView'];
export type Grants = Schemas['AdminGrants'];
export type Holder = Schemas['RoleHolder'];
export type Role = Schemas['RoleView'];

export const HOLDERS = '/admin/role-holders';
const PATHS = [QUEUES.grants.list, HOLDERS] as const;

/** Writes over what is known of requests and freezes; true when that tells all: the line was there, and no answer is on its way. */
function put(write: (known: Grants) => Partial<Grants> | null): boolean {
  const queryKey = ['get', QUEUES.grants.list];
  let shown = false;
  queryClient.setQueriesData<Grants>({ queryKey }, (known) => {
    const more = known && write(known);
    if (!more) return known;
    shown = true;
    return { ...known, ...more };
  });
  return shown && queryClient.isFetching({ queryKey }) === 0;
}

/** A request as last told. What is done changes who decides. */
export function showGrant(grant: Grant) {
  const told = put(({ requests: before }) => {
    const requests = newest(before, grant);
    return requests && { requests };
  });
  if (!told || grant.status === 'done') void refetch(...PATHS);
}

/** A freeze as last told. Its beginning and its end change who decides; the first of two words to end it does not. */
export function showFreeze(freeze: Freeze) {
  const told = put(({ freezes: before }) => {
    const freezes = newest(before, freeze);
    return freezes && { freezes };
  });
  if (!told || freeze.endedAt || !freeze.liftAskedBy) void refetch(...PATHS);
}

export const changeRole = mutation({
  send: ({ user, role, what }: { user: string; role: string; what: 'add' | 'remove' }) => {
    const order = { params: { path: { userId: user } }, body: { roles: [role] } };
    return what === 'add'
      ? body(api.PATCH('/roles/{userId}/add-role', order))
      : body(api.POST('/roles/{userId}/remove-role', order));
  },
  changes: PATHS,
});

export const decideGrant = mutation({
  send: async ({
    id,
    ...order
  }: { id: string } & ({ what: 'approve' } | { what: 'reject'; reason: string })) => {
    const params = { path: { id } };
    return order.what === 'approve'
      ? body(api.POST('/admin/grants/{id}/approve', { params }))
      : body(api.POST('/admin/grants/{id}/reject', { params, body: { reason: order.reason } }));
  },
  changes: PATHS,
});

export const freeze = mutation({
  send: (order: { userId: string; reason: string }) => body(api.POST('/admin/freezes', { body: order })),
  changes: PATHS,
});

export const liftFreeze = mutation({
  send: (id: string) => body(api.POST('/admin/freezes/{id}/lift', { params: { path: { id } } })),
  changes: PATHS,
});

export const useRoles = () => $api.useQuery('get', '/admin/roles', {}, { staleTime: 300_000 });

/** A role that carries the permission to decide comes and goes by two persons. */
export const decides = (role: Role): boolean =>
  role.permissions.some(({ subject }) => subject === 'admin_permissions');

/** The freeze in which a person's decisions stand still now. */
export const freezeOf = (grants: Grants | undefined, userId: string | undefined): Freeze | undefined =>
  grants?.freezes.find(
    ({ endedAt, frozen, frozenBy }) => !endedAt && (frozen._id === userId || frozenBy._id === userId),
  );
