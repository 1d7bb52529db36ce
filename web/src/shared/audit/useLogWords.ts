import { useTranslation } from 'react-i18next';

/** The words by which lines of the audit log are said, in the language of now. */
export function useLogWords() {
  const { t } = useTranslation('logs');
  return {
    actions: t(($) => $.actions, { returnObjects: true }),
    payouts: t(($) => $.payouts, { returnObjects: true }),
    deeds: t(($) => $.deeds, { returnObjects: true }),
    details: t(($) => $.details, { returnObjects: true }),
    values: t(($) => $.values, { returnObjects: true }),
    yes: t(($) => $.yes),
    no: t(($) => $.no),
  };
}

export const CATEGORIES = ['auth', 'profile', 'money', 'roles', 'settings', 'support'] as const;

/** The filter by category. */
export function useCategoryField() {
  const { t } = useTranslation('logs');
  return {
    kind: 'select',
    name: 'category',
    label: t(($) => $.columns.category),
    options: CATEGORIES.map((value) => ({ value, label: t(($) => $.categories[value]) })),
  } as const;
}
