import { useTranslation } from 'react-i18next';
import type permissions from '@/i18n/pt/permissions.json';
import type shell from '@/i18n/pt/shell.json';

/** Names of roles and permissions; one that this version does not know is shown as it is called. */
export function useWords() {
  const { t, i18n } = useTranslation('permissions');
  const { t: shellText } = useTranslation('shell');
  const isRole = (name: string): name is keyof typeof shell.roles => i18n.exists(`shell:roles.${name}`);
  const isPermission = (name: string): name is keyof typeof permissions.permissions =>
    i18n.exists(`permissions:permissions.${name}`);
  return {
    role: (name: string) => (isRole(name) ? shellText(($) => $.roles[name]) : name),
    permission: (name: string) => (isPermission(name) ? t(($) => $.permissions[name]) : name),
  };
}
