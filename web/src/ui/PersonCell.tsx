import { Text } from '@mantine/core';

/** A person in a table: the name above, the handle below. */
export function PersonCell({ person }: { person: { fullName: string; username: string } }) {
  return (
    <div>
      <Text fz="sm" fw={600} truncate maw={220}>
        {person.fullName}
      </Text>
      <Text fz="xs" c="dimmed">
        @{person.username}
      </Text>
    </div>
  );
}
