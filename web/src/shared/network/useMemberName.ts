import { useTranslation } from 'react-i18next';
import { hasLeft } from './left';

/** What a member is called in a text or a label; who has left has no name. */
export function useMemberName() {
  const { t } = useTranslation('shell');
  return (username: string) => (hasLeft(username) ? t(($) => $.closing.member) : `@${username}`);
}
