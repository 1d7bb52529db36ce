/** Pools with their revenue, as staff and members are answered. */

import { page as list } from './fixtures';

const pool = (n: number, more: object = {}) => ({
  _id: `0190b000-0000-7000-8000-00000000000${n}`,
  name: `Liquidez ${n * 90}`,
  termDays: n * 90,
  minimum: '100.000000',
  open: true,
  principal: '12400.000000',
  booked: '310.250000',
  lastBooked: {
    value: '42.100000',
    fromDay: '2026-11-10',
    toDay: '2026-11-16',
    at: '2026-11-17T12:00:00Z',
  },
  ownPrincipal: '0.000000',
  ownReceived: '0.000000',
  version: 1,
  ...more,
});
export const POOLS = [
  pool(1, { ownPrincipal: '400.000000', ownReceived: '6.120000' }),
  pool(2, { lastBooked: null, booked: '0.000000' }),
  pool(4, { open: false }),
];
export const REVENUE = {
  _id: '0190b000-0000-7000-8000-0000000000f1',
  pool: POOLS[0]?._id,
  poolName: 'Liquidez 90',
  value: '42.100000',
  fromDay: '2026-11-10',
  toDay: '2026-11-16',
  source: 'chain',
  txHash: `0x${'ab'.repeat(32)}`,
  proof: null,
  proofMime: null,
  proofSeen: false,
  note: 'Taxas da semana',
  status: 'pending',
  approvals: 1,
  approvalsNeeded: 2,
  orderedBy: 'bia22',
  rejectedReason: null,
  shared: '0.000000',
  sharedOut: false,
  created_at: '2026-11-17T12:00:00Z',
};
export const STAFF = {
  'GET /admin/pools': POOLS,
  'GET /admin/pools/revenue': list([
    REVENUE,
    {
      ...REVENUE,
      _id: `${REVENUE._id}2`,
      status: 'booked',
      approvals: 2,
      sharedOut: true,
      shared: '42.099998',
    },
  ]),
};
