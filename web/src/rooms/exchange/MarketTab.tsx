import { Alert, Card, Grid, Skeleton, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconInfoCircle } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useGlimpse } from '@/live/live';
import type { OutboundState } from '@/shared/payments/OutboundNotice';
import { ErrorCard } from '@/ui/ErrorCard';
import { ScreenTabs } from '@/ui/ScreenTabs';
import { BookCard } from './BookCard';
import { type Side, showBook, showTrade } from './exchange';
import { OrderForm } from './OrderForm';
import { OwnOrders } from './OwnOrders';
import { PriceCard } from './PriceCard';
import { TradesCard } from './TradesCard';

const PARTS = ['book', 'order', 'own', 'trades'] as const;
type Part = (typeof PARTS)[number];

/** What a press on the book's price fills the form with. */
export interface Wish {
  side: Side;
  price: string;
}

/** The book PYX/USDT, live: price, depth, order, own orders, trades. */
export function MarketTab({ state }: { state: OutboundState | undefined }) {
  const { t } = useTranslation('exchange');
  const phone = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false });
  const [part, setPart] = useState<Part>('book');
  const [wish, setWish] = useState<Wish | null>(null);
  const { data, error, refetch } = $api.useQuery('get', '/orders/book');
  useGlimpse('pyx.book', ({ kind, ...book }) => showBook(book), 'pyx');
  useGlimpse('pyx.trade', ({ kind, ...trade }) => showTrade(trade), 'pyx');
  if (!data)
    return error ? (
      <ErrorCard what={t(($) => $.market.what)} error={error} onRetry={refetch} />
    ) : (
      <Skeleton h={420} radius="md" />
    );
  const choose = (next: Wish) => {
    setWish(next);
    setPart('order');
  };
  const shown = data;
  const parts: Record<Part, ReactNode> = {
    book: <BookCard market={shown} onChoose={choose} />,
    order: <OrderForm key={`${wish?.side} ${wish?.price}`} market={shown} state={state} wish={wish} />,
    own: <OwnOrders />,
    trades: <TradesCard />,
  };
  return (
    <Stack gap="lg">
      {!shown.open && (
        <Alert
          variant="light"
          color="blue"
          icon={<IconInfoCircle size={18} aria-hidden />}
          title={t(($) => $.market.closed)}
          data-testid="market-closed"
        >
          {t(($) => $.market.closedHint)}
        </Alert>
      )}
      <PriceCard market={shown} />
      {phone ? (
        <ScreenTabs
          label={t(($) => $.market.parts)}
          tabs={PARTS.map((name) => ({ name, text: t(($) => $.market[name]) }))}
          shown={part}
          onShow={setPart}
        >
          {part === 'own' ? parts.own : <Card>{parts[part]}</Card>}
        </ScreenTabs>
      ) : (
        <>
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Card>{parts.book}</Card>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Card>{parts.order}</Card>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Card>{parts.trades}</Card>
            </Grid.Col>
          </Grid>
          {parts.own}
        </>
      )}
    </Stack>
  );
}
