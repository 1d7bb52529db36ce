import { Badge, Card, Group, RingProgress, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { percentOf } from '@/ui/money';
import { RankBonuses } from './RankBonuses';
import { useWords } from './words';

interface RankCardProps {
  rank: Schemas['Graduation'] | null;
  /** None after the last one. */
  next: Schemas['NextGraduation'] | null;
}

/** The rank that was reached, and the way to the next one. */
export function RankCard({ rank, next }: RankCardProps) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  return (
    <Card component="section" aria-labelledby="rank" h="100%">
      <Group justify="space-between" mb="sm">
        <Title order={2} fz={15} id="rank">
          {t(($) => $.ranking.title)}
        </Title>
        {rank && <Badge color="gold">{words.rank(rank.name)}</Badge>}
      </Group>
      {rank?.reachedAt && (
        <Text fz="sm" c="dimmed" mb="sm">
          {t(($) => $.ranking.reached, { rank: words.rank(rank.name), day: format.date(rank.reachedAt) })}
        </Text>
      )}
      {next ? (
        <Group wrap="nowrap" gap="md">
          <RingProgress
            size={104}
            thickness={9}
            roundCaps
            sections={[{ value: next.progress, color: 'var(--up)' }]}
            label={
              <Text ta="center" fw={650} className="num">
                {format.percent(percentOf(next.points, next.threshold), 0)}
              </Text>
            }
          />
          <Stack gap={2}>
            <Text fz="sm" fw={600}>
              {t(($) => $.ranking.next, { rank: words.rank(next.name) })}
            </Text>
            <Text fz="sm" c="dimmed" className="num">
              {t(($) => $.ranking.points, {
                points: words.points(next.points),
                threshold: words.points(next.threshold),
              })}
            </Text>
            <Text fz="sm" c="dimmed" component="div">
              <span>{t(($) => $.ranking.bonus)}</span> <Money value={next.bonus} />
            </Text>
          </Stack>
        </Group>
      ) : (
        <Text fz="sm" c="dimmed">
          {rank ? t(($) => $.ranking.last) : t(($) => $.ranking.none)}
        </Text>
      )}
      {rank && (
        <>
          <Title order={3} fz={13.5} c="dimmed" mt="lg" mb="xs">
            {t(($) => $.ranking.bonuses)}
          </Title>
          <RankBonuses />
        </>
      )}
    </Card>
  );
}
