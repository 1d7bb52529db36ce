/** Who may see what: everyone reads `Public`; each permission name of the user's roles is a `read <name>` [docs/rules/web.md#menu]. */
import { AbilityBuilder, createMongoAbility, type MongoAbility } from '@casl/ability';
import type { Answer, Schemas } from './client';

export type Permission = Schemas['Permission'];
export type Subject = 'Public' | Permission;
export type AppAbility = MongoAbility<[string, Subject]>;

export function abilityFor(user: Pick<Answer<'/me', 'get'>['user'], 'roles'> | null): AppAbility {
  const { can, build } = new AbilityBuilder<AppAbility>(createMongoAbility);
  can('read', 'Public');
  for (const role of user?.roles ?? [])
    for (const { action, subject } of role.permissions) can(action || 'read', subject as Subject);
  return build();
}
