/** The administration's overview, as the server tells it. */
import { ago, HOUR, JUST_NOW } from './clock';
import { waiting } from './stub';

export const hours = (count: number) => ago(count * HOUR);
export const queue = (pending: number, oldest: string | null, more: object = {}) => ({
  data: [],
  meta: { page: 1, limit: 1, total: 0, lastPage: 1 },
  pending,
  oldest,
  ...more,
});
export const SOLVENCY = {
  asOf: JUST_NOW,
  chainReadAt: JUST_NOW,
  owed: [
    { account: 'available', usdt: '900.000000' },
    { account: 'held', usdt: '60.000000' },
    { account: 'held_orders', usdt: '40.000000' },
  ],
  owedTotal: '1000.000000',
  held: [{ place: 'hot', currency: 'USDT', amount: '1042.000000', usdt: '1042.000000' }],
  heldTotal: '1042.000000',
  coverage: '104.20',
  fx: [],
  fxTotal: '0.000000',
  sponsored: '0.000000',
  receivable: '0.000000',
  capital: '0.000000',
  house: '42.000000',
  modes: { simulated: '12.000000', paper: '0.000000', live: '0.000000' },
  pyx: {
    free: '20.000000',
    locked: '70.000000',
    held: '5.000000',
    owed: '95.000000',
    issued: '102.000000',
    leftBehind: '2.000000',
    withdrawn: '5.000000',
    onChain: '1000.000000',
  },
  declared: [
    {
      _id: '018f0000-0000-7000-8000-00000000d001',
      place: 'Kraken',
      value: '2500.000000',
      note: 'Extrato de hoje',
      status: 'standing',
      approvals: 1,
      approvalsNeeded: 1,
      declaredBy: '018f0000-0000-7000-8000-00000000d009',
      username: 'biaprado',
      rejectedReason: null,
      created_at: JUST_NOW,
    },
    {
      _id: '018f0000-0000-7000-8000-00000000d002',
      place: 'Cofre',
      value: '9000.000000',
      note: 'Contagem de ontem',
      status: 'pending',
      approvals: 1,
      approvalsNeeded: 2,
      declaredBy: '018f0000-0000-7000-8000-00000000d009',
      username: 'biaprado',
      rejectedReason: null,
      created_at: JUST_NOW,
    },
  ],
  declaredTotal: '2500.000000',
};
export const DAYS = Array.from({ length: 30 }, (_, n) => ({
  day: `2026-${n < 8 ? '10' : '11'}-${String(n < 8 ? n + 24 : n - 7).padStart(2, '0')}`,
  inPix: n === 29 ? '1500.000000' : '0.000000',
  inChain: n % 5 ? '0.000000' : '800.000000',
  outPix: n % 7 ? '0.000000' : '120.000000',
  outChain: '0.000000',
  registered: n % 3,
  licencesSold: n % 2,
}));
export const GENERAL = {
  asOf: JUST_NOW,
  people: { all: 1240, active: 1231, unconfirmed: 12, today: 7, last7Days: 41, last30Days: 160 },
  licences: {
    active: 310,
    value: '214000.000000',
    topup: '40100.000000',
    allocated: '51200.000000',
    plans: [
      { price: '1000.000000', isHighRisk: false, active: 180, value: '180000.000000' },
      { price: '500.000000', isHighRisk: true, active: 68, value: '34000.000000' },
    ],
  },
  robots: {
    mode: 'simulated',
    working: 200,
    paused: 30,
    idle: 80,
    manual: 4,
    today: [
      { mode: 'simulated', gain: '420.000000', loss: '20.500000', operations: 1800, robots: 190 },
      { mode: 'live', gain: '9999.000000', loss: '0.000000', operations: 1, robots: 1 },
    ],
  },
  days: DAYS,
  queues: [{ queue: 'pix_deposits', pending: 3, oldest: hours(5) }],
  tickets: { pending: 0, oldest: null as string | null },
  coverage: { held: '1042.000000', owed: '1000.000000', coverage: '104.20' },
  payout: {
    ceiling: '60',
    sums: {
      licences: '100.000000',
      fees: '10.000000',
      revenue: '110.000000',
      bonuses: '20.000000',
      graduations: '0.000000',
      ratio: '18.18',
    },
    over: false,
    alertSince: null,
  },
  health: {
    signing: true,
    jobsDue: 2,
    jobsSince: null,
    jobsParked: 1,
    closingsLate: 2,
    mailsDue: 0,
    desk: true,
  },
};
export const ANSWERS = {
  'GET /admin/general-view': GENERAL,
  'GET /admin/waiting': waiting({
    pix_deposits: [3, 3, hours(5)],
    pix_withdrawals: [1, 1, hours(60)],
    cases: [2, 0, hours(1)],
    sponsorship: [1, 0, hours(2)],
  }),
  'GET /admin/solvency': SOLVENCY,
  'GET /admin/list-deposits-pix-approve-reject': queue(3, hours(5)),
  'GET /admin/list-withdraw-pix-approve-reject': queue(1, hours(60)),
  'GET /admin/crypto-withdrawal-list': queue(0, null),
  'GET /admin/compliance/cases': queue(2, hours(1)),
  'GET /admin/all-crypto-deposits-list': queue(0, null, {
    watcher: { scanned: 1200, confirmed: 1186, halted: null, aliveAt: hours(0) },
  }),
};
