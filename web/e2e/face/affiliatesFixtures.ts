/** A small living network, as the server tells it. */
import { page } from './fixtures';
import { CUSTOMER } from './stub';

export const id = (n: number) => `0190c000-0000-7000-8000-${String(n).padStart(12, '0')}`;
export const NAMES = [
  'marinaduarte48201',
  'ana21',
  'bruno7',
  'carlamendes301',
  'diego44',
  'elisa9',
  'fabioribeiro12345',
  'gabi3',
  'hugo81',
  'iris5',
  'joaocosta72',
  'karen18',
  'leo64',
  'maiaprado5501',
  'nina2',
  'otto33',
  'paula90',
];

const node = (
  n: number,
  parent: number | null,
  leg: 'left' | 'right' | null,
  level: number,
  more: object = {},
) => ({
  _id: n === 0 ? CUSTOMER._id : id(n),
  parent: parent === null ? null : parent === 0 ? CUSTOMER._id : id(parent),
  leg,
  level,
  username: NAMES[n] ?? `membro${n}`,
  rank: null as string | null,
  status: 'active',
  leftPoints: `${(NAMES.length - n) * 320}.000000`,
  rightPoints: `${n * 145}.000000`,
  leftNow: `${(NAMES.length - n) * 320}.000000`,
  rightNow: `${n * 145 + 40}.000000`,
  binaryActive: true,
  binaryNeeds: [] as string[],
  hasLeft: false,
  hasRight: false,
  ...more,
});
const BOTH = { hasLeft: true, hasRight: true };
const NOT = { binaryActive: false, binaryNeeds: ['right_referral'] };

export const TREE = {
  me: CUSTOMER._id,
  selectedLeg: 'left',
  up: null as string | null,
  way: { path: [] as string[], between: 0, last: [] as string[] },
  closedDay: '2026-11-19',
  nodes: [
    node(0, null, null, 0, { ...BOTH, rank: 'silver', leftPoints: '700.000000', rightPoints: '0.000000' }),
    node(1, 0, 'left', 1, { ...BOTH, rank: 'bronze' }),
    node(2, 0, 'right', 1, { ...BOTH, ...NOT }),
    node(3, 1, 'left', 2, { hasLeft: true }),
    node(4, 1, 'right', 2, { hasRight: true }),
    node(5, 2, 'left', 2, {
      status: 'inactive',
      binaryActive: false,
      binaryNeeds: ['activity', 'left_referral', 'right_referral'],
    }),
    node(6, 2, 'right', 2, BOTH),
    node(7, 3, 'left', 3),
    node(8, 4, 'right', 3, { hasRight: true }),
    node(9, 6, 'left', 3, NOT),
    node(10, 6, 'right', 3, { hasLeft: true, rank: 'gold' }),
  ],
};
/** Who stands below the member at the lowest level. */
export const BELOW = {
  ...TREE,
  up: id(4),
  way: { path: ['marinaduarte48201', 'ana21', 'diego44', 'hugo81'], between: 0, last: [] },
  nodes: [
    node(8, null, null, 0, { hasRight: true }),
    node(11, 8, 'right', 1, BOTH),
    node(12, 11, 'left', 2),
    node(13, 11, 'right', 2),
  ],
};
export const LOWEST = id(8);
export const ALONE = { ...TREE, nodes: [{ ...node(0, null, null, 0, NOT), leftPoints: '0.000000' }] };

/** Six levels below the topmost, all places taken: the most that one answer holds. */
export const WHOLE = {
  ...TREE,
  nodes: Array.from({ length: 127 }, (_, at) => {
    const n = at + 1;
    const more = n < 64 ? BOTH : {};
    if (n === 1) return { ...node(0, null, null, 0, more) };
    return {
      ...node(n + 100, null, n % 2 ? 'right' : 'left', Math.floor(Math.log2(n)), more),
      parent: n < 4 ? CUSTOMER._id : id(Math.floor(n / 2) + 100),
      leftPoints: '120.000000',
    };
  }),
};

export const reference = (n: number, more: object = {}) => ({
  _id: id(n),
  username: NAMES[n] ?? `membro${n}`,
  rank: n === 1 ? 'bronze' : null,
  leg: n % 2 ? 'left' : 'right',
  status: n === 5 ? 'inactive' : 'active',
  points: `${n * 250}.000000`,
  references: n % 3 === 0 ? 0 : n,
  ...more,
});
export const REFERENCES = page([
  reference(1),
  reference(2),
  reference(4),
  reference(5),
  reference(6, { leg: null }),
]);

const MONTHS = ['2025-12', ...Array.from({ length: 11 }, (_, n) => `2026-${String(n + 1).padStart(2, '0')}`)];
export const NETWORK = {
  closedDay: '2026-11-19',
  referrals: 14,
  activeReferrals: 9,
  leftMembers: 128,
  rightMembers: 74,
  left: { carried: '700.000000', owed: '0.000000', fresh: '500.000000' },
  right: { carried: '0.000000', owed: '0.000000', fresh: '500.000000' },
  paidPoints: '5400.000000',
  rank: 'silver',
  growth: MONTHS.map((month, n) => ({ month, left: 8 + n * 11, right: 4 + n * 6, referrals: (n * 7) % 4 })),
  bonuses: MONTHS.slice(3).flatMap((month, n) => [
    { month, kind: 'level', level: 1, paid: `${20 + n * 6}.500000`, waiting: '0.000000' },
    { month, kind: 'level', level: 2, paid: `${3 + n}.100000`, waiting: '0.000000' },
    { month, kind: 'direct_sale', level: 1, paid: `${n % 3 ? 12 : 25}.000000`, waiting: '0.000000' },
    { month, kind: 'residual', level: 1, paid: `${2 + n}.250000`, waiting: '0.000000' },
    { month, kind: 'binary', level: 0, paid: `${n * 9}.000000`, waiting: '4.000000' },
  ]),
  tonight: {
    matched: '500.000000',
    percentage: '10.00',
    bonus: '30.000000',
    pointsLost: '200.000000',
    lostReason: 'daily_cap',
    residual: '4.250000',
    residualLost: '1.500000' as string,
    residualLostReason: 'network_ceiling' as string | null,
    residualAsOf: null as string | null,
    binaryActive: true,
    binaryNeeds: [] as string[],
    dailyCap: '30.000000',
    ceilingLeft: '412.500000',
  },
};
export const NOBODY = {
  ...NETWORK,
  closedDay: null,
  referrals: 0,
  activeReferrals: 0,
  leftMembers: 0,
  rightMembers: 0,
  left: { carried: '0.000000', owed: '0.000000', fresh: '0.000000' },
  right: { carried: '0.000000', owed: '0.000000', fresh: '0.000000' },
  paidPoints: '0.000000',
  rank: null,
  growth: MONTHS.map((month) => ({ month, left: 0, right: 0, referrals: 0 })),
  bonuses: [],
  tonight: {
    ...NETWORK.tonight,
    matched: '0.000000',
    bonus: '0.000000',
    pointsLost: '0.000000',
    lostReason: null,
    residual: '0.000000',
    residualLost: '0.000000',
    residualLostReason: null,
    binaryActive: false,
    binaryNeeds: ['activity', 'left_referral', 'right_referral'],
    dailyCap: '0.000000',
    ceilingLeft: '0.000000',
  },
};
const reached = (n: number, rank: string, bonus: string, more: object = {}) => ({
  _id: id(900 + n),
  rank,
  threshold: `${n}000.000000`,
  bonus,
  status: 'waiting',
  bonusPaymentHash: null as string | null,
  paidAt: null as string | null,
  businessDay: `2026-0${n}-03`,
  created_at: `2026-0${n}-04T03:05:00Z`,
  ...more,
});
/** One's own ranks: one waits, one is paid. */
export const OWN_RANKS = page([
  reached(5, 'silver', '250.000000'),
  reached(1, 'bronze', '50.000000', {
    status: 'paid',
    bonusPaymentHash: `0x${'ab12'.repeat(16)}`,
    paidAt: '2026-01-09T15:00:00Z',
  }),
]);
export const RANKED = {
  ...CUSTOMER,
  sponsor: { username: 'ana21', firstName: 'Ana' },
  graduation: { name: 'silver', reachedAt: '2026-10-03T03:05:00Z' },
  nextGraduationInfo: {
    name: 'gold',
    points: '5400.000000',
    threshold: '20000.000000',
    missing: '14600.000000',
    progress: 27,
    bonus: '1000.000000',
  },
};

const LOSSES = ['inactive', 'not_qualified', 'network_ceiling', 'daily_cap'];
const FULL = ['Ana Prado', 'Bruno Alves', 'Carla Mendes', 'Diego Souza'];
export const LOST_POINTS = {
  ...page(
    LOSSES.map((reason, n) => ({
      user: id(n + 1),
      username: NAMES[n + 1],
      fullName: FULL[n],
      businessDay: `2026-11-1${9 - n}`,
      leftPoints: `${1200 + n * 300}.000000`,
      rightPoints: '500.000000',
      matched: '500.000000',
      paid: n === 3 ? '300.000000' : '0.000000',
      lost: n === 3 ? '200.000000' : '500.000000',
      reason,
    })),
  ),
  totals: LOSSES.map((reason, n) => ({ reason, count: n + 1, points: `${(n + 1) * 350}.000000` })),
  days: [
    { day: '2026-11-16', count: 4, total: '1400.000000' },
    { day: '2026-11-19', count: 6, total: '2100.000000' },
  ],
};
const HASH = `0x${'ab'.repeat(32)}`;
/** The last payment of a rank's bonus, as a row of the list shows it. */
export const bonusPayment = (status: string, more: object = {}) => ({
  _id: '0190d000-0000-7000-8000-0000000b0001',
  status,
  approvals: 1,
  approvalsNeeded: 1,
  reason: null,
  transaction: null,
  version: 1,
  ...more,
});
export const OFFER = {
  graduation: id(92),
  user: id(3),
  rank: 'gold',
  value: '1000.000000',
  address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  chain: 56,
  payment: null,
};
export const GRADUATION = {
  ...page(
    ['bronze', 'bronze', 'gold'].map((rank, n) => ({
      _id: id(90 + n),
      user: id(n + 1),
      username: NAMES[n + 1],
      fullName: FULL[n],
      rank,
      threshold: rank === 'gold' ? '20000.000000' : '1000.000000',
      bonus: rank === 'gold' ? '1000.000000' : '50.000000',
      isActive: n !== 1,
      isBonusPaid: n === 0,
      bonusPaymentHash: n === 0 ? HASH : null,
      payment: n === 0 ? bonusPayment('complete', { transaction: HASH }) : null,
      paidAt: n === 0 ? '2026-11-18T12:00:00Z' : null,
      givenUpAt: null,
      businessDay: '2026-11-12',
      created_at: '2026-11-13T03:06:00Z',
    })),
  ),
  metrics: [
    { rank: 'bronze', count: 2, unpaid: 1, bonus: '100.000000' },
    { rank: 'gold', count: 1, unpaid: 1, bonus: '1000.000000' },
  ],
};
const MEMBER_RANKS = [
  ['gold', '21400', 'platinum', '50000', '28600'],
  ['silver', '13400', 'gold', '20000', '6600'],
  ['bronze', '1050', 'silver', '5000', '3950'],
  [null, '950', 'bronze', '1000', '50'],
] as const;
export const MEMBERS = {
  ...page(
    MEMBER_RANKS.map(([rank, points, name, threshold, missing], n) => ({
      _id: id(n + 1),
      username: NAMES[n + 1],
      fullName: FULL[n],
      rank,
      paidPoints: `${points}.000000`,
      next: {
        name,
        points: `${points}.000000`,
        threshold: `${threshold}.000000`,
        missing: `${missing}.000000`,
        progress: Math.floor((100 * Number(points)) / Number(threshold)),
        bonus: `${Number(threshold) / 20}.000000`,
      } as object | null,
      isActive: n !== 2,
    })),
  ),
  metrics: [
    { rank: 'bronze', count: 41 },
    { rank: 'silver', count: 12 },
    { rank: 'gold', count: 3 },
  ],
};
