import { useTranslation } from 'react-i18next';
import { hasLeft } from './left';

/** What a member is called; who has left has no name. */
export function MemberName({ username }: { username: string }) {
  const { t } = useTranslation('shell');
  if (hasLeft(username)) return <span>{t(($) => $.closing.member)}</span>;
  return <span translate="no">@{username}</span>;
}
