import { Card, Group, SimpleGrid, Skeleton, Text, Title } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Answer } from '@/api/client';
import { $api } from '@/api/hooks';
import { asApiError } from '@/api/problem';
import { standing } from '@/shared/network/standing';
import { ErrorCard } from '@/ui/ErrorCard';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';

type Network = Answer<'/affiliates/dashboard', 'get'>;

/** The binary team at a glance; nothing for who is no member. */
export function BinaryTeam() {
  const { t } = useTranslation('dashboard');
  const network = $api.useQuery('get', '/affiliates/dashboard');
  if (network.error && !network.data)
    return asApiError(network.error).status === 404 ? null : (
      <ErrorCard what={t(($) => $.team.what)} error={network.error} onRetry={network.refetch} />
    );
  if (!network.data) return <Skeleton h={196} radius="lg" data-testid="binary-team-loading" />;
  const { leftMembers, rightMembers, left, right, tonight } = network.data;
  const Icon = tonight.binaryActive ? IconCircleCheck : IconAlertCircle;
  return (
    <Card component="section" aria-labelledby="binary-team">
      <Group justify="space-between" mb="sm">
        <Title order={2} fz={15} id="binary-team">
          {t(($) => $.team.title)}
        </Title>
        <Text component={Link} to="/affiliate-network/binary-tree" fz="sm" c="var(--mantine-color-anchor)">
          {t(($) => $.team.open)}
        </Text>
      </Group>
      <SimpleGrid cols={2} mb="sm">
        <LegOfTeam name={t(($) => $.team.left)} members={leftMembers} points={left} color="var(--up)" />
        <LegOfTeam
          name={t(($) => $.team.right)}
          members={rightMembers}
          points={right}
          color="var(--gold-dot)"
          hatched
        />
      </SimpleGrid>
      <Group gap={6} mb={4}>
        <Icon size={16} color={tonight.binaryActive ? 'var(--up)' : 'var(--gold-text)'} aria-hidden />
        <Text fz="sm">{tonight.binaryActive ? t(($) => $.team.active) : t(($) => $.team.inactive)}</Text>
      </Group>
      <Text fz="sm" c="dimmed" component="div">
        <span>{t(($) => $.team.tonight)}</span>{' '}
        <FlashValue value={tonight.bonus}>
          <Money value={tonight.bonus} />
        </FlashValue>
      </Text>
    </Card>
  );
}

interface LegOfTeamProps {
  name: string;
  members: number;
  points: Network['left'];
  color: string;
  hatched?: boolean;
}

function LegOfTeam({ name, members, points, color, hatched = false }: LegOfTeamProps) {
  const { t } = useTranslation('dashboard');
  const format = useFormat();
  return (
    <div style={{ borderTop: `2px ${hatched ? 'dashed' : 'solid'} ${color}`, paddingTop: 8 }}>
      <Text fz="sm" fw={600}>
        {name}
      </Text>
      <Text fz={12.5} c="dimmed" className="num">
        {t(($) => $.team.leg, {
          members: format.count(members),
          points: format.decimal(standing(points), 0),
        })}
      </Text>
    </div>
  );
}
