/** A customer's year, as the server tells it. */

const month = (n: number, more: object = {}) => ({
  month: `2026-${String(n).padStart(2, '0')}-01`,
  paidIn: '0.000000',
  paidOut: '0.000000',
  pools: '0.000000',
  bonus: '0.000000',
  rankBonus: '0.000000',
  ...more,
});
export const YEAR = {
  year: 2026,
  running: true,
  lastDay: '2026-11-20',
  years: [2026, 2025],
  opening: '1000.000000',
  closing: '3345.600000',
  accounts: [
    { account: 'available', before: '1000.000000', after: '2400.000000' },
    { account: 'allocated', before: '0.000000', after: '940.000000' },
    { account: 'yield', before: '0.000000', after: '5.600000' },
  ],
  goods: [
    { group: '08', code: '03', coin: 'USDT', before: '1000.000000', after: '3345.600000' },
    { group: '08', code: '99', coin: 'PYX', before: '0.000000', after: '120.500000' },
  ],
  changes: {
    paidIn: '2500.000000',
    paidOut: '70.000000',
    pools: '2.000000',
    bonus: '8.000000',
    licences: '-100.000000',
    exchange: '0.000000',
    sponsorship: '0.000000',
    loans: '0.000000',
    corrections: '0.000000',
  },
  results: [
    {
      mode: 'simulated',
      total: '5.600000',
      months: [
        { month: '2026-10-01', net: '6.600000' },
        { month: '2026-11-01', net: '-1.000000' },
      ],
    },
  ],
  months: [month(10, { paidIn: '2500.000000', pools: '2.000000' }), month(11, { bonus: '8.000000' })],
  crossings: [
    {
      month: '2026-10-01',
      crossed: 'in',
      way: 'pix',
      count: 2,
      usdt: '2500.000000',
      brl: '13750.00',
      coins: null,
    },
    {
      month: '2026-11-01',
      crossed: 'out',
      way: 'bnb',
      count: 1,
      usdt: '50.000000',
      brl: null,
      coins: '0.08',
    },
    {
      month: '2026-11-01',
      crossed: 'out',
      way: 'transfer',
      count: 1,
      usdt: '20.000000',
      brl: null,
      coins: null,
    },
  ],
  licences: [
    {
      number: 1,
      value: '100.000000',
      isHighRisk: false,
      source: 'available',
      state: 'active',
      bought: '2026-10-03',
      ended: null,
    },
  ],
  pyx: { before: '0.000000', after: '120.500000', came: '120.500000', left: '0.000000' },
  rankBonus: '0.000000',
};
export const OVER = { ...YEAR, year: 2025, running: false, lastDay: '2025-12-31', closing: '1000.000000' };
export const NOTHING = {
  ...YEAR,
  opening: '0.000000',
  closing: '0.000000',
  accounts: [],
  results: [],
  months: [],
  crossings: [],
  licences: [],
};
