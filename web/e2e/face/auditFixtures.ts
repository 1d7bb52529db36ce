/** The audit as the server tells it. */

import { ago, DAY, HOUR, MINUTE } from './clock';
import { page } from './fixtures';

const staff = (_id: string, username: string, fullName: string) => ({ _id, username, fullName });
export const BIA = staff('u-bia', 'biacastro7', 'Bia Castro');
export const ANA = staff('u-ana', 'anaprado21', 'Ana Prado');
export const THING = '0190a000-0000-7000-8000-00000000abcd';
const HASH = `0x${'a1b2c3d4'.repeat(8)}`;

export const entry = (id: number, category: string, action: string, details: object, more: object = {}) => ({
  _id: id,
  actor: BIA,
  subject: ANA,
  about: ANA._id,
  category,
  action,
  details,
  created_at: ago((20 - id) * HOUR),
  ...more,
});
const byItself = { actor: null, subject: null, about: null };
export const PAID = entry(14, 'money', 'crypto_withdrawal.pay', {
  withdrawal: THING,
  transaction: HASH,
  usdt: '10.000000',
  state: 'final',
  status: 'complete',
});
export const ENTRIES = page([
  entry(15, 'money', 'hot_wallet.surplus', { coin: 'usdt' }, byItself),
  PAID,
  entry(13, 'settings', 'content.created', { item: THING }, { subject: null, about: THING }),
  entry(12, 'profile', 'user.status', { before: 'active', after: 'inactive', reason: 'pediu' }),
  entry(11, 'auth', 'auth.signed_in', { method: 'app' }, { actor: ANA }),
]);

const digest = (letter: string) => letter.repeat(64);
export const LINK = {
  number: 14,
  before: digest('b'),
  digest: digest('c'),
  linkedAt: ago(5 * HOUR),
  matches: true,
};
export const ENTRY = { entry: PAID, link: LINK };

const SIGNING = {
  key: digest('9'),
  signatures: 12,
  unreadable: 0,
  newest: { number: 9, digest: digest('f'), at: ago(9 * HOUR), stands: true },
  overdue: false,
};
export const chain = (signing: object | null = {}) => ({
  entries: 15,
  digest: digest('e'),
  linkedAt: ago(MINUTE),
  signing: signing && { ...SIGNING, ...signing },
});
export const LATE = { overdue: true, newest: { ...SIGNING.newest, at: ago(3 * DAY) } };
export const BROKEN = { unreadable: 1, newest: { ...SIGNING.newest, stands: false } };

export const ANSWERS = {
  'GET /admin/audit': ENTRIES,
  'GET /admin/audit/14': ENTRY,
  'GET /admin/audit-chain': chain(),
};
