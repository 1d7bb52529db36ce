import { Card, Group, SimpleGrid, Table, Text, UnstyledButton } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Licence, useLicences } from '@/live/licences';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { Sparkline } from '@/ui/Sparkline';

interface RobotProps {
  id: string;
  onOpen: (id: string) => void;
}

function Ticking({ value, sign = false }: { value: string; sign?: boolean }) {
  return (
    <FlashValue value={value}>
      <Money value={value} digits={4} unit={false} sign={sign} />
    </FlashValue>
  );
}

function Line({ robot, width }: { robot: Licence; width: number | string }) {
  const spark = useLicences((book) => book.spark[robot._id]);
  const color = robot.today.startsWith('-') ? 'var(--down)' : 'var(--up)';
  return <Sparkline data={spark ?? []} height={28} width={width} color={color} />;
}

function Name({ robot, onOpen }: { robot: Licence; onOpen: (id: string) => void }) {
  const { t } = useTranslation('robots');
  return (
    <UnstyledButton fw={600} fz="sm" py={8} onClick={() => onOpen(robot._id)}>
      {t(($) => $.name, { number: robot.number })}
    </UnstyledButton>
  );
}

/** One robot: subscribed to itself alone, so that a tick renders one row. */
export const RobotRow = memo(function RobotRow({ id, onOpen }: RobotProps) {
  const { percent } = useFormat();
  const robot = useLicences((book) => book.byId[id]);
  if (!robot) return null;
  return (
    <Table.Tr data-row data-robot={id}>
      <Table.Td>
        <Name robot={robot} onOpen={onOpen} />
      </Table.Td>
      <Table.Td w={130}>
        <Line robot={robot} width={120} />
      </Table.Td>
      <Table.Td ta="right">
        <Ticking value={robot.allocated} />
      </Table.Td>
      <Table.Td ta="right" data-testid="today">
        <Ticking value={robot.today} sign />
      </Table.Td>
      <Table.Td ta="right" data-testid="yield">
        <Ticking value={robot.yield} />
      </Table.Td>
      <Table.Td ta="right" className="num">
        {percent(robot.dailyGainGoal)}
      </Table.Td>
      <Table.Td ta="right">
        <Money value={robot.limitLeft} unit={false} />
      </Table.Td>
      <Table.Td>
        <ModeBadge mode={robot.mode} size="xs" />
      </Table.Td>
      <Table.Td>
        <StatusBadge status={robot.robotStatus} size="xs" />
      </Table.Td>
    </Table.Tr>
  );
});

/** The same on a phone. */
export const RobotCard = memo(function RobotCard({ id, onOpen }: RobotProps) {
  const { t } = useTranslation('robots');
  const { percent } = useFormat();
  const robot = useLicences((book) => book.byId[id]);
  if (!robot) return null;
  const facts: [string, ReactNode][] = [
    [t(($) => $.allocated), <Ticking key="a" value={robot.allocated} />],
    [t(($) => $.yield), <Ticking key="y" value={robot.yield} />],
    [t(($) => $.goal), percent(robot.dailyGainGoal)],
    [t(($) => $.limit), <Money key="l" value={robot.limitLeft} unit={false} />],
  ];
  return (
    <Card component="li" p="md" data-robot={id}>
      <Group justify="space-between" gap={8} wrap="nowrap">
        <Group gap={8}>
          <Name robot={robot} onOpen={onOpen} />
          <ModeBadge mode={robot.mode} size="xs" />
        </Group>
        <StatusBadge status={robot.robotStatus} size="xs" />
      </Group>
      <Group justify="space-between" gap="md" my="sm" wrap="nowrap">
        <Line robot={robot} width="100%" />
        <div style={{ textAlign: 'right' }}>
          <Text fz={12.5} c="dimmed">
            {t(($) => $.today)}
          </Text>
          <Text fw={600} component="div" data-testid="today">
            <Ticking value={robot.today} sign />
          </Text>
        </div>
      </Group>
      <SimpleGrid cols={2} spacing="xs" verticalSpacing={6}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <Text fz={12.5} c="dimmed">
              {label}
            </Text>
            <span className="num">{value}</span>
          </div>
        ))}
      </SimpleGrid>
    </Card>
  );
});
