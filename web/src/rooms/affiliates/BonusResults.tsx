import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { useCan } from '@/api/session';
import { personPath } from '@/shared/people/PersonCell';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { subtract } from '@/ui/money';
import { Pairs } from '@/ui/Pairs';
import { plainList } from '@/ui/plainList';

type Results = Schemas['BonusResults'];
type Robot = Schemas['BonusRobot'];

interface BonusResultsProps {
  results: Results;
  /** What the percentage was taken of. */
  base: string;
}

/** What a residual bonus was reckoned from: what each robot brought on the day, and what was set off. */
export function BonusResults({ results, base }: BonusResultsProps) {
  const { t } = useTranslation('affiliates');
  const sums = [
    ['together', results.result],
    ['setOff', results.setOff],
    ['base', base],
  ] as const;
  return (
    <>
      <Stack component="ul" gap={8} {...plainList} aria-label={t(($) => $.robots.title)}>
        {results.robots.map((robot) => (
          <RobotRow key={`${robot.licence._id}${robot.mode}`} robot={robot} member={results.member} />
        ))}
      </Stack>
      <div style={{ marginTop: 8 }}>
        <Pairs
          columns={sums.map(([name, value]) => ({
            key: name,
            label: t(($) => $.robots[name]),
            render: () => <Money value={value} digits={6} />,
          }))}
          row={results}
        />
      </div>
    </>
  );
}

function RobotRow({ robot, member }: { robot: Robot; member: string }) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const views = useCan('customer-service_user-view');
  const licence = t(($) => $.sales.licence, { number: robot.licence.number });
  return (
    <li>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
        <div style={{ minWidth: 0 }}>
          <Group gap={6}>
            <Text fz="sm" fw={600} component="div">
              {views ? (
                <Anchor
                  component={Link}
                  to={`${personPath(member)}?tab=licences`}
                  fz="inherit"
                  c="inherit"
                  underline="hover"
                >
                  {licence}
                </Anchor>
              ) : (
                <span>{licence}</span>
              )}
            </Text>
            <ModeBadge mode={robot.mode} size="xs" />
          </Group>
          <Text fz="xs" c="dimmed" component="div">
            <span>
              {t(($) => $.robots.operations, {
                count: robot.operations,
                shown: format.count(robot.operations),
              })}
            </span>
            {' · '}
            <span>
              {t(($) => $.robots.parts, {
                gain: format.usdt(robot.gain, 6),
                loss: format.usdt(robot.loss, 6),
              })}
            </span>
          </Text>
        </div>
        <Money value={subtract(robot.gain, robot.loss)} digits={6} sign />
      </Group>
    </li>
  );
}
