/** Tickets and their messages, as the server tells them. */

import { ago, MINUTE } from './clock';
import { ADMINISTRATOR, CUSTOMER } from './stub';
import type { Page, Route } from './window';

const minutesAgo = (minutes: number) => ago(minutes * MINUTE);
export const T = '018f0000-0000-7000-8000-00000000aaaa';
export const BIA = '018f0000-0000-7000-8000-0000000000bb';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAwAAAAMCAIAAADZF8uwAAAAE0lEQVR42mOQv9pNEDGMKhqMigCjAtdxtTaJGQAAAABJRU5ErkJggg==',
  'base64',
);

export const ticket = (more: object = {}) => ({
  _id: T,
  number: 41,
  user: CUSTOMER._id,
  userName: 'Marina Duarte',
  subject: 'Depósito PIX não apareceu no saldo',
  category: 'financial',
  status: 'open',
  lastNumber: 6,
  lastMessage: 'Pode mandar o comprovante, por favor?',
  readByCustomer: 4,
  readByStaff: 5,
  waitingSince: null,
  lastMessageAt: minutesAgo(2),
  created_at: minutesAgo(60 * 26),
  closedAt: null,
  version: 9,
  ...more,
});

export const RUI = '018f0000-0000-7000-8000-0000000000c1';
/** What staff alone know of a ticket. */
export const desk = (id: string = T, more: object = {}) => ({
  _id: id,
  takenBy: null,
  takenAt: null,
  firstAnsweredAt: null,
  notes: 0,
  rating: null,
  version: 9,
  ...more,
});
export const taken = (name: 'Bia Ramos' | 'Rui Leal', more: object = {}) => ({
  takenBy: { _id: name === 'Rui Leal' ? RUI : BIA, name },
  takenAt: minutesAgo(12),
  firstAnsweredAt: minutesAgo(60 * 25.5),
  ...more,
});
/** As staff's list shows it. */
export const staffTicket = (more: { _id?: string; [field: string]: unknown } = {}, known: object = {}) => ({
  ...ticket(more),
  desk: desk(more._id ?? T, known),
});

export const message = (
  number: number,
  side: 'customer' | 'staff',
  text: string,
  minutes: number,
  more: object = {},
) => ({
  _id: `018f0000-0000-7000-8000-0000000000${String(number).padStart(2, '0')}`,
  ticket: T,
  number,
  author: side === 'customer' ? CUSTOMER._id : BIA,
  authorName: side === 'customer' ? 'Marina Duarte' : 'Bia Ramos',
  side,
  text,
  attachment: null,
  edited: false,
  deleted: false,
  clientId: null,
  created_at: minutesAgo(minutes),
  ...more,
});

const image = { file: 'f1', name: 'comprovante.png', mime: 'image/png', bytes: 48_213 };
const pdf = { file: 'f2', name: 'extrato novembro.pdf', mime: 'application/pdf', bytes: 182_400 };
const MESSAGES = [
  message(1, 'customer', 'Oi! Enviei um PIX de R$ 500,00 ontem e o saldo não mudou.', 60 * 26, {
    attachment: image,
  }),
  message(2, 'staff', 'Olá, Marina. Vou verificar agora mesmo.', 60 * 25.5),
  message(3, 'customer', 'Obrigada.', 60 * 25.4, { edited: true }),
  message(4, 'customer', 'Segue também o extrato do banco.', 60 * 25.3, { attachment: pdf }),
  message(5, 'staff', '', 14, { deleted: true }),
  message(6, 'staff', 'Pode mandar o comprovante, por favor?\nPrecisamos do EndToEndId.', 2),
];
export const detail = (more: object = {}) => ({
  ticket: ticket(),
  description: MESSAGES[0]?.text,
  image: 'f1',
  about: null,
  rating: null,
  messages: MESSAGES,
  hasOlder: false,
  epoch: 1,
  seq: 0,
  ...more,
});
/** Of the things that a ticket can be about. */
export const OWN_LICENCE = {
  kind: 'licence',
  id: 'l1',
  amount: '500.000000',
  currency: 'USDT',
  status: 'active',
  at: '2026-10-02T12:00:00Z',
};
export const CUSTOMER_PANEL = {
  _id: CUSTOMER._id,
  fullName: 'Marina Duarte',
  username: 'marinaduarte48201',
  status: 'active',
  locale: 'pt',
  created_at: '2026-03-02T12:00:00Z',
  tickets: 4,
  openTickets: 1,
  recent: [
    {
      kind: 'pix_deposit',
      id: 'd1',
      amount: '100.000000',
      currency: 'USDT',
      status: 'pending_approval',
      at: minutesAgo(60 * 20),
    },
    OWN_LICENCE,
  ],
};
export const page1 = (data: object[]) => ({
  data,
  meta: { page: 1, limit: 10, total: data.length, lastPage: 1 },
});
const LIST = page1([
  ticket(),
  ticket({
    _id: 't2',
    number: 38,
    subject: 'Como ativo o robô?',
    category: 'robot_trading',
    waitingSince: minutesAgo(4),
    lastMessage: 'Fiz o aporte e ele segue parado',
    lastMessageAt: minutesAgo(4),
    lastNumber: 3,
    readByCustomer: 3,
    readByStaff: 2,
    userName: 'Rui Matos',
  }),
  ticket({
    _id: 't3',
    number: 12,
    subject: 'Trocar o telefone',
    category: 'account_data',
    status: 'closed',
    closedAt: '2026-11-02T12:00:00Z',
    lastMessage: 'Pronto!',
    lastMessageAt: '2026-11-02T12:00:00Z',
    readByCustomer: 6,
  }),
]);
/** The last is a colleague's, the others are nobody's. */
export const STAFF_LIST = page1(
  LIST.data.map((row, place) => ({
    ...row,
    desk: desk((row as { _id: string })._id, place === 2 ? taken('Rui Leal', { notes: 1 }) : {}),
  })),
);
export const NOTE = {
  _id: '018f0000-0000-7000-8000-0000000000d1',
  number: 1,
  author: { _id: RUI, name: 'Rui Leal' },
  text: 'O banco confirmou que o PIX saiu. Falta o EndToEndId.',
  created_at: minutesAgo(9),
};
export const CANNED = {
  data: [
    {
      _id: '018f0000-0000-7000-8000-0000000000e1',
      title: 'Prazo do PIX',
      text: {
        pt: 'Olá, {name}! O PIX do chamado {ticket} entra em até um dia útil.',
        en: 'Hello, {name}! The PIX of ticket {ticket} arrives within one working day.',
        es: '¡Hola, {name}! El PIX del ticket {ticket} entra en un día hábil.',
      },
      retired: false,
      version: 1,
    },
    {
      _id: '018f0000-0000-7000-8000-0000000000e2',
      title: 'Comprovante',
      text: {
        pt: 'Envie o comprovante, por favor.',
        en: 'Please send the receipt.',
        es: 'Envíe el comprobante.',
      },
      retired: false,
      version: 3,
    },
    {
      _id: '018f0000-0000-7000-8000-0000000000e3',
      title: 'Feriado',
      text: { pt: 'Hoje é feriado.', en: 'Today is a holiday.', es: 'Hoy es feriado.' },
      retired: true,
      version: 2,
    },
  ],
};
export const REPORT = {
  data: [
    { day: '2026-11-20', opened: 4, solved: 3, firstAnswerSeconds: 720, ratings: 3, ratingSum: 13 },
    { day: '2026-11-19', opened: 0, solved: 1, firstAnswerSeconds: null, ratings: 0, ratingSum: 0 },
  ],
  agents: [{ agent: { _id: RUI, name: 'Rui Leal' }, ratings: 3, ratingSum: 13 }],
};
export const ANSWERS = {
  'GET /support/list-tickets-user/': LIST,
  'GET /support/list-tickets-all/': STAFF_LIST,
  [`GET /support/get-ticket-user/${T}`]: detail(),
  [`GET /support/get-ticket-support-team/${T}`]: detail({ customer: CUSTOMER_PANEL, desk: desk() }),
  [`GET /support/ticket-notes/${T}`]: { data: [] },
  'GET /support/ticket-notes/t2': { data: [] },
  'GET /support/canned-replies': CANNED,
  'GET /support/desk-report': REPORT,
  'GET /support/agents': {
    data: [
      { _id: BIA, name: 'Bia Ramos', open: 2, answers: true },
      { _id: RUI, name: 'Rui Leal', open: 1, answers: true },
    ],
  },
  'GET /files/f1': (route: Route) => route.fulfill({ status: 200, contentType: 'image/png', body: PNG }),
};
export const AGENT = { ...ADMINISTRATOR, _id: BIA, fullName: 'Bia Ramos' };

/** The messages of a conversation, as they stand in it. */
export const bubbles = (page: Page) => page.getByRole('log').locator('[data-number]');
