/** People as staff see them, as the server tells them. */

import { ACCEPTED } from './accountFixtures';
import { ago, HOUR } from './clock';
import { page } from './fixtures';
import { ADMINISTRATOR, CUSTOMER } from './stub';
import type { Route } from './window';

const hours = (count: number) => ago(count * HOUR);
const permission = (subject: string) => ({ action: 'read', subject });
const holding = (name: string, ...subjects: string[]) => ({
  ...CUSTOMER,
  _id: `u-${name}`,
  fullName: 'Sofia Lopes',
  username: 'sofia3',
  roles: [{ _id: `r-${name}`, name, permissions: ['registered-user', ...subjects].map(permission) }],
});
/** Sees people, changes nobody. */
export const SALESPERSON = holding(
  'salesperson',
  'customer-service_list-users',
  'customer-service_user-view',
);
/** Changes people, decides nothing. */
export const EDITOR = holding(
  'system_employee',
  'customer-service_list-users',
  'customer-service_user-view',
  'customer-service_user-edit',
);

export const ROLES = {
  data: [
    ['administrator', 'registered-user', 'admin_dashboard', 'admin_permissions'],
    ['salesperson', 'registered-user', 'customer-service_list-users', 'customer-service_user-view'],
    ['customer', 'registered-user'],
  ].map(([name, ...subjects]) => ({ _id: `r-${name}`, name, permissions: subjects.map(permission) })),
};

export const row = (id: string, username: string, fullName: string, more: object = {}) => ({
  _id: id,
  fullName,
  username,
  avatar: null,
  email: `${username}@exemplo.com.br`,
  roles: ['customer'],
  sponsor: { _id: 'u-rui', username: 'rui9' },
  balance: '1234.567800',
  created_at: '2026-03-02T12:00:00Z',
  status: 'active',
  emailConfirmed: true,
  invited: false,
  twoFactor: { email: true, app: false, passkey: false },
  binaryActive: true,
  editable: true,
  ...more,
});
export const ANA = row('u-ana', 'anaprado21', 'Ana Prado');
export const PEOPLE = page([
  ANA,
  row('u-bia', 'biacastro7', 'Bia Castro', {
    roles: ['administrator'],
    twoFactor: { email: true, app: true, passkey: false },
    binaryActive: false,
    sponsor: null,
  }),
  row('u-caio', 'caiolima31', 'Caio Lima', {
    emailConfirmed: false,
    invited: true,
    twoFactor: { email: false, app: false, passkey: false },
    binaryActive: false,
    balance: '0.000000',
  }),
  row('u-dora', 'doramagalhaes48201', 'Dora Magalhães de Albuquerque Figueiredo', {
    status: 'inactive',
    roles: ['customer', 'salesperson'],
    balance: '98765432.123456',
  }),
]);

export const person = (more: object = {}) => ({
  ...ANA,
  mobileNumber: '+55 11 98888-7777',
  locale: 'pt',
  timeZone: 'America/Sao_Paulo',
  birthDate: '1990-11-25',
  document: { kind: 'cpf', masked: '***.982.247-**' },
  address: CUSTOMER.address,
  social: { instagram: '@ana.prado', whatsapp: '+5511988887777' },
  emailChange: null,
  personal: true,
  lastSignInAt: hours(3),
  statusReason: null,
  statusBy: null,
  statusAt: null,
  closedAt: null,
  closingReason: null,
  frozen: false,
  passwordEnded: false,
  hold: null,
  missing: [],
  acceptances: ACCEPTED,
  roles: [{ _id: 'r-customer', name: 'customer' }],
  binarySide: 'left',
  placed: true,
  graduation: { name: 'bronze', reachedAt: '2026-10-03T03:05:00Z' },
  nextGraduationInfo: {
    name: 'silver',
    points: '3200.000000',
    threshold: '5000.000000',
    progress: 64,
    bonus: '200.000000',
  },
  binaryNeeds: [],
  request: null,
  editable: true,
  emailByTwo: false,
  ...more,
});
/** For who does not decide about money. */
export const plain = (more: object = {}) => person({ balance: null, request: null, ...more });
export const DECIDER = person({
  ...row('u-bia', 'biacastro7', 'Bia Castro'),
  roles: [{ _id: 'r-administrator', name: 'administrator' }],
});

const staff = (id: string, username: string, fullName: string) => ({ _id: id, username, fullName });
export const BIA = staff('u-bia', 'biacastro7', 'Bia Castro');
export const request = (more: object = {}) => ({
  _id: '018f0000-0000-7000-8000-00000000e001',
  person: staff('u-bia', 'biacastro7', 'Bia Castro'),
  action: 'deactivate',
  roles: [],
  before: 'active',
  after: 'inactive',
  why: 'Saiu da empresa',
  status: 'waiting',
  askedBy: staff(ADMINISTRATOR._id, ADMINISTRATOR.username, ADMINISTRATOR.fullName),
  askedAt: hours(1),
  lastsUntil: hours(-160),
  decidedBy: null,
  decidedAt: null,
  reason: null,
  version: 1,
  ...more,
});

const leg = (members: number, carried: string) => ({
  members,
  points: { carried, owed: '0.000000', fresh: '120.000000' },
});
export const NETWORK = {
  sponsors: [
    { ...staff('u-rui', 'rui9', 'Rui Moura'), level: 1, isHouse: false },
    { ...staff('u-vera', 'veradias2', 'Vera Dias'), level: 2, isHouse: false },
    { ...staff('u-house', 'arbora', 'Arbora'), level: 3, isHouse: true },
  ],
  referrals: 14,
  activeReferrals: 9,
  left: leg(128, '1200.000000'),
  right: leg(74, '500.000000'),
  closedDay: '2026-11-19',
  n: '2500.000000',
  highestN: '4000.000000',
  rank: 'bronze',
  paidPoints: '3200.000000',
  binaryActive: false,
  binaryNeeds: ['right_referral'],
  bonuses: [
    { kind: 'direct_sale', level: 1, count: 12, paid: '300.000000', waiting: '25.000000' },
    { kind: 'level', level: 3, count: 40, paid: '61.250000', waiting: '0.000000' },
  ],
};

const log = (id: number, category: string, action: string, details: object, more: object = {}) => ({
  _id: id,
  actor: BIA,
  subject: staff('u-ana', 'anaprado21', 'Ana Prado'),
  category,
  action,
  details,
  created_at: hours(id),
  ...more,
});
export const LOGS = page([
  log(1, 'profile', 'user.status', { before: 'active', after: 'inactive', status: 'inactive' }),
  log(2, 'auth', 'session.started', { device: 'Chrome no Linux' }, { actor: null }),
  log(3, 'money', 'transfer.sent', { value: '10.000000', to: 'rui9' }),
]);
export const note = (id: string, text: string) => ({ _id: id, author: BIA, text, created_at: hours(5) });
export const NOTES = page([
  note('n1', 'Ligou para confirmar o endereço.\nEnviou o documento por e-mail.'),
  note('n2', 'Prefere falar em espanhol.'),
]);
export const SESSIONS = {
  data: [
    {
      _id: 's1',
      current: false,
      device: 'Chrome no Linux',
      address: '203.0.113.7',
      createdAt: '2026-11-18T12:00:00Z',
      lastUsedAt: hours(1),
    },
  ],
};
/** What Ana's account has in common with others: a device, and an address that more sent to than are named. */
const sharing = (who: string, username: string, fullName: string, since: string) => ({
  _id: who,
  username,
  fullName,
  status: 'active',
  since,
});
export const RELATED = {
  data: [
    {
      _id: 'wallet-ab',
      kind: 'wallet',
      shown: '0x12ab…90cd',
      since: '2026-11-19T12:00:00Z',
      accounts: 23,
      people: [
        sharing('u-ana', 'anaprado12345', 'Ana Prado', '2026-10-02T12:00:00Z'),
        sharing('u-rui', 'ruicosta88', 'Rui Costa', '2026-11-19T12:00:00Z'),
      ],
    },
    {
      _id: 'device-1',
      kind: 'device',
      shown: 'Chrome no Linux',
      since: '2026-11-03T12:00:00Z',
      accounts: 2,
      people: [
        sharing('u-bia', 'biasouza301', 'Bia Souza', '2026-09-12T12:00:00Z'),
        sharing('u-ana', 'anaprado12345', 'Ana Prado', '2026-11-03T12:00:00Z'),
      ],
    },
    {
      _id: 'payer-1',
      kind: 'payer',
      shown: null,
      since: '2026-10-20T12:00:00Z',
      accounts: 2,
      people: [
        sharing('u-ana', 'anaprado12345', 'Ana Prado', '2026-10-01T12:00:00Z'),
        sharing('u-bia', 'biasouza301', 'Bia Souza', '2026-10-20T12:00:00Z'),
      ],
    },
  ],
};
const ZERO = '0.000000';
export const FINANCES = {
  user: { ...ANA, registeredAt: '2026-03-02T12:00:00Z' },
  figures: {
    total: '2660.230707',
    available: '1234.567800',
    invested: '1300.250000',
    sponsored: ZERO,
    paidIn: '5000.000000',
    takenOut: '1200.000000',
    netPaidIn: '3800.000000',
    result: '83.412907',
  },
  accounts: {
    available: '1234.567800',
    held: ZERO,
    bonus: '42.000000',
    sponsored: ZERO,
    debt: ZERO,
    poolPrincipal: '50.000000',
    price: '500.000000',
    topup: '250.000000',
    allocated: '1050.250000',
    yield: '83.412907',
    loan: ZERO,
  },
  flows: { entries: '5000.000000', exits: '1200.000000' },
  deposits: [{ method: 'pix', count: 3, credited: '5000.000000', reversed: ZERO }],
  withdrawals: [{ method: 'pix', count: 1, value: '1200.000000', fee: '12.000000' }],
  transfers: { sentCount: 1, sent: '10.000000', receivedCount: 0, received: ZERO },
  licences: {
    count: 2,
    value: '500.000000',
    activeCount: 2,
    activeValue: '500.000000',
  },
  bonus: { count: 52, received: '361.250000', used: '319.250000' },
  movements: [{ kind: 'deposit_pix', count: 3, credits: '5000.000000', debits: ZERO }],
};
export const TICKETS = page([
  {
    _id: 't1',
    category: 'financial',
    closedAt: null,
    created_at: hours(30),
    deleted: false,
    lastMessage: 'Ainda não caiu.',
    lastMessageAt: hours(2),
    lastNumber: 3,
    number: 1042,
    readByCustomer: 3,
    readByStaff: 2,
    status: 'open',
    subject: 'Depósito não creditado',
    user: 'u-ana',
    userName: 'Ana Prado',
    version: 3,
    waitingSince: hours(2),
  },
]);

/** What was sent, call by call; answered in turn, the last answer for good. */
export const sent = (...answers: ((route: Route) => unknown)[]) => {
  const bodies: unknown[] = [];
  const answer = async (route: Route) => {
    bodies.push(route.request().postDataJSON());
    await answers[Math.min(bodies.length, answers.length) - 1]?.(route);
  };
  return { bodies, answer };
};
/** Answered like this. */
export const ok = (json: object) => (route: Route) => route.fulfill({ json });
