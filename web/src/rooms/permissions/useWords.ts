import { useTranslation } from 'react-i18next';

/** Names of roles and permissions; one that this version does not know is shown as it is called. */
export function useWords() {
  const { t, i18n } = useTranslation(['permissions', 'shell']);
  const known = (key: string, name: string) =>
    i18n.exists(key) ? (t as unknown as (key: string) => string)(key) : name;
  return {
    role: (name: string) => known(`shell:roles.${name}`, name),
    permission: (name: string) => known(`permissions:permissions.${name}`, name),
  };
}
