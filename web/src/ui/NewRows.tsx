import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';

interface NewRowsProps {
  /** A list that stands still under the pointer. */
  list: { changed: number; show: () => void };
  label: string;
}

/** How many rows of a calm list want to move; pressed, they do. */
export function NewRows({ list, label }: NewRowsProps) {
  if (list.changed === 0) return null;
  return (
    <Button
      variant="default"
      radius="xl"
      leftSection={<IconRefresh size={16} aria-hidden />}
      onClick={() => list.show()}
    >
      {label}
    </Button>
  );
}
