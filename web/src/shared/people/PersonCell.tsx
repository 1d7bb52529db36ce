import { Anchor, Group, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useCan } from '@/api/session';
import { hasLeft } from '@/shared/network/left';
import { useMemberName } from '@/shared/network/useMemberName';
import { PersonAvatar } from './PersonAvatar';

export const personPath = (id: string) => `/administrator/users/view/${encodeURIComponent(id)}`;

interface PersonLinkProps {
  /** None where a list knows the name alone: then it is searched for. */
  id: string | null;
  username: string;
  children?: ReactNode;
}

/** Somebody's handle, or that they have left: one click leads to them, for who may see people. */
export function PersonLink({ id, username, children }: PersonLinkProps) {
  const views = useCan('customer-service_user-view');
  const lists = useCan('customer-service_list-users');
  const name = useMemberName()(username);
  const to =
    id !== null
      ? views && personPath(id)
      : lists && `/administrator/users/list?search=${encodeURIComponent(username)}`;
  if (!to) return <>{children ?? name}</>;
  // Whoever may look at people tells those who have left from one another.
  const shown = children ?? (hasLeft(username) ? `${name} · @${username}` : name);
  return (
    <Anchor component={Link} to={to} fz="inherit" fw="inherit" c="inherit" underline="hover" data-person>
      {shown}
    </Anchor>
  );
}

/** Somebody's handle in a line of text. */
export const PersonHandle = ({ id = null, username }: { id?: string | null; username: string }) => (
  <span translate={hasLeft(username) ? undefined : 'no'}>
    <PersonLink id={id} username={username} />
  </span>
);

/** Several of whom the handles alone are known. */
export const PersonHandles = ({ names }: { names: readonly (string | null | undefined)[] }) =>
  names
    .flatMap((name) => name || [])
    .map((name, at) => (
      <Fragment key={name}>
        {at > 0 && ', '}
        <PersonHandle username={name} />
      </Fragment>
    ));

type Person = { fullName: string; username: string; avatar?: string | null } & (
  | { _id: string }
  | { user: string }
);

/** Somebody among the facts of a decision. */
export const PersonFact = ({ person, more }: { person: Person; more?: string }) => (
  <span translate="no">
    <PersonLink id={'user' in person ? person.user : person._id} username={person.username}>
      {`${person.fullName} · @${person.username}`}
    </PersonLink>
    {more !== undefined && ` · ${more}`}
  </span>
);

interface PersonCellProps {
  person: Person;
  /** Where `_id` is that of the row. */
  id?: string;
  /** A longer name is cut. */
  width?: number;
  children?: ReactNode;
}

/** A person in a table: the picture, the name above, the handle below. */
export function PersonCell({ person, id, width = 220, children }: PersonCellProps) {
  const own = 'user' in person ? person.user : person._id;
  return (
    <Group gap="sm" wrap="nowrap">
      <PersonAvatar person={person} size={32} />
      <div style={{ minWidth: 0 }}>
        <Text fz="sm" fw={600} truncate maw={width} component="div" translate="no">
          <PersonLink id={id ?? own} username={person.username}>
            {person.fullName}
          </PersonLink>
        </Text>
        <Text fz="xs" c="dimmed">
          <span translate="no">@{person.username}</span>
        </Text>
        {children}
      </div>
    </Group>
  );
}
