/** What the account screens are told of a customer. */

import { ago, ahead, HOUR } from './clock';
import { ADMINISTRATOR, CUSTOMER } from './stub';
import { AT_HAND } from './web3Fixtures';

export const SOCIAL = {
  instagram: 'ana.prado',
  whatsapp: '+5511988887777',
  linkedin: 'https://br.linkedin.com/in/ana-prado',
};

/** Somebody who has given everything, with another address asked for and outgoing money on hold. */
export const WHOLE = {
  ...CUSTOMER,
  avatar: 'f-1',
  antiPhishing: 'jabuticaba azul',
  birthDate: '1988-04-17',
  document: { kind: 'cpf', masked: '***.456.789-**' },
  timeZone: 'America/Manaus',
  social: { instagram: 'marina.duarte', telegram: 'marinad', whatsapp: '+5511988887777' },
  sponsor: { username: 'ana21', firstName: 'Ana', social: SOCIAL },
  hold: { until: ahead(17 * HOUR), reason: 'email' },
  emailChange: {
    email: 'm•••@novo.com.br',
    until: ahead(20 * HOUR),
    oldConfirmed: true,
    newConfirmed: false,
  },
};

const limit = (platform: string, own: string | null) => ({ platform, own, raise: null });
export const LIMITS = {
  transaction: limit('50000.000000', '500.000000'),
  day: limit('100000.000000', null),
  excludedUntil: null,
};

const preference = (group: string, mail: boolean | null, toast: boolean, locked = false) => ({
  group,
  inbox: true,
  wanted: null,
  mail,
  toast,
  push: null,
  locked,
});
const HOURS = { quietHours: null, zone: 'America/Sao_Paulo', digest: false };
export const PREFERENCES = {
  ...HOURS,
  data: [
    preference('money_in', true, true),
    preference('money_out', true, true),
    preference('licences', true, false),
    preference('robots', true, true),
    preference('network', true, true),
    preference('exchange', true, true),
    preference('support', true, true),
    preference('news', null, true),
    preference('security', true, true, true),
  ],
};
/** Told to those alone who ask for it. */
export const unasked = {
  group: 'tickets',
  inbox: false,
  wanted: false,
  mail: null,
  toast: null,
  push: null,
  locked: false,
};
export const STAFF_PREFERENCES = {
  ...HOURS,
  data: [
    ...PREFERENCES.data.slice(0, 8),
    unasked,
    preference('staff', true, true),
    ...PREFERENCES.data.slice(8),
  ],
};

const exported = (n: number, state: string, more: object = {}) => ({
  _id: `018f0000-0000-7000-8000-0000000000e${n}`,
  state,
  askedAt: ago(n * 30 * HOUR),
  readyAt: null,
  expiresAt: null,
  downloadedAt: null,
  bytes: null,
  ...more,
});
export const EXPORTS = {
  data: [
    exported(1, 'ready', { readyAt: ago(29 * HOUR), expiresAt: ahead(120 * HOUR), bytes: 2_411_724 }),
    exported(9, 'expired', { readyAt: ago(269 * HOUR), expiresAt: ago(101 * HOUR), bytes: 1_048_576 }),
  ],
  nextAt: null,
};
export const ASKED = { data: [exported(0, 'asked'), ...EXPORTS.data], nextAt: ahead(24 * HOUR) };

const HOUR_OF_SECONDS = 3_600;
const day = (count: number) => count * 24 * HOUR_OF_SECONDS;
export const RETENTION = {
  data: [
    { what: 'socket_tickets', seconds: 0 },
    { what: 'uploads', seconds: HOUR_OF_SECONDS },
    { what: 'challenges', seconds: day(1) },
    { what: 'codes', seconds: day(2) },
    { what: 'former_addresses', seconds: day(30) },
    { what: 'devices', seconds: day(400) },
    { what: 'money', seconds: null },
    { what: 'acceptances', seconds: null },
  ],
};

const accepted = (what: string, version: string, more: object = {}) => ({
  what,
  version,
  language: 'pt',
  at: '2026-11-03T12:00:00Z',
  lastAt: '2026-11-03T12:00:00Z',
  times: 1,
  ...more,
});
/** Of the texts in force, and of those before. */
export const ACCEPTED = [
  accepted('terms', '2026-11'),
  accepted('risk', '2026-11', { lastAt: '2026-11-18T15:30:00Z', times: 3 }),
  accepted('terms', '2026-02', {
    at: '2026-03-02T12:00:00Z',
    lastAt: '2026-03-02T12:00:00Z',
    language: 'es',
  }),
  accepted('risk', '2026-02', { at: '2026-03-02T12:00:00Z', lastAt: '2026-03-02T12:00:00Z', language: null }),
];

const nothing = {
  usdt: null,
  pyx: null,
  count: null,
  until: null,
  leavable: false,
  ways: [] as string[],
};
const DAYS = 7 * 24 * HOUR_OF_SECONDS;
/** Nothing is in the way. */
export const CLOSING = { waiting: null, needs: [], left: null, wallet: false, wait: DAYS };
/** All that is left is too little to be taken out, and a prize that nobody pays yet. */
export const CLOSING_LITTLE = {
  ...CLOSING,
  needs: [
    { ...nothing, what: 'available', usdt: '3.250000', leavable: true },
    { ...nothing, what: 'pyx', pyx: '0.400000', leavable: true },
    { ...nothing, what: 'ranks', usdt: '50.000000', count: 1, leavable: true },
  ],
};
export const CLOSING_BLOCKED = {
  ...CLOSING,
  needs: [
    { ...nothing, what: 'available', usdt: '1250.500000' },
    { ...nothing, what: 'pyx', pyx: '300.000000' },
    { ...nothing, what: 'licences', usdt: '5000.000000' },
    { ...nothing, what: 'withdrawals', count: 2, ways: ['chain'] },
    { ...nothing, what: 'hold', until: ahead(20 * HOUR) },
  ],
};
export const CLOSING_WAITS = { ...CLOSING, waiting: { askedAt: ago(HOUR), dueAt: ahead(167 * HOUR) } };
/** Who of the staff looked: one still does. */
export const LOOKS = {
  data: [
    {
      _id: 'l-2',
      by: 'Rui',
      role: 'administrator',
      reason: 'A cliente não vê o depósito de ontem no extrato',
      beganAt: ago(HOUR / 20),
      endedAt: null,
    },
    {
      _id: 'l-1',
      by: 'Bia',
      role: 'administrator',
      reason: 'Dúvida sobre um bônus',
      beganAt: ago(30 * 24 * HOUR),
      endedAt: ago(30 * 24 * HOUR - HOUR / 4),
    },
  ],
};

/** All seven tabs have something to show. */
export const ACCOUNT = {
  ...AT_HAND,
  'GET /self-limits': LIMITS,
  'GET /notifications/preferences': PREFERENCES,
  'GET /me/export': EXPORTS,
  'GET /me/closing': CLOSING_BLOCKED,
  'GET /me/acceptances': { data: ACCEPTED },
  'GET /me/looks': LOOKS,
  'GET /privacy/retention': RETENTION,
};

export const DECIDES = { ...ADMINISTRATOR, email: 'ana@arbora.example' };
