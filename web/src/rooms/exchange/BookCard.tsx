import { Badge, Table, Text, Title, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { isPositive, ratio, subtract } from '@/ui/money';
import { type Level, type Market, type Side, total } from './exchange';
import type { Wish } from './MarketTab';

const SHOWN = 10;

/** Both sides of the book, best prices in the middle; one's own prices are marked. A press fills the form. */
export function BookCard({ market, onChoose }: { market: Market; onChoose: (wish: Wish) => void }) {
  const { t } = useTranslation('exchange');
  const own = $api.useQuery('get', '/orders', {
    params: { query: { status: 'open', limit: 100, sortby: 'created_at' } },
  });
  const mine = new Set(own.data?.data.map(({ side, price }) => `${side} ${price}`));
  const asks = market.book.asks.slice(0, SHOWN);
  const bids = market.book.bids.slice(0, SHOWN);
  const largest = [...asks, ...bids].reduce(
    (most, { quantity }) => (isPositive(subtract(quantity, most)) ? quantity : most),
    '0.000000',
  );
  const [ask, bid] = [asks[0]?.price, bids[0]?.price];
  const rows = (side: Side, levels: readonly Level[]) =>
    levels.map((level) => (
      <Row
        key={`${side} ${level.price}`}
        side={side}
        level={level}
        largest={largest}
        own={mine.has(`${side} ${level.price}`)}
        onChoose={() => onChoose({ side: side === 'buy' ? 'sell' : 'buy', price: level.price })}
      />
    ));
  return (
    <section aria-labelledby="book">
      <Title order={2} fz={17} id="book" mb="sm">
        {t(($) => $.market.book)}
      </Title>
      <Table aria-label={t(($) => $.market.book)} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th ta="right">{t(($) => $.book.price)}</Table.Th>
            <Table.Th ta="right">{t(($) => $.book.quantity)}</Table.Th>
            <Table.Th ta="right">{t(($) => $.book.total)}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {asks.length === 0 ? <Nobody text={t(($) => $.book.noAsks)} /> : rows('sell', [...asks].reverse())}
          <Table.Tr>
            <Table.Td colSpan={3} ta="center">
              <Text fz="sm" c="dimmed" component="div">
                {ask && bid ? (
                  <>
                    <span>{t(($) => $.book.spread)}</span> <Money value={subtract(ask, bid)} digits={4} />
                  </>
                ) : (
                  t(($) => $.book.noSpread)
                )}
              </Text>
            </Table.Td>
          </Table.Tr>
          {bids.length === 0 ? <Nobody text={t(($) => $.book.noBids)} /> : rows('buy', bids)}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Nobody({ text }: { text: string }) {
  return (
    <Table.Tr>
      <Table.Td colSpan={3} ta="center">
        <Text fz="sm" c="dimmed">
          {text}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

interface RowProps {
  side: Side;
  level: Level;
  largest: string;
  own: boolean;
  onChoose: () => void;
}

function Row({ side, level, largest, own, onChoose }: RowProps) {
  const { t } = useTranslation('exchange');
  const format = useFormat();
  const share = ratio(level.quantity, largest) * 100;
  const tint = side === 'buy' ? 'var(--up)' : 'var(--down)';
  return (
    <Table.Tr
      data-side={side}
      style={{
        background: `linear-gradient(to left, color-mix(in srgb, ${tint} 14%, transparent) ${share}%, transparent ${share}%)`,
      }}
    >
      <Table.Td ta="right">
        <UnstyledButton
          onClick={onChoose}
          aria-label={t(($) => $.book[side === 'buy' ? 'sellAt' : 'buyAt'], {
            price: format.decimal(level.price, 4),
          })}
          fz="sm"
          fw={600}
          style={{ color: tint }}
        >
          {own && (
            <Badge size="xs" variant="light" color="gold" mr={6}>
              {t(($) => $.book.own)}
            </Badge>
          )}
          <span>{format.decimal(level.price, 4)}</span>
        </UnstyledButton>
      </Table.Td>
      <Table.Td ta="right" fz="sm">
        <Money value={level.quantity} currency="PYX" digits={2} unit={false} />
      </Table.Td>
      <Table.Td ta="right" fz="sm">
        <Money value={total(level.quantity, level.price)} digits={2} unit={false} />
      </Table.Td>
    </Table.Tr>
  );
}
