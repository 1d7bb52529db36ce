import { useTranslation } from 'react-i18next';

/** A role's name in the language of now. Roles are rows of the server; one that is not known here keeps its own name. */
export function useRoleName(): (name: string) => string {
  const { t } = useTranslation('shell');
  const names = t(($) => $.roles, { returnObjects: true });
  return (name) => (Object.hasOwn(names, name) ? names[name as keyof typeof names] : name);
}
