/** Where people begin who work here: the first screen of their menu's staff part, by what they may do and never by a role's name. */
import type { Permission } from '@/api/ability';
import { mayRead } from '@/api/session';
import { menuFor, worksIn } from './shell/menu';

export function firstScreen(can: (subject: Permission) => boolean): string | null {
  const groups = menuFor(can);
  const [work] = worksIn(groups) ? groups.filter(({ side }) => side === 'staff') : [];
  return work?.entries[0]?.to ?? null;
}

/** Instead of a customer's results; they are one click away, at an address that says that they are meant. */
export const workplace = (url: URL): string | null => (url.search === '' ? firstScreen(mayRead) : null);
