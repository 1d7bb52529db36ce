/** By whom a list of tickets is narrowed: oneself, nobody, somebody, or one colleague. */
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { TAKEN, useAgents } from './desk';

export function useHolders(chosen: string | undefined) {
  const { t } = useTranslation('desk');
  const me = useUser()?._id;
  const agents = useAgents(true).data?.data ?? [];
  const options: { value: string; label: string }[] = [
    ...TAKEN.map((value) => ({ value, label: t(($) => $.list.takenBy[value]) })),
    // Oneself has a word already.
    ...agents.filter(({ _id }) => _id !== me).map(({ _id, name }) => ({ value: _id, label: name })),
  ];
  // Until their names are here, and for who answers no more: an id says nothing to anybody.
  if (chosen && !options.some(({ value }) => value === chosen))
    options.push({ value: chosen, label: t(($) => $.list.colleague) });
  return options;
}
