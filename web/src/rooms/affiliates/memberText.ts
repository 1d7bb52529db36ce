import { useTranslation } from 'react-i18next';
import { useMemberName } from '@/shared/network/useMemberName';
import type { Member } from './tree';
import { useWords } from './words';

/** All that a drawn member says, in one sentence: its name for who does not see it. */
export function useMemberText() {
  const { t } = useTranslation('affiliates');
  const { t: shell } = useTranslation('shell');
  const words = useWords();
  const name = useMemberName();
  return ({ node, more }: Member, me: string) =>
    [
      name(node.username),
      node._id === me ? t(($) => $.tree.you) : null,
      node.leg && words.leg(node.leg),
      node.rank && words.rank(node.rank),
      shell(($) => $.status[node.status]),
      t(($) => $.tree.points, { left: words.points(node.leftPoints), right: words.points(node.rightPoints) }),
      node.binaryActive ? t(($) => $.tree.qualifiedShort) : t(($) => $.tree.notQualifiedShort),
      more ? t(($) => $.tree.hasMore) : null,
    ]
      .filter(Boolean)
      .join(', ');
}
