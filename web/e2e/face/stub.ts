/** Answers the face's calls inside a test: a signed-in person, their lists, and a socket that welcomes. */

import { QUEUES } from '../../src/api/queues';
import { ago, HOUR, MINUTE, NOON, SECOND } from './clock';
import { address, answeredBy } from './host';
import { expect, type Page, type Route, type WebSocketRoute } from './window';

type Answer = unknown | ((route: Route) => Promise<void> | void);

export const CUSTOMER = {
  _id: '018f0000-0000-7000-8000-000000000001',
  fullName: 'Marina Duarte',
  username: 'marinaduarte48201',
  email: 'marina@exemplo.com.br',
  emailConfirmed: true,
  status: 'active',
  mobileNumber: '+55 11 98888-7777',
  avatar: null,
  roles: [{ _id: 'r1', name: 'customer', permissions: [{ action: 'read', subject: 'registered-user' }] }],
  balance: '48213.570000',
  balances: [
    { account: 'available', balance: '48213.570000', version: 7 },
    { account: 'bonus', balance: '12.000000', version: 2 },
  ],
  twoFactor: { email: true, app: false, passkey: false, passkeyOpens: false, recoveryCodesLeft: 0 },
  google: null,
  hasPassword: true,
  binarySide: 'left',
  locale: 'pt',
  social: {},
  sponsor: { username: 'ana21', firstName: 'Ana', social: {} },
  address: {
    country: 'Brasil',
    state: 'SP',
    city: 'São Paulo',
    street: 'Rua Augusta',
    number: '1200',
    complement: 'ap 31',
    district: 'Consolação',
    postalCode: '01304-001',
  },
  registeredAt: '2026-03-02T12:00:00Z',
  graduation: null,
  nextGraduationInfo: null,
  missing: [],
  termsBefore: true,
  pause: null,
};

const permission = (subject: string) => ({ action: 'read', subject });
export const ADMINISTRATOR = {
  ...CUSTOMER,
  fullName: 'Ana Prado',
  username: 'anaprado21',
  roles: [
    {
      _id: 'r0',
      name: 'administrator',
      permissions: [
        'registered-user',
        'admin_dashboard',
        'admin_permissions',
        'customer-service_list-users',
        'customer-service_user-view',
        'customer-service_user-edit',
        'customer-service_list-tickets',
        'customer-service_response-ticket',
      ].map(permission),
    },
  ],
};

/** What everybody is told before anybody signs in; `now` is the page's own time. */
export const CONFIG = {
  world: 'demo',
  brand: 'Arbora',
  defaultRate: '5.0000',
  termsVersion: '2026-11',
  mailbox: '/dev/mailbox',
  officer: { name: 'Olívia Prado', email: 'privacidade@arbora.example' },
};

/** A server's key for pushes: a point of P-256, uncompressed. */
export const PUSH_KEY =
  'BLjzH7rC2MwJNKaJXqmNdkDZl-iU9pVcwvW34KbK0X6WU3c2kkJ04O1Yw-Q3fESNi490XbvYhupixqBbQTvogRM';

const DEFAULTS: Record<string, Answer> = {
  'GET /config': CONFIG,
  'POST /auth/refresh': { token: 'access' },
  'GET /people/pictures': { data: [] },
  'GET /notifications': {
    unread: 2,
    meta: { page: 1, limit: 30, total: 3, lastPage: 1 },
    data: [
      {
        id: 'n1',
        code: 'welcome',
        params: {},
        at: ago(4 * MINUTE),
        read: false,
      },
      {
        id: 'n2',
        code: 'welcome',
        params: {},
        at: ago(HOUR),
        read: false,
      },
      { id: 'n3', code: 'welcome', params: {}, at: '2026-11-18T12:00:00Z', read: true },
    ],
  },
  'GET /me/passkeys': { data: [] },
  'GET /me/push': { key: PUSH_KEY, devices: [] },
  'GET /sessions': {
    data: [
      {
        _id: 's1',
        current: true,
        device: 'Chrome no Linux',
        address: '203.0.113.7',
        createdAt: '2026-11-18T12:00:00Z',
        lastUsedAt: ago(30 * SECOND),
      },
      {
        _id: 's2',
        current: false,
        device: 'Safari no iPhone',
        address: '198.51.100.20',
        createdAt: '2026-11-02T12:00:00Z',
        lastUsedAt: ago(5 * HOUR),
      },
    ],
  },
};

/** What waits for a decision: of each named queue how much, how much for the person, since when. */
export const waiting = (queues: Readonly<Record<string, readonly [number, number, string]>> = {}) => ({
  queues: Object.values(QUEUES).flatMap(({ counter: queue }) => {
    if (queue === null) return [];
    const [pending, mine, oldest] = queues[queue] ?? [0, 0, null];
    return [{ queue, pending, mine, oldest }];
  }),
});

export interface Stub {
  /** `METHOD /path` of every call, in order. */
  calls: string[];
  answers: Record<string, Answer>;
  /** How many sockets the page and those before it have opened. */
  opened: number;
  /** What the page's socket has said, parsed. */
  heard: () => Said[];
  /** Tells the page something, once its socket is welcome and, for a stream's word, follows that stream: before that it would be lost.
   *  What the page has not received then fails the test. */
  say: (message: Told) => Promise<void>;
  /** A numbered fact of a stream, at the page's own time. */
  fact: (stream: string, seq: number, event: { kind: string; [more: string]: unknown }) => Promise<void>;
  /** What is told again and again: where nobody listens, it is lost. */
  glimpse: (key: string, glimpse: object) => void;
  /** Closes the page's socket from the server's side, once it has signed in. */
  cut: (close?: { code: number; reason: string }) => Promise<void>;
  /** The call answers otherwise from the page's next click on. A page asks anew for what failed as soon as its link is open: an
   *  answer changed before the click could take the button to try again away. */
  fromClick: (call: string, answer: Answer) => Promise<void>;
}

export interface Told {
  type: string;
  stream?: string;
  [more: string]: unknown;
}

interface Said {
  op: string;
  stream?: string;
}

/** `user` signs somebody in before the first page; the answers are added to (or replace) the defaults. `at` is the time at which the test
 *  begins, for the page and for all that the stub tells it; it passes as time does unless `page.clock` is told otherwise. */
export async function stub(
  page: Page,
  user: unknown = null,
  answers: Record<string, Answer> = {},
  at: string | number = NOON,
): Promise<Stub> {
  // A test before this one may have held it.
  await page.clock.install({ time: at });
  await page.clock.resume();
  const now = () => page.evaluate(() => new Date().toISOString());
  // Of this document: those of a page that is gone hear nothing.
  let sockets: WebSocketRoute[] = [];
  const said = new WeakMap<WebSocketRoute, Said[]>();
  const welcomed = new WeakSet<WebSocketRoute>();
  const newest = () => sockets.at(-1);
  const heard = () => {
    const socket = newest();
    return (socket && said.get(socket)) ?? [];
  };
  /** The page's socket, once it is welcome and follows the stream. */
  const follower = (stream?: string) => {
    const socket = newest();
    if (!socket || !welcomed.has(socket)) return null;
    return !stream || heard().some((one) => one.op === 'subscribe' && one.stream === stream) ? socket : null;
  };
  const ready = (stream?: string) =>
    expect
      .poll(() => follower(stream) !== null, { message: `the page follows ${stream ?? 'anything'}` })
      .toBe(true);
  let told = 0;
  const say: Stub['say'] = async (message) => {
    await ready(message.stream);
    const frame = ++told;
    const word = JSON.stringify({ ...message, frame });
    let toldTo: WebSocketRoute | null = null;
    const received = () =>
      page.evaluate((n) => (window as unknown as Receipts).frames?.includes(n) ?? false, frame);
    const heardBySomebody = async () => {
      // A page that has meanwhile opened another link of its own accord is told there: what was said to the old one went with it.
      const socket = follower(message.stream);
      if (socket && socket !== toldTo) {
        toldTo = socket;
        socket.send(word);
      }
      return received();
    };
    await expect.poll(heardBySomebody, { message: `somebody hears ${JSON.stringify(message)}` }).toBe(true);
  };
  const state: Stub = {
    calls: [],
    answers: { ...DEFAULTS, ...answers },
    opened: 0,
    heard,
    say,
    fact: async (stream, seq, event) => say({ type: 'event', stream, epoch: 1, seq, at: await now(), event }),
    glimpse: (key, glimpse) => newest()?.send(JSON.stringify({ type: 'glimpse', key, glimpse })),
    cut: async (close) => {
      await ready();
      await newest()?.close(close);
    },
    fromClick: async (call, answer) => {
      await page.evaluate(() => {
        delete document.documentElement.dataset.clicked;
        const clicked = () => {
          document.documentElement.dataset.clicked = '';
        };
        document.addEventListener('click', clicked, { capture: true, once: true });
      });
      const before = state.answers[call];
      state.answers[call] = async (route: Route) => {
        const clicked = await page
          .evaluate(() => 'clicked' in document.documentElement.dataset)
          // A page that is just leaving.
          .catch(() => false);
        if (clicked) state.answers[call] = answer;
        return give(route, clicked ? answer : before);
      };
    },
  };
  if (user) {
    // As of where the streams begin: it is read once.
    const { _id } = user as { _id?: string };
    const places = [`user:${_id}`, 'public'].map((stream) => ({ stream, epoch: 1, seq: 0 }));
    state.answers['GET /me'] ??= { user, places };
    await page.context().addCookies([{ name: 'signed_in', value: '1', url: address() }]);
  }
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) sockets = [];
  });
  const welcome = async (socket: WebSocketRoute) => {
    // A page that is just leaving has no time any more, and needs no welcome.
    const time = await now().catch(() => null);
    if (time === null) return;
    const message = { type: 'welcome', user: 'u', session: 's', now: time, heartbeatSeconds: 25 };
    socket.send(JSON.stringify(message));
    welcomed.add(socket);
  };
  await page.routeWebSocket(/\/api\/ws$/, (socket) => {
    const words: Said[] = [];
    said.set(socket, words);
    sockets.push(socket);
    state.opened++;
    socket.onMessage((raw) => {
      const message = JSON.parse(String(raw));
      words.push(message);
      if (message.op === 'auth') void welcome(socket);
      if (message.op === 'subscribe')
        socket.send(JSON.stringify({ type: 'subscribed', stream: message.stream, epoch: 1, seq: 0 }));
    });
  });
  await page.addInitScript(giveReceipts);
  const answer = async (route: Route) => {
    const { pathname } = new URL(route.request().url());
    const call = `${route.request().method()} ${decodeURI(pathname.replace('/api', ''))}`;
    state.calls.push(call);
    const answer = state.answers[call];
    if (call !== 'GET /config' || typeof answer !== 'object') return give(route, answer);
    // The server's time is the page's; one that is just leaving has no time any more.
    const time = await now().catch(() => null);
    return time === null ? route.abort() : route.fulfill({ json: { now: time, ...answer } });
  };
  await page.setExtraHTTPHeaders(answeredBy(answer));
  return state;
}

const give = (route: Route, answer: Answer | undefined) => {
  if (typeof answer === 'function') return answer(route);
  if (answer === undefined)
    return route.fulfill({ status: 404, json: { code: 'request.not_found', message: 'Não encontrado.' } });
  return answer === null ? route.fulfill({ status: 204 }) : route.fulfill({ json: answer });
};

interface Receipts {
  frames?: number[];
}

/** Runs in the page, before its own program: notes which of the stub's words have come in. */
function giveReceipts() {
  const frames: number[] = [];
  Object.assign(window, { frames });
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }) => {
        const { frame } = JSON.parse(data);
        if (frame) frames.push(frame);
      });
    }
  };
}

/** A refusal as the server words it. */
export const refuse =
  (status: number, code: string, message: string, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({ status, headers, json: { code, message } });
