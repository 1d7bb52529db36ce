/** Bonuses of a small living network and what each follows from, as the server tells them. */

import { id, NAMES } from './affiliatesFixtures';
import { page } from './fixtures';
import { CUSTOMER } from './stub';
import type { Route } from './window';

export const bonus = (n: number, more: object = {}) => ({
  _id: `0190d000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  kind: 'direct_sale',
  level: 1,
  source: NAMES[n % NAMES.length] ?? 'ana21',
  cause: 'sale',
  base: '500.000000',
  percentage: '5.00',
  gross: '25.000000',
  paid: '25.000000',
  waiting: '0.000000',
  lost: '0.000000',
  lostReason: null,
  dropped: '0.000000',
  returned: '0.000000',
  status: 'paid',
  reviewReasons: [] as string[],
  refused: false,
  youngUntil: null,
  businessDay: '2026-11-19',
  created_at: `2026-11-19T1${n % 10}:12:00Z`,
  version: 1,
  ...more,
});
const BONUSES = [
  bonus(1),
  bonus(2, {
    kind: 'level',
    level: 3,
    cause: 'allocation',
    base: '1200.000000',
    percentage: '0.50',
    gross: '6.000000',
    paid: '2.000000',
    waiting: '4.000000',
    status: 'deferred',
  }),
  bonus(3, { status: 'in_review', reviewReasons: ['same_device', 'same_payer'] }),
  bonus(4, { status: 'young', youngUntil: '2026-11-28T12:00:00Z' }),
  bonus(5, {
    kind: 'residual',
    level: 2,
    cause: 'closing',
    base: '18.400000',
    percentage: '2.00',
    gross: '0.368000',
    paid: '0.000000',
    lost: '0.368000',
    lostReason: 'network_ceiling',
    status: 'lost',
  }),
  bonus(6, {
    kind: 'indirect_sale',
    level: 4,
    percentage: '1.00',
    gross: '5.000000',
    paid: '5.000000',
    returned: '5.000000',
    status: 'taken_back',
  }),
  bonus(7, {
    kind: 'binary',
    level: 0,
    source: null,
    cause: 'closing',
    percentage: '10.00',
    gross: '50.000000',
    paid: '30.000000',
    lost: '20.000000',
    lostReason: 'daily_cap',
  }),
];
interface Detail {
  path?: string[];
  legs?: object | null;
  results?: object | null;
  line?: object | null;
  licence?: object | null;
  movements: ReturnType<typeof movement>[];
}
/** A bonus with all that it follows from. */
const detail = (of: ReturnType<typeof bonus> | undefined, more: Detail) => ({
  bonus: of ?? bonus(0),
  receiver: CUSTOMER._id,
  username: CUSTOMER.username,
  settingsVersion: 12,
  causedAt: '2026-11-19T14:02:00Z',
  licence: null,
  path: ['marinaduarte48201', 'ana21', 'bruno7'],
  legs: null,
  results: null,
  line: null,
  ...more,
});
const movement = (n: number, amount: string, together = false) => ({
  transfer: `0190e000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  at: '2026-11-19T14:02:01Z',
  kind: amount.startsWith('-') ? 'claw_back' : 'bonus',
  amount,
  together,
});
export const DEFERRED = detail(BONUSES[1], {
  path: ['marinaduarte48201', 'ana21', 'carlamendes301', 'bruno7'],
  line: { place: 3, ahead: '41.250000' },
  movements: [movement(1, '2.000000')],
});
export const MATCHED = detail(BONUSES[6], {
  path: [],
  legs: {
    leftPoints: '1200.000000',
    rightPoints: '500.000000',
    matched: '500.000000',
    lost: '200.000000',
    since: '2026-11-12',
    leftCarried: '700.000000',
    rightCarried: '0.000000',
    before: '0190d000-0000-7000-8000-000000000090',
  },
  movements: [movement(2, '30.000000', true)],
});
/** The match before it, the first of all. */
export const BEFORE = detail(
  bonus(90, { kind: 'binary', level: 0, source: null, cause: 'closing', businessDay: '2026-11-12' }),
  {
    path: [],
    legs: {
      leftPoints: '1200.000000',
      rightPoints: '500.000000',
      matched: '500.000000',
      lost: '0.000000',
      since: null,
      leftCarried: '0.000000',
      rightCarried: '0.000000',
      before: null,
    },
    movements: [movement(4, '25.000000')],
  },
);
const sale = (place: number, who: number, points: string, licence: object | null = null) => ({
  place,
  member: id(who),
  username: NAMES[who] ?? `membro${who}`,
  points,
  businessDay: `2026-11-${19 - place}`,
  licence,
});
export const NO_SALES = { data: [], next: null, through: null };
/** What was sold on each leg; the left one has a page that found nothing, and a last one. Staff see licences. */
export const sales = (staff: boolean) => (route: Route) => {
  const asked = new URL(route.request().url()).searchParams;
  const licence = (number: number) => (staff ? { _id: id(70 + number), number, value: '600.000000' } : null);
  const answer = {
    right: { ...NO_SALES, data: [sale(1, 2, '500.000000', licence(2))] },
    left: {
      data: [sale(1, 1, '600.000000', licence(1)), sale(2, 3, '-200.000000', licence(1))],
      next: 'second',
      through: '2026-11-16',
    },
    second: { data: [], next: 'third', through: '2026-11-14' },
    third: { ...NO_SALES, data: [sale(3, 5, '100.000000', licence(3))] },
  }[asked.get('after') ?? asked.get('leg') ?? ''];
  return route.fulfill({ json: answer });
};
/** Down to somebody so deep that those in between are only counted. */
export const DEEP = {
  leg: 'left',
  path: NAMES.slice(0, 4),
  between: 1_240,
  last: NAMES.slice(4, 8),
};
export const RESULTS = detail(BONUSES[4], {
  results: {
    member: id(2),
    robots: [
      {
        licence: { _id: id(71), number: 1, value: '500.000000' },
        mode: 'simulated',
        gain: '24.000000',
        loss: '4.600000',
        operations: 31,
      },
      {
        licence: { _id: id(72), number: 2, value: '100.000000' },
        mode: 'simulated',
        gain: '0.000000',
        loss: '0.500000',
        operations: 1,
      },
    ],
    result: '18.900000',
    setOff: '0.500000',
  },
  movements: [],
});
/** Where a bonus is asked for whole. */
export const bonusPath = (of: { bonus: { _id: string } }, staff = false) =>
  `GET ${staff ? '/admin/bonus-report' : '/affiliates/bonus-log'}/${of.bonus._id}`;
export const SOLD = detail(BONUSES[0], {
  licence: { _id: id(70), number: 4, value: '500.000000' },
  movements: [movement(3, '25.000000')],
});

const sums = (licences: number, bonuses: number, graduations = 0) => ({
  licences: `${licences}.000000`,
  fees: '4.500000',
  revenue: `${licences + 4}.500000`,
  bonuses: `${bonuses}.000000`,
  graduations: `${graduations}.000000`,
  ratio: (((bonuses + graduations) / (licences + 4.5)) * 100).toFixed(2),
});
const ring = (members: string[], bonuses: string, deposits: string, ratio: string | null) => ({
  members,
  accounts: members.length,
  bonuses,
  deposits,
  ratio,
});
export const PAYOUT = {
  firstDay: '2026-10-22',
  lastDay: '2026-11-20',
  total: sums(12_400, 4_310, 250),
  days: Array.from({ length: 30 }, (_, n) => ({
    day: new Date(Date.UTC(2026, 9, 22 + n)).toISOString().slice(0, 10),
    ...sums(300 + ((n * 37) % 400), 90 + ((n * 53) % 260)),
  })),
  months: [
    { month: '2026-10', ...sums(4_100, 1_240) },
    { month: '2026-11', ...sums(8_300, 3_070, 250) },
  ],
  ceiling: {
    ceiling: '75.00',
    sums: sums(12_400, 9_810, 250),
    over: true,
    alertSince: '2026-11-18T09:10:00Z',
  },
  rings: {
    count: 2,
    accounts: 5,
    bonuses: '84.500000',
    deposits: '1200.000000',
    ratio: '7.04',
    largest: [
      ring(['ana21', 'bruno7', 'carlamendes301'], '60.500000', '1200.000000', '5.04'),
      ring(['diego44', 'elisa9'], '24.000000', '0.000000', null),
    ],
  },
};
const NO_SUMS = {
  licences: '0.000000',
  fees: '0.000000',
  revenue: '0.000000',
  bonuses: '0.000000',
  graduations: '0.000000',
  ratio: null,
};
export const NO_PAYOUT = {
  ...PAYOUT,
  total: NO_SUMS,
  days: PAYOUT.days.map(({ day }) => ({ day, ...NO_SUMS })),
  months: PAYOUT.months.map(({ month }) => ({ month, ...NO_SUMS })),
  ceiling: { ceiling: '75.00', sums: NO_SUMS, over: false, alertSince: null },
  rings: { count: 0, accounts: 0, bonuses: '0.000000', deposits: '0.000000', ratio: null, largest: [] },
};

const total = (kind: string, level: number, count: number, gross: string, more: object = {}) => ({
  kind,
  level,
  count,
  gross,
  paid: gross,
  waiting: '0.000000',
  lost: '0.000000',
  dropped: '0.000000',
  returned: '0.000000',
  ...more,
});
const TOTALS = [
  total('level', 3, 1, '6.000000', { paid: '2.000000', waiting: '4.000000' }),
  total('direct_sale', 1, 3, '75.000000'),
  total('indirect_sale', 4, 1, '5.000000', { returned: '5.000000' }),
  total('residual', 2, 1, '0.368000', { paid: '0.000000', lost: '0.368000' }),
  total('binary', 0, 1, '50.000000', { paid: '30.000000', lost: '20.000000' }),
];
/** Nothing was received on the day between. */
const DAYS = [
  { day: '2026-11-17', count: 3, total: '75.000000' },
  { day: '2026-11-19', count: 2, total: '32.000000' },
];
export const BONUS_LOG = { ...page(BONUSES), totals: TOTALS, days: DAYS };
export const NO_BONUS = { ...page([]), totals: [], days: [] };
export const BONUS_REPORT = {
  ...page(BONUSES.map((one, n) => ({ ...one, receiver: id(n + 1), username: NAMES[n + 1] ?? 'ana21' }))),
  totals: TOTALS,
  days: DAYS,
};
