/** Money as its owners and those who decide about it are told: sales, what comes and leaves over the chain, transfers, sponsorship. */

import { ago, ahead, DAY, HOUR, JUST_NOW, MINUTE, NOON } from './clock';
import { page as listed, OUTBOUND } from './fixtures';
import { LISTS, RATE } from './pixFixtures';
import { CUSTOMER } from './stub';

export const ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
export const ASKED = {
  coin: 'pyx',
  address: ADDRESS,
  value: '21.250000',
  fee: '1.000000',
  net: '20.250000',
  amount: '40500000000000000000',
  rate: '0.500000',
};
/** Asked for, its link not pressed. */
export const WITHDRAWAL = {
  _id: '018f0000-0000-7000-8000-00000000e001',
  user: CUSTOMER._id,
  username: CUSTOMER.username,
  ...ASKED,
  status: 'awaiting_email',
  reason: null,
  transaction: null,
  block: null,
  approvals: 0,
  approvalsNeeded: 1,
  waitingSince: JUST_NOW,
  expiresAt: ahead(30 * MINUTE),
  decidedAt: null,
  sentAt: null,
  completedAt: null,
  created_at: JUST_NOW,
  version: 1,
};
/** A deposit that came whole. */
export const DEPOSIT = {
  _id: '018f0000-0000-7000-8000-00000000f001',
  user: 'u-ana',
  username: 'ana21',
  fullName: 'Ana Souza',
  email: 'ana@example.test',
  memberSince: ago(2_000 * HOUR),
  creditedBefore: 1,
  product: 'plain',
  coin: 'usdt',
  contract: null,
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  plan: null,
  isHighRisk: false,
  value: '25.000000',
  due: '27000000000000000000',
  received: '27000000000000000000',
  seen: '0',
  expiresAt: null,
  status: 'complete',
  outcome: 'exact',
  pendingCause: null,
  transaction: `0x${'5b'.repeat(32)}`,
  confirmations: 15,
  confirmationsNeeded: 15,
  rate: null,
  rateNow: null,
  credited: '25.000000',
  fee: '2.000000',
  licence: null,
  reason: null,
  refund: null,
  approvals: 0,
  approvalsNeeded: 1,
  waitingSince: null,
  created_at: ago(3 * HOUR),
  version: 4,
};

export const transfer = (n: number, origin: string, destination: string) => ({
  _id: `t${n}`,
  origin: { _id: `u-${origin}`, username: origin },
  destination: { _id: `u-${destination}`, username: destination },
  value: '10.000000',
  fee: '0.000000',
  status: 'complete',
  reason: null,
  created_at: '2026-11-20T14:00:00Z',
  version: 1,
});

const day = (back: number) => new Date(NOON - back * DAY).toISOString().slice(0, 10);
const sale = (n: number) => ({
  _id: `018f0000-0000-7000-8000-00000000b00${n}`,
  created_at: JUST_NOW,
  fullName: 'Marina Duarte',
  username: CUSTOMER.username,
  user: CUSTOMER._id,
  isHighRisk: false,
  method: 'balance',
  state: 'active',
  transaction: null,
  value: '250.000000',
  wei: null,
});
export const SALES = {
  'GET /admin/crypto-deposits-list': {
    ...listed([1, 2, 3].map(sale)),
    groups: [{ value: '250.000000', isHighRisk: false, method: 'balance', count: 3, total: '750.000000' }],
    days: [0, 1, 2].map((back) => ({ day: day(back), count: 1, total: '250.000000' })),
  },
};

const coin = (name: string, waiting = '0') => ({
  coin: name,
  balance: '100625000000000000000000',
  waiting,
  waitingCount: waiting === '0' ? 0 : 2,
  underWay: '0',
});
/** What is paid over the chain, and the wallet that pays. */
export const payouts = (alerts: object[] = []) => ({
  'GET /admin/crypto-withdrawal-list': {
    ...listed([]),
    pending: 0,
    oldest: null,
    hotWallet: {
      address: ADDRESS,
      alerts,
      coins: [coin('usdt', '21250000000000000000'), coin('busd'), coin('bnb'), coin('pyx')],
      foreign: [],
      halted: false,
      version: 1,
    },
  },
});
export const LOW = { kind: 'low', coin: 'bnb', amount: '1000000000000000' };

export const MONEY = {
  'GET /pix/rate': {
    ...RATE,
    withdrawal: { feePercent: '2.00', feeMinimum: '1.000000', minimum: '10.000000' },
  },
  'GET /list-deposits-pix': LISTS,
  'GET /pix/holder': { holder: { document: '***.456.789-**', kind: 'cpf', since: JUST_NOW } },
  'GET /list-withdraws-pix': listed([]),
  'GET /list-withdraws': listed([]),
  'GET /outbound-state': OUTBOUND,
  'GET /withdraw/terms': {
    coins: ['usdt', 'busd', 'bnb', 'pyx'],
    minimum: '10.000000',
    feePercent: '2.00',
    feeMinimum: '1.000000',
    pyxFee: '1.000000',
    pyxMinimum: '1.000000',
    linkMinutes: 30,
  },
  'GET /whitelist': { on: false, offAt: null, entries: [] },
};

export const balanceOf = (n: number) => ({
  _id: `u-${n}`,
  username: `ana2${n}`,
  fullName: 'Ana Prado',
  email: `ana${n}@exemplo.com.br`,
  status: 'active',
  balance: '375.000000',
  sponsored: '0.000000',
  bonus: '0.000000',
  held: '0.000000',
  licences: 1,
});
export const SPONSORSHIP = {
  'GET /admin/balance-manager': listed([1, 2, 3].map(balanceOf)),
  'GET /admin/balance-manager/requests': listed([]),
};
