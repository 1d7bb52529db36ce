import { Group, Progress, Text } from '@mantine/core';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { percentOf, ratio } from '@/ui/money';

/** How much of a round's supply is sold. */
export function SoldGauge({ label, sold, supply }: { label: string; sold: string; supply: string }) {
  const { percent } = useFormat();
  const share = ratio(sold, supply);
  const text = percent(percentOf(sold, supply), 2);
  return (
    <div data-testid="sold">
      <Group justify="space-between" mb={6} gap="xs" wrap="nowrap">
        <Text fz={13} c="dimmed">
          {label}
        </Text>
        <Text fz={13} fw={600} className="num">
          {text}
        </Text>
      </Group>
      <Progress.Root size={10} radius="xl">
        <Progress.Section value={share * 100} color="mint.5" aria-label={label} aria-valuetext={text} />
      </Progress.Root>
      <Text fz={13} c="dimmed" mt={6} className="num" component="div">
        <Money value={sold} currency="PYX" digits={2} unit={false} /> /{' '}
        <Money value={supply} currency="PYX" digits={2} />
      </Text>
    </div>
  );
}
