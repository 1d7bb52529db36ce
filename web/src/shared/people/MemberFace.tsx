import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { MemberName } from '@/shared/network/MemberName';
import { PersonAvatar } from './PersonAvatar';

interface FaceProps {
  username: string;
  /** Whose name is known beside the handle: its initials stand where no picture is. */
  fullName?: string;
  size?: number;
}

/** A member's face beside their name: an ornament, which nobody needs to hear. It takes its place before it has come. */
export const Face = ({ username, fullName = username, size = 24 }: FaceProps) => (
  <span aria-hidden style={{ display: 'inline-flex', flex: 'none', width: size, height: size }}>
    <PersonAvatar person={{ fullName, username }} size={size} />
  </span>
);

/** A member in a table or in a line: the face, and beside it the handle or what is shown instead. */
export const MemberFace = ({ children, ...of }: FaceProps & { children?: ReactNode }) => (
  <Group component="span" display="inline-flex" gap={8} wrap="nowrap" style={{ verticalAlign: 'middle' }}>
    <Face {...of} />
    <span style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
      {children ?? <MemberName username={of.username} />}
    </span>
  </Group>
);
