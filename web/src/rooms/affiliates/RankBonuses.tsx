import { Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { Brief } from '@/shared/payments/Brief';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { plainList } from '@/ui/plainList';
import { OWN_GRADUATIONS, RANKS } from './network';
import { useWords } from './words';

/** Each rank that one reached, with what became of its bonus. */
export function RankBonuses() {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  const own = $api.useQuery('get', OWN_GRADUATIONS, { params: { query: { limit: RANKS.length } } });
  if (own.error && !own.data)
    return <ErrorCard what={t(($) => $.ranking.whatBonuses)} error={own.error} onRetry={own.refetch} />;
  if (!own.data) return <Skeleton h={48} radius="md" data-testid="rank-bonuses-loading" />;
  return (
    <Stack component="ul" gap="sm" {...plainList} aria-label={t(($) => $.ranking.bonuses)}>
      {own.data.data.map((row) => (
        <li key={row._id}>
          <Group justify="space-between" gap="xs">
            <Group gap="xs">
              <Badge color="gold">{words.rank(row.rank)}</Badge>
              <Text fz="sm" component="div">
                <Money value={row.bonus} />
              </Text>
            </Group>
            {row.status !== 'empty' && <StatusBadge status={row.status} size="sm" />}
          </Group>
          <Group justify="space-between" gap="xs" mt={2}>
            <Text fz={12.5} c="dimmed">
              {row.status === 'empty'
                ? t(($) => $.ranking.noBonus)
                : row.paidAt
                  ? t(($) => $.ranking.paidAt, { day: format.date(row.paidAt) })
                  : t(($) => $.ranking.reachedAt, { day: format.date(row.created_at) })}
            </Text>
            {row.bonusPaymentHash && (
              <Text fz={12.5} component="div">
                <Brief text={row.bonusPaymentHash} label={t(($) => $.staff.graduation.copyHash)} />
              </Text>
            )}
          </Group>
        </li>
      ))}
    </Stack>
  );
}
