/** A customer's licences, robots and results, as the server tells them. */
import { ACTIVITY, ANALYTICS, NOTHING, PAID_BY, PAID_NOTHING, STATEMENT } from './analyticsFixtures';
import { ago, SECOND } from './clock';

/** What may leave: nothing is held or paused. */
export const OUTBOUND = {
  factor: 'email',
  hold: null,
  pause: null,
  debt: '0.000000',
  spendable: '48213.570000',
  young: '0.000000',
  youngUntil: null,
  perTransaction: '50000.000000',
  perDay: '100000.000000',
  leftToday: '100000.000000',
  transferFee: '0.000000',
  whitelistOn: false,
  ordersBound: false,
};

const PLAN = '018f0000-0000-7000-8000-0000000000p';

export const plan = (n: number, value: string, isHighRisk = false) => ({
  _id: `${PLAN}${n}`,
  value: `${value}.000000`,
  isHighRisk,
  allocationLimit: `${Number(value) * 5}.000000`,
  maximumReturn: '200.00',
  networkCeiling: '400.00',
});
export const PLANS = [plan(1, '100'), plan(2, '250'), plan(3, '1000'), plan(4, '250', true)];

export const licence = (number: number, more: object = {}) => ({
  _id: `018f0000-0000-7000-8000-0000000000${String(number).padStart(2, '0')}`,
  plan: `${PLAN}2`,
  number,
  value: '250.000000',
  isHighRisk: false,
  state: 'active',
  robotStatus: 'operating',
  joinsAt: null,
  paused: false,
  price: '0.000000',
  topup: '150.000000',
  topupDate: '2026-10-02T12:00:00Z',
  allocated: '1050.250000',
  reserved: '12.000000',
  yield: '83.412907',
  loan: '0.000000',
  loanTaken: '0.000000',
  stoppedByLoan: false,
  allocationLimit: '1250.000000',
  maximumReturn: '500.000000',
  limitLeft: '411.200000',
  networkCeiling: '1000.000000',
  networkUsed: '30.000000',
  manualKey: false,
  manualRevoked: false,
  dailyGainGoal: '1.00',
  isFinal: true,
  cancellableUntil: null,
  today: '4.203311',
  totalGain: '96.102334',
  totalLoss: '12.689427',
  operations: 5,
  mode: 'simulated',
  created_at: '2026-10-01T12:00:00Z',
  version: 8,
  ...more,
});
export const LICENCES = [
  licence(1),
  licence(2, { isHighRisk: true, today: '-1.110200', manualKey: false }),
  licence(3, { robotStatus: 'paused', paused: true, today: '0.000000', operations: 0 }),
  licence(4, {
    robotStatus: 'idle',
    allocated: '0.000000',
    today: '0.000000',
    operations: 0,
    yield: '0.000000',
  }),
  licence(5, {
    state: 'ceiling_reached',
    robotStatus: 'ceiling_reached',
    limitLeft: '0.000000',
    operations: 0,
  }),
  licence(6, {
    state: 'active',
    robotStatus: 'idle',
    topup: '0.000000',
    allocated: '0.000000',
    isFinal: false,
    price: '250.000000',
    cancellableUntil: '2030-01-01T12:00:00Z',
    operations: 0,
  }),
];

export const page = <T>(data: readonly T[]) => ({
  data,
  meta: { page: 1, limit: 10, total: data.length, lastPage: 1 },
});

const order = (n: number, result: string, more: object = {}) => ({
  _id: `018f0000-0000-7000-8000-00000000o${String(n).padStart(3, '0')}`,
  mode: 'simulated',
  route: 'USDT → BTC → ETH → USDT',
  legs: [
    { venue: 'Aurora', symbol: 'BTC/USDT', side: 'buy', quantity: '0.00123', price: '97213.41', fee: '0.09' },
    { venue: 'Aurora', symbol: 'ETH/BTC', side: 'buy', quantity: '0.0352', price: '0.03491', fee: '0.09' },
    { venue: 'Boreal', symbol: 'ETH/USDT', side: 'sell', quantity: '0.0352', price: '3401.22', fee: '0.09' },
  ],
  volume: '119.572494',
  fees: '0.268000',
  result,
  cut: '0.000000',
  manual: false,
  unwound: false,
  created_at: ago(n * 20 * SECOND),
  ...more,
});
export const ORDERS = [
  order(1, '0.412300'),
  order(2, '-0.101200', { unwound: true }),
  order(3, '1.200000', { cut: '-0.200000', mode: 'paper' }),
  order(4, '0.051200', { mode: 'live' }),
  order(5, '2.641011'),
];

export const RESULTS = {
  myResults: {
    mode: 'simulated',
    total: '50213.570000',
    available: '48213.570000',
    bonus: '12.000000',
    pools: '0.000000',
    totalAccounts: [
      'available',
      'held',
      'bonus',
      'sponsored',
      'debt',
      'pool_principal',
      'topup',
      'allocated',
      'yield',
      'loan',
    ],
    invested: '4951.000000',
    sponsored: '0.000000',
    paidIn: '50000.000000',
    takenOut: '3000.000000',
    netPaidIn: '47000.000000',
    result: '417.064535',
    topup: '750.000000',
    allocated: '4201.000000',
    yield: '333.651628',
    today: '3.093111',
    totalGain: '480.511670',
    totalLoss: '63.447135',
    operations: 10,
    yieldDays: [5, 20],
    nextYieldDay: '2030-12-05',
    robots: LICENCES.slice(0, 2),
  },
};

/** The answers of a customer with robots at work. */
export const AT_WORK = {
  'GET /get-user-licenses': page(LICENCES),
  'GET /licences/plans': PLANS,
  'GET /licences/terms': { cancelDays: 7, lockedDays: 30 },
  'GET /dashboard/my-results': RESULTS,
  'GET /statement': STATEMENT,
  'GET /activity': ACTIVITY,
  'GET /dashboard/paid-by': PAID_BY,
  ...Object.fromEntries(['7d', '30d', '90d', 'all'].map((p) => [`GET /dashboard/analytics/${p}`, ANALYTICS])),
  ...Object.fromEntries(LICENCES.map(({ _id }) => [`GET /trader/orders-history/${_id}`, page(ORDERS)])),
};
/** The answers of somebody who has just come. */
export const FRESH = {
  'GET /get-user-licenses': page([]),
  'GET /licences/plans': PLANS,
  'GET /licences/terms': { cancelDays: 7, lockedDays: 30 },
  'GET /dashboard/paid-by': { ...PAID_NOTHING, trading: '0.000000' },
  'GET /statement': { ...STATEMENT, ...page([]) },
  'GET /activity': { ...ACTIVITY, ...page([]) },
  'GET /dashboard/analytics/30d': NOTHING,
  'GET /dashboard/my-results': {
    myResults: {
      ...RESULTS.myResults,
      total: '0.000000',
      available: '0.000000',
      bonus: '0.000000',
      topup: '0.000000',
      allocated: '0.000000',
      yield: '0.000000',
      today: '0.000000',
      operations: 0,
      robots: [],
    },
  },
};

/** The smallest picture. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
