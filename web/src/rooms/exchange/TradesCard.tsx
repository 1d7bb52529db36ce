import { Skeleton, Table, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';

const SHOWN = 20;

/** The newest trades of everybody. */
export function TradesCard() {
  const { t } = useTranslation('exchange');
  const format = useFormat();
  const { data, error, refetch } = $api.useQuery('get', '/orders/trades', {
    params: { query: { limit: SHOWN } },
  });
  return (
    <section aria-labelledby="trades">
      <Title order={2} fz={17} id="trades" mb="sm">
        {t(($) => $.market.trades)}
      </Title>
      {!data ? (
        error ? (
          <ErrorCard what={t(($) => $.trades.what)} error={error} onRetry={refetch} />
        ) : (
          <Skeleton h={200} radius="md" />
        )
      ) : data.data.length === 0 ? (
        <Text fz="sm" c="dimmed">
          {t(($) => $.trades.none)}
        </Text>
      ) : (
        <Table aria-label={t(($) => $.market.trades)} verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t(($) => $.trades.time)}</Table.Th>
              <Table.Th ta="right">{t(($) => $.book.price)}</Table.Th>
              <Table.Th ta="right">{t(($) => $.book.quantity)}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.data.map((trade) => (
              <Table.Tr key={trade.number}>
                <Table.Td fz="sm" className="num">
                  {format.time(trade.at, true)}
                </Table.Td>
                <Table.Td ta="right" fz="sm" style={{ whiteSpace: 'nowrap' }}>
                  <Text span fz="sm" fw={600} c={trade.side === 'buy' ? 'var(--up)' : 'var(--down)'}>
                    <span>{trade.side === 'buy' ? '▲' : '▼'}</span>{' '}
                    <span>{format.decimal(trade.price, 4)}</span>
                  </Text>
                </Table.Td>
                <Table.Td ta="right" fz="sm">
                  <Money value={trade.quantity} currency="PYX" digits={2} unit={false} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}
