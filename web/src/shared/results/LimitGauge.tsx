import { Group, Progress, Text } from '@mantine/core';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { percentOf, ratio } from '@/ui/money';

interface LimitGaugeProps {
  label: string;
  used: string;
  max: string;
  /** Gold from 75 %, red from 95 % unless being full is the aim. */
  good?: boolean;
}

export function LimitGauge({ label, used, max, good = false }: LimitGaugeProps) {
  const { percent } = useFormat();
  const share = ratio(used, max);
  const color = good ? 'mint.5' : share >= 0.95 ? 'red.6' : share >= 0.75 ? 'gold.5' : 'mint.5';
  const text = percent(percentOf(used, max), 0);
  return (
    <div>
      <Group justify="space-between" mb={6} gap="xs" wrap="nowrap">
        <Text fz={13} c="dimmed">
          {label}
        </Text>
        <Text fz={13} fw={600} className="num">
          {text}
        </Text>
      </Group>
      <Progress.Root size={8} radius="xl">
        <Progress.Section value={share * 100} color={color} aria-label={label} aria-valuetext={text} />
      </Progress.Root>
      <Text fz={12.5} c="dimmed" mt={6} className="num" component="div">
        <Money value={used} unit={false} /> / <Money value={max} />
      </Text>
    </div>
  );
}
