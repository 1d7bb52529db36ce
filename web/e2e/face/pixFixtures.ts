/** Deposits by PIX, as the server tells them. */

import { ago, ahead, HOUR, JUST_NOW, MINUTE } from './clock';
import { CUSTOMER } from './stub';

export const at = (minutes: number) => ahead(minutes * MINUTE);
export const CODE =
  '00020126440014br.gov.bcb.pix0122financeiro@arbora.demo520400005303986540 6500.005802BR5911ARBORA DEMO6009SAO PAULO62290525AMFZWCYLBORZXG5DFNZ2GK3TE6304A1B2';
export const RATE = {
  rate: '5.3923',
  source: 'service',
  at: at(-2),
  lockedMinutes: 30,
  minimum: '10.000000',
  maximum: '50000.000000',
};

export const deposit = (n: number, over: object = {}) => ({
  _id: `018f0000-0000-7000-8000-0000000000${String(n).padStart(2, '0')}`,
  user: CUSTOMER._id,
  username: CUSTOMER.username,
  usdt: '100.000000',
  brl: '539.23',
  rate: '5.3923',
  txid: 'AMFZWCYLBORZXG5DFNZ2GK3TE',
  proof: null,
  proofKind: null,
  status: 'pending',
  reason: null,
  approvals: 0,
  approvalsNeeded: 1,
  rateLockedUntil: at(24),
  expiresAt: at(1434),
  created_at: at(-6),
  version: 1,
  ...over,
});
export const row = (n: number, over: object = {}) => ({
  ...deposit(n, {
    status: 'pending_approval',
    proof: '018f0000-0000-7000-8000-0000000000f1',
    proofKind: 'image/png',
    waitingSince: at(-12),
    version: 2,
    ...over,
  }),
  fullName: 'Marina Duarte',
  email: 'marina@exemplo.com.br',
  memberSince: at(-60 * 24 * 90),
  approvedBefore: 3,
  signals: [],
  claim: null,
  ...over,
});
export const page = (data: object[]) => ({
  data,
  meta: { page: 1, limit: 10, total: data.length, lastPage: 1 },
});
export const queue = (data: object[]) => ({
  ...page(data),
  pending: data.length,
  oldest: data.length > 0 ? at(-12) : null,
});

export const LISTS = page([
  deposit(1, { brCode: CODE }),
  deposit(2, {
    status: 'pending_approval',
    proof: 'f',
    proofKind: 'application/pdf',
    waitingSince: at(-30),
    created_at: at(-40),
    version: 2,
  }),
  deposit(3, {
    status: 'approved',
    credited: '100.000000',
    brlReceived: '539.23',
    proof: 'f',
    proofKind: 'image/jpeg',
    created_at: at(-3000),
    version: 4,
  }),
  deposit(4, {
    status: 'rejected',
    reason: 'O comprovante é de outro recebedor.',
    proof: 'f',
    proofKind: 'image/png',
    created_at: at(-6000),
    version: 3,
  }),
  deposit(5, { status: 'cancelled_timed_out', created_at: at(-9000), version: 2 }),
]);
/** A withdrawal that was approved and is yet to be paid. */
export const WITHDRAWAL = {
  _id: '018f0000-0000-7000-8000-00000000c001',
  user: 'u-marina',
  username: CUSTOMER.username,
  fullName: 'Marina Duarte',
  email: 'marina@exemplo.com.br',
  memberSince: ago(900 * HOUR),
  value: '50.000000',
  fee: '1.000000',
  net: '49.000000',
  brl: '245.00',
  rate: '5.0000',
  keyKind: 'cpf',
  key: '***.982.247-**',
  document: '***.982.247-**',
  holder: 'matches',
  paidBefore: 2,
  signals: [],
  case: null,
  status: 'approved',
  approvals: 1,
  approvalsNeeded: 1,
  waitingSince: ago(2 * HOUR),
  expiresAt: ago(-100 * HOUR),
  created_at: ago(2 * HOUR),
  paidAt: null,
  endToEndId: null,
  proof: null,
  proofKind: null,
  reason: null,
  offer: null,
  decidedAt: JUST_NOW,
  version: 3,
};
