import { Card, Group, Skeleton, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useBookings } from '@/live/useBookings';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { isNegative } from '@/ui/money';
import { PAID_BY } from './paidBy';

/** One honest line: what part of what one was paid came from trading, and what part from sales of licences. */
export function PaidBy() {
  const { t } = useTranslation('shell');
  const format = useFormat();
  const answer = $api.useQuery('get', PAID_BY);
  // Bonuses are told to the room; what robots and pools bring is told by their bookings.
  useBookings(answer.refetch);
  const { data } = answer;
  if (answer.error && !data)
    return <ErrorCard what={t(($) => $.paidBy.what)} error={answer.error} onRetry={answer.refetch} />;
  if (!data) return <Skeleton h={96} radius="lg" />;
  const { tradingShare, salesShare } = data;
  return (
    <Card component="section" aria-labelledby="paid-by">
      <Group gap={8} mb={6}>
        <Title order={2} fz={15} id="paid-by">
          {t(($) => $.paidBy.title)}
        </Title>
        <ModeBadge mode={data.mode} size="xs" />
      </Group>
      <Text fz="sm">
        {tradingShare && salesShare
          ? t(($) => $.paidBy.shares, {
              trading: format.percent(tradingShare),
              tradingValue: format.usdt(data.trading, 4),
              sales: format.percent(salesShare),
              salesValue: format.usdt(data.sales, 4),
            })
          : t(($) => $.paidBy.nothing)}
      </Text>
      <Text fz={12.5} c="dimmed" mt={4}>
        {isNegative(data.trading) && (
          <span>{`${t(($) => $.paidBy.lost, { value: format.usdt(data.trading.replace('-', ''), 4) })} `}</span>
        )}
        <span>
          {t(($) => $.paidBy.hint, { from: format.date(data.firstDay), to: format.date(data.lastDay) })}
        </span>
      </Text>
    </Card>
  );
}
