import { useTranslation } from 'react-i18next';

/** The server's names of accounts whose owners have left: nobody is called like that [docs/rules/privacy.md#closing]. */
const LEFT = 'closed-';

/** What a member is called; who has left has no name. */
export function MemberName({ username }: { username: string }) {
  const { t } = useTranslation('shell');
  if (username.startsWith(LEFT)) return <span>{t(($) => $.closing.member)}</span>;
  return <span translate="no">@{username}</span>;
}
