import { hasLeft } from './left';
import { useMemberName } from './useMemberName';

/** What a member is called; who has left has no name. */
export function MemberName({ username }: { username: string }) {
  const name = useMemberName();
  return <span translate={hasLeft(username) ? undefined : 'no'}>{name(username)}</span>;
}
