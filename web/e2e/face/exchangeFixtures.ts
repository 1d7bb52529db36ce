/** PYX as the server tells of it: rounds, holdings, the book. */

import { ago, ahead, DAY, MINUTE } from './clock';
import { OUTBOUND, page } from './fixtures';

export const at = (days: number) => ahead(days * DAY);
export const date = (days: number) => at(days).slice(0, 10);
export const round = (number: number, more: object = {}) => ({
  _id: `018f0000-0000-7000-8000-0000000007${String(number).padStart(2, '0')}`,
  number,
  state: 'open',
  price: '0.050000',
  supply: '1000000.000000',
  sold: '412350.250000',
  cap: '50000.000000',
  startsAt: at(-5),
  endsAt: at(9),
  cliffDays: 30,
  vestingDays: 180,
  firstDay: date(40),
  lastDay: date(219),
  ownBought: '5000.000000',
  ownCapLeft: '45000.000000',
  version: 9,
  ...more,
});
const PAST = round(1, {
  state: 'ended',
  price: '0.030000',
  startsAt: at(-60),
  endsAt: at(-46),
  firstDay: date(-10),
});
const HOLDINGS = {
  balances: { free: '82.500000', locked: '9917.500000', held: '10.000000', version: 5 },
  claimable: '27.500000',
  claimedToday: null,
  next: { day: date(1), pyx: '27.500000' },
  schedules: [
    {
      round: PAST._id,
      number: 1,
      price: '0.030000',
      bought: '5000.000000',
      paid: '150.000000',
      vested: '110.000000',
      claimed: '82.500000',
      perDay: '27.777777',
      firstDay: date(-10),
      lastDay: date(169),
      days: 180,
    },
    {
      round: round(2)._id,
      number: 2,
      price: '0.050000',
      bought: '5000.000000',
      paid: '250.000000',
      vested: '0.000000',
      claimed: '0.000000',
      perDay: '27.777777',
      firstDay: date(40),
      lastDay: date(219),
      days: 180,
    },
  ],
  purchases: [],
};
const HISTORY = {
  rounds: [
    { number: 1, price: '0.030000', startsAt: at(-60), endsAt: at(-46) },
    { number: 2, price: '0.050000', startsAt: at(-5), endsAt: at(9) },
  ],
  candles: [],
};
const EMPTY = { balances: { free: '0.000000', locked: '0.000000', held: '0.000000', version: 0 } };
export const NOTHING = {
  ...EMPTY,
  claimable: '0.000000',
  claimedToday: null,
  next: null,
  schedules: [],
  purchases: [],
};
const level = (price: string, quantity: string) => ({ price, quantity });
export const MARKET = {
  open: true,
  book: {
    bids: [level('0.052000', '1200.000000'), level('0.051500', '300.500000'), level('0.050000', '80.000000')],
    asks: [level('0.053000', '500.000000'), level('0.053500', '2100.000000')],
    trades: 3,
  },
  reference: '0.052400',
  low: '0.042000',
  high: '0.062800',
  fairBuy: '0.052300',
  fairSell: '0.052400',
  tick: '0.000100',
  lot: '0.010000',
  last: '0.052500',
  dayFirst: '0.051000',
  dayQuantity: '4210.000000',
};
export const trade = (number: number, price: string, side: string) => ({
  number,
  price,
  quantity: '125.000000',
  side,
  at: ago((10 - number) * MINUTE),
});
const TRADES = page([trade(3, '0.052500', 'buy'), trade(2, '0.052000', 'sell'), trade(1, '0.051000', 'buy')]);
export const order = (n: number, more: object = {}) => ({
  _id: `018f0000-0000-7000-8000-0000000008${String(n).padStart(2, '0')}`,
  side: 'buy',
  price: '0.052000',
  quantity: '1000.000000',
  filled: '250.000000',
  total: '13.000000',
  status: 'open',
  end: null,
  created_at: at(-0.1),
  updated_at: at(-0.1),
  version: 2,
  ...more,
});
const ORDERS = page([
  order(1),
  order(2, { side: 'sell', price: '0.060000', filled: '1000.000000', status: 'filled', total: '60.000000' }),
  order(3, { status: 'cancelled', end: 'self_trade' }),
]);
/** As who decides on rounds sees one. */
export const staffRound = (number: number, more: object = {}) => ({
  _id: round(number)._id,
  number,
  status: 'agreed',
  price: '0.050000',
  supply: '1000000.000000',
  sold: '412350.250000',
  raised: '20617.512500',
  cap: '50000.000000',
  startsAt: at(-5),
  endsAt: at(9),
  cliffDays: 30,
  vestingDays: 180,
  revision: 1,
  buyers: 37,
  proposedBy: '018f0000-0000-7000-8000-000000000099',
  proposedName: 'danielprado2',
  agreedName: 'anaprado21',
  editable: false,
  created_at: at(-6),
  ...more,
});
export const answers = (more: object = {}) => ({
  'GET /outbound-state': OUTBOUND,
  'GET /presale/rounds': { current: round(2), next: null, past: [PAST] },
  'GET /presale/holdings': HOLDINGS,
  'GET /presale/price-history': HISTORY,
  'GET /orders/book': MARKET,
  'GET /orders/trades': TRADES,
  'GET /orders': ORDERS,
  ...more,
});
