/** What every screen behind the sign-in is answered, so that none of them waits or fails: what a walk through all of them is told. */

import { ACCEPTED, CLOSING_BLOCKED, EXPORTS, LIMITS, LOOKS, PREFERENCES, RETENTION } from './accountFixtures';
import { BONUS_LOG, BONUS_REPORT, bonusPath, MATCHED, PAYOUT, sales } from './affiliatesBonusFixtures';
import { GRADUATION, LOST_POINTS, MEMBERS, NETWORK, OWN_RANKS, REFERENCES, TREE } from './affiliatesFixtures';
import { ANALYTICS } from './analyticsFixtures';
import { ANSWERS as AUDIT } from './auditFixtures';
import { ago, HOUR } from './clock';
import { ANSWERS as CONTENT, id as item, STAFF as STAFF_CONTENT } from './contentFixtures';
import { answers as exchange, staffRound } from './exchangeFixtures';
import { AT_WORK, LICENCES, licence } from './fixtures';
import { ANSWERS as MEMBER_ROBOTS } from './memberRobotsFixtures';
import { DEPOSIT, LOW, MONEY, payouts, SALES, SPONSORSHIP, transfer, WITHDRAWAL } from './moneyFixtures';
import { ANNOUNCEMENTS } from './noticeFixtures';
import { ANSWERS as OVERVIEW } from './overviewFixtures';
import {
  FINANCES,
  LOGS,
  NETWORK as NETWORK_OF,
  NOTES,
  PEOPLE,
  person,
  RELATED,
  ROLES,
  SESSIONS,
} from './peopleFixtures';
import { page as listed, WITHDRAWAL as PIX_WITHDRAWAL, queue, row } from './pixFixtures';
import { POOLS, STAFF as STAFF_POOLS } from './poolsFixtures';
import { FEEDS, ANSWERS as RULES } from './rulesFixtures';
import { CUSTOMER } from './stub';
import { ANSWERS, OWN_LICENCE, T } from './supportFixtures';
import { AT_HAND } from './web3Fixtures';
import { YEAR } from './yearlyFixtures';

const NOTICES = [
  { id: 'n1', code: 'pix_deposit_approved', group: 'money_in', params: { usdt: '100.000000' }, read: false },
  {
    id: 'n2',
    code: 'ticket_reply',
    group: 'support',
    params: { ticket: 't1', number: 12, by: 'Eva', count: 1 },
    read: false,
  },
  { id: 'n3', code: 'rank_reached', group: 'network', params: { rank: 'gold' }, read: true },
].map((one) => ({ amount: null, at: ago(HOUR), ...one }));
const ZERO = '0.000000';
const STATEMENT = {
  _id: '018f0000-0000-7000-8000-00000000d101',
  by: 'biacastro7',
  created_at: ago(HOUR),
  firstDay: '2026-11-01',
  lastDay: '2026-11-19',
  lines: 214,
  name: 'extrato-2026-11.csv',
  open: 3,
};
const SPONSORED = {
  _id: '018f0000-0000-7000-8000-00000000d201',
  approvals: 1,
  approvalsNeeded: 2,
  created_at: ago(2 * HOUR),
  licence: 1,
  operation: 'add',
  orderedBy: 'biacastro7',
  reason: 'Campanha de novembro',
  rejectedReason: null,
  status: 'pending',
  userId: 'u-ana',
  username: 'anaprado21',
  value: '100.000000',
};
const BY_DAY = {
  count: 3,
  total: '75.500000',
  days: [
    { day: '2026-11-19', count: 2, total: '65.000000' },
    { day: '2026-11-20', count: 1, total: '10.500000' },
  ],
};

/** What is named in the addresses of screens (`screens.ts`). */
export const IDS = {
  id: 'u-ana',
  idTicket: T,
  robot: LICENCES[0]?._id ?? '',
  bonus: MATCHED.bonus._id,
  item: item(1),
};

export const EVERYTHING = {
  ...AT_WORK,
  ...MONEY,
  ...exchange(),
  ...AT_HAND,
  ...ANSWERS,
  ...AUDIT,
  ...CONTENT,
  ...STAFF_CONTENT,
  ...STAFF_POOLS,
  ...RULES,
  'GET /admin/feeds': FEEDS,
  'GET /dashboard/analytics/30d': ANALYTICS,
  'GET /pools': POOLS,
  'GET /pools/mine': listed([]),
  'GET /admin/general-view': OVERVIEW['GET /admin/general-view'],
  'GET /admin/waiting': OVERVIEW['GET /admin/waiting'],
  'GET /admin/solvency': OVERVIEW['GET /admin/solvency'],
  'GET /admin/roles': ROLES,
  'GET /admin/notices': ANNOUNCEMENTS,
  'GET /admin/grants': { requests: [], freezes: [], lifters: 2, newApproverHours: 24 },
  ...MEMBER_ROBOTS,
  'GET /admin/users-list/': PEOPLE,
  'GET /admin/user/u-ana': person(),
  'GET /admin/user-financial-summary/u-ana': FINANCES,
  'GET /admin/balance-manager/get-user-licenses/u-ana': [licence(1), licence(2, { isHighRisk: true })],
  'GET /admin/user/u-ana/network': NETWORK_OF,
  'GET /admin/user/u-ana/sessions': SESSIONS,
  'GET /admin/user-logs-list/u-ana': LOGS,
  'GET /admin/user/u-ana/notes': NOTES,
  'GET /admin/user/u-ana/related': RELATED,
  'GET /admin/related-accounts': listed(RELATED.data),
  'GET /admin/role-holders': listed([]),
  'GET /admin/list-withdraw-pix-approve-reject': queue([]),
  'GET /admin/all-crypto-deposits-list': { ...queue([]), watcher: null },
  'GET /admin/transfers-reports': {
    ...queue([]),
    waiting: 0,
    count: 0,
    value: '0.000000',
    fees: '0.000000',
    days: [],
  },
  'GET /admin/compliance/cases': queue([]),
  'GET /admin/outbound-pauses': { data: [] },
  'GET /admin/reports/manual': listed([]),
  'GET /trader/leaders': listed([]),
  'GET /trader/following': [],
  'GET /notifications': { ...listed(NOTICES), unread: 2 },
  'GET /me/looks': LOOKS,
  'GET /admin/payout-report': PAYOUT,
  'GET /self-limits': LIMITS,
  'GET /me/export': EXPORTS,
  'GET /me/closing': CLOSING_BLOCKED,
  'GET /me/acceptances': { data: ACCEPTED },
  'GET /privacy/retention': RETENTION,
  'GET /yearly-statement': YEAR,
  'GET /notifications/preferences': PREFERENCES,
  'GET /affiliates/dashboard': NETWORK,
  'GET /affiliates/graduations': OWN_RANKS,
  'GET /affiliates/diagram-binary-tree/me': TREE,
  'GET /affiliates/reference-list': REFERENCES,
  'GET /affiliates/bonus-log': BONUS_LOG,
  [bonusPath(MATCHED)]: MATCHED,
  [`${bonusPath(MATCHED)}/sales`]: sales(false),
  'GET /admin/bonus-report': BONUS_REPORT,
  'GET /admin/binary-lost-points-report': LOST_POINTS,
  'GET /admin/graduation': GRADUATION,
  'GET /admin/graduations': MEMBERS,
  ...SALES,
  ...payouts([LOW]),
  ...SPONSORSHIP,
  'GET /admin/balance-manager': {
    ...SPONSORSHIP['GET /admin/balance-manager'],
    sums: { balance: '1125.000000', held: ZERO, bonus: '7.250000', sponsored: ZERO },
  },
  'GET /admin/balance-manager/requests': listed([SPONSORED]),
  'GET /list-withdraws': listed([WITHDRAWAL]),
  'GET /list-withdraws-pix': listed([PIX_WITHDRAWAL]),
  'GET /list-deposits': listed([DEPOSIT]),
  'GET /deposit/terms': {
    fee: '2.000000',
    feePercent: '0.00',
    minimum: '10.000000',
    maximum: '50000.000000',
    minutes: 60,
  },
  'GET /transfers-list': listed([
    transfer(1, CUSTOMER.username, 'ana21'),
    transfer(2, 'ruicosta88', CUSTOMER.username),
  ]),
  'GET /admin/pix/statements': listed([STATEMENT]),
  'GET /admin/presale/rounds': listed([
    staffRound(3, { status: 'proposed', agreedName: null, editable: true }),
    staffRound(2),
  ]),
  'GET /admin/approvals/preview': { needed: 2, completes: true, given: [] },
  'GET /admin/crypto-deposits-report': BY_DAY,
  'GET /admin/crypto-withdrawals-report': BY_DAY,
  'GET /admin/pix-deposits-report': BY_DAY,
  'GET /admin/pix-withdrawals-report': BY_DAY,
  'GET /admin/list-deposits-pix-approve-reject': queue([row(1), row(2)]),
  'GET /support/subjects': {
    data: [OWN_LICENCE],
  },
};
