/** Who may see what: everyone reads `Public`; each permission name of the user's roles is a `read <name>` [docs/rules/web.md#menu]. */
import { AbilityBuilder, createMongoAbility, type MongoAbility } from '@casl/ability';
import type { Answer } from './client';

export type Permission =
  | 'registered-user'
  | 'admin_dashboard'
  | 'admin_permissions'
  | 'customer-service_list-users'
  | 'customer-service_user-view'
  | 'customer-service_user-edit'
  | 'customer-service_list-tickets'
  | 'customer-service_response-ticket';

export type Subject = 'Public' | Permission;
export type AppAbility = MongoAbility<[string, Subject]>;

export function abilityFor(user: Pick<Answer<'/me', 'get'>['user'], 'roles'> | null): AppAbility {
  const { can, build } = new AbilityBuilder<AppAbility>(createMongoAbility);
  can('read', 'Public');
  for (const role of user?.roles ?? [])
    for (const { action, subject } of role.permissions) can(action || 'read', subject as Subject);
  return build();
}
