/** All members' robots as the server tells them to who decides about money. */

import { ago, DAY, HOUR } from './clock';
import { page } from './fixtures';

export const robot = (number: number, status: string, more: object = {}) => ({
  _id: `018f0000-0000-7000-8000-0000000001${String(number).padStart(2, '0')}`,
  user: 'u-ana',
  username: 'anaprado21',
  fullName: 'Ana Prado',
  number,
  value: '250.000000',
  isHighRisk: false,
  status,
  mode: 'simulated',
  allocated: '1200.000000',
  today: '3.250000',
  total: '182.400000',
  created_at: ago((40 - number) * DAY),
  ...more,
});

const BIA = { user: 'u-bia', username: 'biacastro7', fullName: 'Bia Castro' };
export const ROBOTS = [
  robot(1, 'operating'),
  robot(2, 'paused', { isHighRisk: true, value: '1000.000000', today: '-1.500000', total: '-12.000000' }),
  robot(3, 'joining', { ...BIA, today: '0.000000', total: '0.000000', created_at: ago(HOUR) }),
];

export const listed = (rows: object[] = ROBOTS, more: object = {}) => ({
  ...page(rows),
  mode: 'simulated',
  sums: { owners: 2, working: 2, allocated: '3600.000000', today: '1.750000' },
  ...more,
});

export const ANSWERS = { 'GET /admin/robots': listed() };
