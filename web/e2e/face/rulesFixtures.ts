/** The rulebook, as the server tells it. */
import { ago, ahead, HOUR, JUST_NOW } from './clock';
import { page as listed } from './fixtures';
import { ADMINISTRATOR } from './stub';

export const setting = (key: string, group: string, kind: string, value: string, more: object = {}) => ({
  key,
  group,
  kind,
  value,
  default: value,
  least: '0.00',
  most: '20.00',
  money: false,
  changedBy: null,
  changedAt: null,
  ...more,
});
export const change = (more: object = {}) => ({
  _id: '018f0000-0000-7000-8000-00000000f001',
  kind: 'settings',
  plan: null,
  items: [{ key: 'transferFee', before: '0.000000', after: '0.500000' }],
  money: true,
  reason: 'Custos do banco',
  status: 'waiting',
  orderedBy: 'bia22',
  agreedBy: null,
  withdrawnBy: null,
  withdrawnReason: null,
  created_at: ago(HOUR),
  agreedAt: null,
  effectiveAt: null,
  version: 1,
  ...more,
});
export const AGREED = change({
  _id: '018f0000-0000-7000-8000-00000000f002',
  items: [{ key: 'yieldDays', before: '5,20', after: '10,25' }],
  status: 'agreed',
  orderedBy: ADMINISTRATOR.username,
  agreedBy: 'bia22',
  effectiveAt: ahead(20 * HOUR),
});
export const RULES = {
  revision: 7,
  version: 3,
  settings: [
    setting('brand', 'platform', 'text', 'Arbora', { most: '40' }),
    setting('yieldDays', 'licences', 'monthDays', '5,20', { money: true, least: '1', most: '28' }),
    setting('lotLockedDays', 'licences', 'days', '30', { money: true, least: '0', most: '365' }),
    setting('latencyMs', 'desk', 'milliseconds', '200', {
      default: '150',
      least: '0',
      most: '5000',
      changedBy: 'bia22',
      changedAt: '2026-11-20T12:00:00Z',
    }),
    setting('withdrawalFee', 'withdrawals', 'percent', '2.00', { money: true }),
    setting('transferFee', 'security', 'usdt', '0.000000', { money: true }),
  ],
  waiting: [change(), AGREED],
};
export const PLAN = {
  _id: '018f0000-0000-7000-8000-0000000000p1',
  value: '100.000000',
  isHighRisk: false,
  maximumReturn: '300.00',
  networkCeiling: '500.00',
  allocationFactor: 5,
  active: true,
  licences: 12,
  sold: '1200.000000',
};
export const ANSWERS = {
  'GET /admin/settings': RULES,
  'GET /admin/plans': [
    PLAN,
    { ...PLAN, _id: '018f0000-0000-7000-8000-0000000000p2', isHighRisk: true, active: false, licences: 0 },
  ],
  'GET /admin/settings/history': listed([
    change({ status: 'in_force', agreedBy: ADMINISTRATOR.username, effectiveAt: '2026-11-20T12:00:00Z' }),
    change({ _id: 'f3', status: 'withdrawn', withdrawnBy: 'caio23', withdrawnReason: 'Alto demais' }),
  ]),
  'POST /admin/settings/preview': {
    items: [{ key: 'withdrawalFee', before: '2.00', after: '3.00' }],
    money: true,
    effects: [
      { code: 'withdrawal_100', before: '2.000000', after: '3.000000', count: null },
      { code: 'open_withdrawals_keep', before: null, after: null, count: 4 },
    ],
  },
};

/** Where quotes come from: one venue that is there and one that is not. */
export const FEEDS = {
  feed: 'binance',
  mode: 'paper',
  running: true,
  venues: [
    {
      venue: 'Binance',
      connected: true,
      since: '2026-11-20T12:00:00Z',
      quotesPerSecond: 412.4,
      latencyMs: 38,
      skewMs: 4,
      reconnects: 1,
      lastQuoteAt: JUST_NOW,
    },
    {
      venue: 'OKX',
      connected: false,
      since: null,
      quotesPerSecond: 0,
      latencyMs: null,
      skewMs: null,
      reconnects: 9,
      lastQuoteAt: null,
    },
  ],
};
