/** The room's types and caches. */
import { api, body, type Schemas } from '@/api/client';
import { type PageOf, type ReadPath, refetch, showRow } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { burst } from '@/live/burst';
import { compare, multiply, subtract, truncate } from '@/ui/money';

export type Round = Schemas['PresaleRound'];
export type Rounds = Schemas['PresaleRounds'];
export type Holdings = Schemas['PresaleHoldings'];
export type Market = Schemas['PyxMarket'];
export type Book = Schemas['PyxBook'];
export type Level = Schemas['PyxLevel'];
export type Trade = Schemas['PyxTradeView'];
export type Order = Schemas['PyxOrderView'];
export type StaffRound = Schemas['PresaleRoundRow'];
export type Side = Order['side'];
export const STATUSES: readonly Order['status'][] = ['open', 'filled', 'cancelled'];

const HOLDINGS = '/presale/holdings';
const PRESALE = ['/presale/rounds', HOLDINGS, '/outbound-state'] as const;
export const refetchPresale = () => refetch(...PRESALE);

const isAsked = (path: ReadPath) => queryClient.isFetching({ queryKey: ['get', path] }) > 0;

/** One's own PYX as last told. What is locked moves by a purchase or a claim alone: where it has not, as with one's own trades, rounds and
 *  schedules are as they were. An answer that holds this word already may have been read while it was made: it is asked for again. */
export function showBalances(balances: Holdings['balances']) {
  let told = false;
  queryClient.setQueriesData<Holdings>({ queryKey: ['get', HOLDINGS] }, (known) => {
    if (!known || known.balances.version >= balances.version) return known;
    told = known.balances.locked === balances.locked;
    return { ...known, balances };
  });
  void (told && !isAsked(HOLDINGS) ? refetch('/outbound-state') : refetchPresale());
}

export const buyPresale = mutation({
  send: (order: { round: string; value: string }, key) =>
    body(api.POST('/presale/buy', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: PRESALE,
});

/** What today frees. A refusal says that the screen is behind. */
export const claimVested = mutation({
  send: (_: null, key) =>
    body(api.POST('/presale/claim', { params: { header: { 'Idempotency-Key': key } }, body: {} })),
  changes: PRESALE,
  always: true,
});

const BOOK = '/orders/book';
const TRADES = '/orders/trades';
type TradePage = PageOf<typeof TRADES>;

const BURST_MS = 1_000;
let missed = false;
/** What no sight of the market tells, once for a burst and only where it is shown: the reference, its band and the sums of 24 hours, which
 *  the server reckons from more than the trade, the candle of the hour, and trades that were not seen. */
const market = burst(BURST_MS, () => {
  void refetch(BOOK, '/presale/price-history', ...(missed ? ([TRADES] as const) : []));
  missed = false;
});

/** The depth as last seen. An answer that is on its way may be older. */
export function showBook(book: Book) {
  queryClient.setQueriesData<Market>({ queryKey: ['get', BOOK] }, (known) =>
    known && book.trades >= known.book.trades ? { ...known, book } : known,
  );
  if (isAsked(BOOK)) market.soon();
}

const onTop = (trade: Trade, { data, meta }: TradePage): TradePage => {
  const total = meta.total + 1;
  const lastPage = Math.ceil(total / meta.limit);
  return { data: [trade, ...data].slice(0, meta.limit), meta: { ...meta, total, lastPage, asOf: trade.at } };
};

/** A trade as it is seen: on top of the one before it, and its price the last one. Sights may be lost, and their numbers have no gap: where
 *  one is missing the list is asked for. */
export function showTrade(trade: Trade) {
  missed ||= isAsked(TRADES);
  queryClient.setQueriesData<TradePage>({ queryKey: ['get', TRADES] }, (known) => {
    if (!known) return known;
    const next = (known.data[0]?.number ?? 0) + 1;
    missed ||= trade.number > next;
    return trade.number === next ? onTop(trade, known) : known;
  });
  queryClient.setQueriesData<Market>({ queryKey: ['get', BOOK] }, (known) =>
    known && trade.number >= known.book.trades
      ? { ...known, last: trade.price, dayFirst: known.dayFirst ?? trade.price }
      : known,
  );
  market.soon();
}

/** An order as last told; what may still leave it does not say. */
export function showOrder(order: Order) {
  showRow(['/orders'], order, { whole: true });
  void refetch('/outbound-state');
}

const TRADED = [
  '/orders',
  '/orders/book',
  '/orders/trades',
  '/presale/price-history',
  '/presale/rounds',
  '/presale/holdings',
  '/outbound-state',
] as const;

export const placeOrder = mutation({
  send: (order: { side: Side; price: string; quantity: string; securityCode?: string }, key) =>
    body(api.POST('/orders', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: TRADED,
});

export const cancelOrder = mutation({
  send: ({ id }: { id: string }, key) =>
    api.POST('/orders/{id}/cancel', { params: { path: { id }, header: { 'Idempotency-Key': key } } }),
  changes: TRADED,
});

const STAFF = [QUEUES.rounds.list, '/presale/rounds'] as const;

interface Terms {
  price: string;
  supply: string;
  cap: string;
  startsAt: string;
  endsAt: string;
  cliffDays: number;
  vestingDays: number;
}

/** A new round, or other terms for one that has not begun. */
export const saveRound = mutation({
  send: async ({ id, ...terms }: Terms & { id: string | undefined }, key) =>
    id === undefined
      ? api.POST(QUEUES.rounds.list, { params: { header: { 'Idempotency-Key': key } }, body: terms })
      : api.PATCH('/admin/presale/rounds/{id}', { params: { path: { id } }, body: terms }),
  changes: STAFF,
});

export const decideRound = mutation({
  /** Whoever agrees names the terms that they have seen. A refusal says that the screen is behind. */
  send: async ({ id, revision, what }: { id: string; revision: number; what: 'agree' | 'withdraw' }) => {
    const path = { params: { path: { id } } };
    return what === 'agree'
      ? api.POST('/admin/presale/rounds/{id}/agree', { ...path, body: { revision } })
      : api.POST('/admin/presale/rounds/{id}/withdraw', path);
  },
  changes: STAFF,
  always: true,
});

/** What a value buys: floored, as the server counts. */
export function bought(value: string, price: string): string {
  const scale = 1_000_000n;
  const units = (text: string) => BigInt(truncate(text, 6).replace('.', ''));
  const divisor = units(price);
  if (divisor <= 0n) return '0.000000';
  const pyx = ((units(value) * scale) / divisor).toString().padStart(7, '0');
  return `${pyx.slice(0, -6)}.${pyx.slice(-6)}`;
}

/** What a quantity costs at a price; exact for whole ticks and lots. */
export const total = (quantity: string, price: string): string => multiply(quantity, price, 6, 'down');

/** The largest whole number of lots that money buys at a price. */
export function most(money: string, price: string, lot: string): string {
  const hundredths = bought(money, price);
  return truncate(hundredths, lot.split('.')[1]?.replace(/0+$/, '').length ?? 2);
}

/** Whether a number is a whole number of steps ("0.0001", "0.01"). */
export function onStep(value: string, step: string): boolean {
  const digits = step.replace(/0+$/, '').split('.')[1]?.length ?? 0;
  return compare(value, truncate(value, digits)) === 0;
}

/** What is left of an order. */
export const rest = (order: Order): string => subtract(order.quantity, order.filled);
