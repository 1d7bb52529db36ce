/** A customer's analytics and last movements, as the server tells them. */
import { ago, HOUR } from './clock';

const day = (n: number) => new Date(Date.UTC(2026, 9, 22 + n)).toISOString().slice(0, 10);
const sums = (net: string, operations = 12, hits = 9) => ({
  gain: net.startsWith('-') ? '0.000000' : net,
  loss: net.startsWith('-') ? net.slice(1) : '0.000000',
  net,
  fees: '0.120000',
  operations,
  hits,
});
const NETS = Array.from({ length: 30 }, (_, n) => (Math.sin(n * 1.7) * 6 + 1.5).toFixed(6));
let owned = 47_900;
export const ANALYTICS = {
  firstDay: day(0),
  lastDay: day(29),
  mode: 'simulated',
  modes: ['simulated', 'live'],
  booked: true,
  total: sums('48.203311', 360, 270),
  days: NETS.map((net, n) => ({ day: day(n), ...sums(net) })),
  robots: [
    { licence: '018f0000-0000-7000-8000-000000000001', number: 1, ...sums('52.120000') },
    { licence: '018f0000-0000-7000-8000-000000000002', number: 2, ...sums('-3.916689') },
  ],
  routes: [
    { route: 'USDT → BTC (Aurora) → USDT (Boreal)', ...sums('30.100000', 210, 170) },
    { route: 'USDT → BTC → ETH → USDT', ...sums('-2.000000', 90, 60) },
  ],
  otherRoutes: sums('20.103311', 60, 40),
  otherRoutesCount: 7,
  bonus: [
    { day: day(3), kind: 'level', amount: '12.000000' },
    { day: day(9), kind: 'binary', amount: '4.500000' },
    { day: day(9), kind: 'graduation_bonus', amount: '50.000000' },
  ],
  bonusMonth: '54.500000',
  equity: NETS.map((net, n) => {
    owned += Number(net);
    const paidIn = n < 12 ? '43000.000000' : '50000.000000';
    const netPaidIn = n < 12 ? '40000.000000' : '47000.000000';
    return { day: day(n), total: owned.toFixed(6), paidIn, takenOut: '3000.000000', netPaidIn };
  }),
  drawdown: NETS.map((_, n) => ({ day: day(n), amount: (-Math.abs(Math.sin(n / 3)) * 8).toFixed(6) })),
  deposited: true,
  goldTrader: true,
  nextFree: { day: '2026-12-02', amount: '150.000000' },
};
/** Of somebody without operations. */
export const NOTHING = {
  ...ANALYTICS,
  modes: [],
  total: sums('0.000000', 0, 0),
  days: ANALYTICS.days.map((one) => ({ ...one, ...sums('0.000000', 0, 0) })),
  robots: [],
  routes: [],
  otherRoutesCount: 0,
  bonus: [],
  bonusMonth: '0.000000',
  equity: ANALYTICS.equity.map((one) => ({
    ...one,
    total: '0.000000',
    paidIn: '0.000000',
    takenOut: '0.000000',
    netPaidIn: '0.000000',
  })),
  deposited: false,
  goldTrader: false,
  nextFree: null,
};
const line = (n: number, kind: string, more: object) => ({
  _id: `t${n}:0`,
  transfer: `t${n}`,
  at: ago(n * HOUR),
  kind,
  account: 'available',
  licence: null,
  credit: null,
  debit: null,
  balance: '48213.570000',
  cause: 'c',
  mode: null,
  reversal: false,
  ...more,
});
/** What changed a balance: nothing but what is said. */
export const flows = (more: object = {}) => ({
  entries: '0.000000',
  exits: '0.000000',
  results: '0.000000',
  bonus: '0.000000',
  licences: '0.000000',
  exchange: '0.000000',
  sponsorship: '0.000000',
  loans: '0.000000',
  corrections: '0.000000',
  own: '0.000000',
  ...more,
});
export const STATEMENT = {
  data: [
    line(1, 'deposit_pix', { credit: '250.000000' }),
    line(5, 'topup', { debit: '150.000000' }),
    line(9, 'bonus', { credit: '12.000000', account: 'bonus' }),
  ],
  meta: { page: 1, limit: 6, total: 3, lastPage: 1 },
  currency: 'USDT',
  startDate: '2026-10-22',
  endDate: '2026-11-20',
  opening: '0.000000',
  closing: '262.000000',
  flows: flows({ entries: '250.000000', bonus: '12.000000' }),
  credits: null,
  debits: null,
};

export const event = (n: number, kind: string, amount: string, more: object = {}) => ({
  _id: `e${n}`,
  at: ago(n * HOUR),
  kind,
  state: 'done',
  amount,
  moved: null,
  pyx: null,
  licence: null,
  counterparty: null,
  mode: null,
  movements: 1,
  transfers: [`01990000-0000-7000-8000-0000000000${String(n).padStart(2, '0')}`],
  ...more,
});
const STILL = '0.000000';
/** The same in its person's words, and what else may stand there. */
export const ACTIVITY = {
  data: [
    event(1, 'withdrawal_pix', '-50.000000', {
      state: 'paid',
      movements: 2,
      transfers: ['01990000-0000-7000-8000-000000000002', '01990000-0000-7000-8000-000000000001'],
    }),
    event(2, 'withdrawal_crypto', STILL, { state: 'waiting', moved: '60.000000' }),
    event(3, 'transfer_sent', '-25.000000', { counterparty: 'ana21' }),
    event(4, 'licence_purchase', '-100.000000', { licence: 2 }),
    event(5, 'topup', STILL, { licence: 1, moved: '150.000000' }),
    event(6, 'deposit_pix', '58.800000'),
  ],
  meta: { page: 1, limit: 6, total: 6, lastPage: 1 },
  startDate: '2026-10-22',
  endDate: '2026-11-20',
  opening: '500.000000',
  closing: '383.800000',
  flows: flows({ entries: '58.800000', exits: '75.000000', licences: '-100.000000' }),
};

export const PAID_BY = {
  firstDay: '2025-12-01',
  lastDay: '2026-11-20',
  mode: 'simulated',
  robots: '212.400000',
  pools: '37.600000',
  trading: '250.000000',
  sales: '750.000000',
  residual: '18.250000',
  tradingShare: '25.00',
  salesShare: '75.00',
};
export const PAID_NOTHING = {
  ...PAID_BY,
  robots: '-3.500000',
  pools: '0.000000',
  trading: '-3.500000',
  sales: '0.000000',
  residual: '0.000000',
  tradingShare: null,
  salesShare: null,
};
