import { $api } from '@/api/hooks';
import { useCan } from '@/api/session';

/** Whether one of these roles decides about money: then its holder is changed by two. Roles are known to who may give them; for others
 *  the one that always decides stands by its name, and the server has the last word. */
export function useDecides(): (roles: readonly string[]) => boolean {
  const knows = useCan('admin_permissions');
  const { data } = $api.useQuery('get', '/admin/roles', {}, { staleTime: 300_000, enabled: knows });
  const deciding = data
    ? data.data
        .filter(({ permissions }) => permissions.some(({ subject }) => subject === 'admin_permissions'))
        .map(({ name }) => name)
    : ['administrator'];
  return (roles) => roles.some((name) => deciding.includes(name));
}
