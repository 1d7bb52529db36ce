/** The words of `GET /api/ws`. Facts are durable and numbered per stream; glimpses are the newest value of a key, never stored. */

export type ClientMessage =
  | { op: 'auth'; token: string }
  | { op: 'refresh'; token: string }
  | { op: 'subscribe'; stream: string; epoch: number | null; seq: number | null }
  | { op: 'unsubscribe'; stream: string }
  | { op: 'watch'; topic: string }
  | { op: 'unwatch'; topic: string }
  | { op: 'typing'; ticket: string; on: boolean }
  | { op: 'read'; ticket: string; upTo: number }
  | { op: 'deciding'; queue: string; item: string; on: boolean }
  | { op: 'hb' };

export type ServerMessage =
  | { type: 'welcome'; user: string; session: string; now: string; heartbeatSeconds: number }
  | { type: 'subscribed'; stream: string; epoch: number; seq: number }
  | { type: 'reset'; stream: string; epoch: number; seq: number }
  | { type: 'event'; stream: string; epoch: number; seq: number; at: string; event: LiveEvent }
  | { type: 'glimpse'; key: string; glimpse: Glimpse }
  | { type: 'denied'; stream: string }
  | { type: 'heartbeat'; hb: Record<string, number> }
  | { type: 'drain'; withinMs: number }
  | { type: 'error'; code: string };

export type Mode = 'simulated' | 'paper' | 'live';
export type AccountKind = 'available' | 'held' | 'bonus' | 'sponsored' | 'debt';

export interface RobotTick {
  licence: string;
  yield: string;
  allocated: string;
  topup: string;
  loan: string;
  stoppedByLoan: boolean;
  limitLeft: string;
  today: string;
  totalGain: string;
  totalLoss: string;
  operations: number;
  gain: string;
  loss: string;
  status: string;
  version: number;
}

/** Facts: absolute values with a version, so that a double does no harm. Views of a room are typed by the room from the API. */
export type LiveEvent =
  | { kind: 'balance.changed'; accounts: { account: AccountKind; balance: string; version: number }[] }
  | { kind: 'licence.changed'; licence: Record<string, unknown> }
  | { kind: 'robots.settled'; batch: string; mode: Mode; at: string; robots: RobotTick[] }
  | { kind: 'robot.manual'; order: Record<string, unknown> }
  | { kind: 'robot.following'; following: Record<string, unknown> }
  | { kind: 'robot.status'; licence: string; status: string; version: number }
  | { kind: 'pix_deposit.changed'; deposit: Record<string, unknown> }
  | { kind: 'pix_withdrawal.changed'; withdrawal: Record<string, unknown> }
  | { kind: 'transfer.changed'; transfer: Record<string, unknown> }
  | { kind: 'crypto_deposit.changed'; deposit: Record<string, unknown> }
  | { kind: 'crypto_withdrawal.changed'; withdrawal: Record<string, unknown> }
  | { kind: 'hot_wallet.changed'; wallet: Record<string, unknown> }
  | { kind: 'rules.changed'; revision: number; change: Record<string, unknown> }
  | { kind: 'live_trading.changed'; switch: Record<string, unknown> }
  | { kind: 'live_operations.changed' }
  | { kind: 'declared_holding.changed'; declaration: string; place: string; value: string; status: string }
  | { kind: 'wallet.changed'; move: Record<string, unknown> }
  | { kind: 'presale.changed'; balances: Record<string, unknown> }
  | { kind: 'order.changed'; order: Record<string, unknown> }
  | { kind: 'queue.changed'; queue: string; item: Record<string, unknown>; pending: number }
  | { kind: 'compliance_case.changed'; case: Record<string, unknown> }
  | { kind: 'admin_grant.changed'; grant: Record<string, unknown> }
  | { kind: 'admin_freeze.changed'; freeze: Record<string, unknown> }
  | { kind: 'desk.halted'; mode: Mode; loss: string; limit: string; until: string }
  | { kind: 'chain.reorganised'; customers: number; from: number; to: number }
  | { kind: 'pool_revenue.changed'; revenue: string; pending: number }
  | { kind: 'loan.called'; licence: string; number: number; debt: string }
  | { kind: 'queue.old'; queue: string; pending: number; since: string }
  | { kind: 'ticket.opened'; ticket: Record<string, unknown> }
  | { kind: 'ticket.activity'; ticket: Record<string, unknown> }
  | { kind: 'ticket.message'; message: Record<string, unknown> }
  | { kind: 'ticket.message_changed'; message: Record<string, unknown> }
  | { kind: 'ticket.read'; ticket: string; side: 'customer' | 'staff'; upTo: number; message: string | null }
  | { kind: 'ticket.status'; ticket: Record<string, unknown> }
  | { kind: 'user.changed'; reason: string }
  | { kind: 'notification'; id: string; code: string; params: Record<string, unknown>; at: string }
  | { kind: 'pool.changed'; entry: Record<string, unknown> }
  | { kind: 'announcement'; code: string; params: Record<string, string> };

export type EventKind = LiveEvent['kind'];
export type EventOf<K extends EventKind> = Extract<LiveEvent, { kind: K }>;

export type Glimpse =
  | { kind: 'confirmations'; user: string; deposit: string; confirmations: number; needed: number }
  | { kind: 'typing'; ticket: string; user: string; name: string; on: boolean }
  | { kind: 'presence'; ticket: string; users: { id: string; name: string; staff: boolean }[] }
  | { kind: 'deciding'; queue: string; item: string; user: string; name: string; on: boolean }
  | {
      kind: 'desk.stats';
      feed: string;
      mode: Mode;
      running: boolean;
      quotesPerSecond: number;
      opportunitiesPerMinute: number;
      operationsPerMinute: number;
      robots: number;
      halted: 'daily_loss' | null;
    }
  | {
      kind: 'feed.health';
      feed: string;
      mode: Mode | null;
      running: boolean;
      venues: {
        venue: string;
        connected: boolean;
        since: string | null;
        quotesPerSecond: number;
        latencyMs: number | null;
        skewMs: number | null;
        reconnects: number;
        lastQuoteAt: string | null;
      }[];
    }
  | { kind: 'opportunity'; route: string; edge: string; size: string; ageMs: number }
  | { kind: 'quote'; venue: string; symbol: string; bid: string; ask: string }
  | {
      kind: 'pyx.book';
      bids: { price: string; quantity: string }[];
      asks: { price: string; quantity: string }[];
      trades: number;
    }
  | { kind: 'pyx.trade'; number: number; price: string; quantity: string; side: 'buy' | 'sell'; at: string }
  | { kind: 'pyx.round'; round: string; sold: string; supply: string; version: number };

export type GlimpseKind = Glimpse['kind'];
export type GlimpseOf<K extends GlimpseKind> = Extract<Glimpse, { kind: K }>;

/** What the client does about each close code. Any other code: reconnect after a jittered wait and resume. */
export const CLOSE = {
  authTimeout: 4000,
  unauthenticated: 4001,
  revoked: 4002,
  scopeChanged: 4003,
  slow: 4004,
  tooMany: 4005,
  badMessage: 4006,
  goingAway: 4007,
} as const;
