/** Who somebody is: lists of people's money can be narrowed to a role. */
import { useTranslation } from 'react-i18next';

const ROLES = ['customer', 'salesperson', 'store_employee', 'system_employee', 'administrator'] as const;

/** The filter by role, for a list whose call takes `function`. */
export function useRoleField() {
  const { t } = useTranslation('shell');
  const { t: lists } = useTranslation('lists');
  return {
    kind: 'select',
    name: 'function',
    label: lists(($) => $.queue.role),
    options: ROLES.map((value) => ({ value, label: t(($) => $.roles[value]) })),
  } as const;
}
