import { Card, Group, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { FlashValue } from '@/ui/FlashValue';
import { Money } from '@/ui/Money';
import { toChart } from '@/ui/money';
import { Delta } from '@/ui/StatTile';
import { type Point, TickChart } from '@/ui/TickChart';
import type { Market } from './exchange';

/** Trades that the line shows. */
const POINTS = 200;

/** The last price, what the day did to it, what orders are compared with, and the line of its trades. */
export function PriceCard({ market }: { market: Market }) {
  const { t } = useTranslation('exchange');
  const trades = $api.useQuery('get', '/orders/trades', { params: { query: { limit: POINTS } } });
  const points = useMemo(() => {
    const line: Point[] = [];
    for (const trade of [...(trades.data?.data ?? [])].reverse()) {
      const time = Math.floor(Date.parse(trade.at) / 1000);
      const point = { time, value: toChart(trade.price) };
      // A second is a point: its last trade counts.
      if (line.at(-1)?.time === time) line[line.length - 1] = point;
      else line.push(point);
    }
    return line;
  }, [trades.data]);
  const price = market.last ?? market.reference;
  return (
    <Card>
      <Stack gap="md">
        <Group justify="space-between" gap="md">
          <div>
            <Text fz="sm" c="dimmed">
              {market.last ? t(($) => $.market.last) : t(($) => $.market.reference)}
            </Text>
            <Group gap="sm" align="baseline">
              <Text fz={26} fw={700} component="div" data-testid="last-price">
                {price ? (
                  <FlashValue value={price}>
                    <Money value={price} digits={4} />
                  </FlashValue>
                ) : (
                  '–'
                )}
              </Text>
              {market.last && market.dayFirst && (
                <Delta percent={change(market.dayFirst, market.last)} base={t(($) => $.market.day)} />
              )}
            </Group>
          </div>
          <div>
            <Text fz="sm" c="dimmed">
              {t(($) => $.market.volume)}
            </Text>
            <Text fw={650} component="div">
              <Money value={market.dayQuantity} currency="PYX" digits={2} />
            </Text>
          </div>
          {market.last && market.reference && (
            <div>
              <Text fz="sm" c="dimmed">
                {t(($) => $.market.referenceNow)}
              </Text>
              <Text fw={650} component="div" data-testid="reference">
                <Money value={market.reference} digits={4} />
              </Text>
            </div>
          )}
          {market.low && market.high && (
            <div>
              <Text fz="sm" c="dimmed">
                {t(($) => $.market.band)}
              </Text>
              <Text fw={650} component="div">
                <Money value={market.low} digits={4} unit={false} /> –{' '}
                <Money value={market.high} digits={4} />
              </Text>
            </div>
          )}
        </Group>
        {points.length > 1 ? (
          <TickChart label={t(($) => $.market.chart)} points={points} />
        ) : (
          <Text fz="sm" c="dimmed">
            {t(($) => $.market.fewTrades)}
          </Text>
        )}
      </Stack>
    </Card>
  );
}

/** In percent with two decimals, from one price to another. */
function change(first: string, last: string): string {
  const units = (text: string) => BigInt(text.replace('.', '').padEnd(1, '0'));
  const [from, to] = [units(first), units(last)];
  if (from === 0n) return '0';
  const hundredths = ((to - from) * 10_000n) / from;
  const sign = hundredths < 0n ? '-' : '';
  const text = (hundredths < 0n ? -hundredths : hundredths).toString().padStart(3, '0');
  return `${sign}${text.slice(0, -2)}.${text.slice(-2)}`;
}
