/** The room's types and caches. */
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { queryClient } from '@/api/queryClient';

export type Grant = Schemas['AdminGrantView'];
export type Freeze = Schemas['AdminFreezeView'];
export type Grants = Schemas['AdminGrants'];
export type Holder = Schemas['RoleHolder'];
export type Role = Schemas['RoleView'];

const PATHS = ['/admin/grants', '/admin/role-holders'] as const;

/** Who decides has changed: whatever shows it is asked for again. */
export const refetchGrants = () =>
  Promise.all(PATHS.map((path) => queryClient.invalidateQueries({ queryKey: ['get', path] })));

export const useRoles = () => $api.useQuery('get', '/admin/roles', {}, { staleTime: 300_000 });

/** A role that carries the permission to decide comes and goes by two persons. */
export const decides = (role: Role): boolean =>
  role.permissions.some(({ subject }) => subject === 'admin_permissions');

/** The freeze in which a person's decisions stand still now. */
export const freezeOf = (grants: Grants | undefined, userId: string | undefined): Freeze | undefined =>
  grants?.freezes.find(
    ({ endedAt, frozen, frozenBy }) => !endedAt && (frozen._id === userId || frozenBy._id === userId),
  );
