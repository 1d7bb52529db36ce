import { Text } from '@mantine/core';
import { useLogWords } from './useLogWords';
import { actionOf, detailsOf, type Log } from './words';

interface DeedProps {
  row: Log;
  /** What was changed stands here as well, not in columns of its own. */
  change?: boolean;
}

/** What was done, in words, and what stands beside it. */
export function Deed({ row, change = false }: DeedProps) {
  const words = useLogWords();
  const { before, after, rest } = detailsOf(words, row);
  const changed = change && (before !== null || after !== null) ? `${before ?? '–'} → ${after ?? '–'}` : '';
  return (
    <div style={{ minWidth: 0 }}>
      <Text fz="sm" fw={500} title={row.action}>
        {actionOf(words, row.action)}
      </Text>
      {[changed, rest]
        .filter((line) => line !== '')
        .map((line) => (
          <Text key={line} fz="xs" c="dimmed" maw={320} style={{ overflowWrap: 'anywhere' }}>
            {line}
          </Text>
        ))}
    </div>
  );
}
