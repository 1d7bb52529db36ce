import { Group, Text } from '@mantine/core';
import { brief } from '@/live/chain/deposits';
import { CopyText } from '@/ui/CopyText';

/** An address or a hash: short, whole when copied. */
export function Brief({ text, label }: { text: string; label: string }) {
  if (text === '') return <span>–</span>;
  return (
    <Group gap={4} wrap="nowrap">
      <Text span fz="xs" ff="monospace" translate="no" title={text}>
        {brief(text)}
      </Text>
      <CopyText value={text} label={label} />
    </Group>
  );
}
