/** A server that speaks the protocol, for the socket's tests, on a wire and a clock that stand still unless a test moves them: how
 * busy the machine is changes nothing. The real socket meets the real server in the flows. */
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { LiveSocket, type LiveSocketOptions, type SocketState } from '@/live/LiveSocket';
import type { ClientMessage, ServerMessage } from '@/live/protocol';

const URL_OF_TESTS = 'ws://tests.invalid';
/** What one way over the wire takes, in milliseconds of the tests' clock. */
const LATENCY = 1;

/** The browser's socket, as far as `LiveSocket` uses it, and the server's end of it: ordered both ways, as the real one is. */
class Wire implements Pick<WebSocket, 'readyState' | 'send' | 'close'> {
  static readonly OPEN = 1;
  readyState: 0 | 1 | 2 | 3 = 0;
  onopen = () => {};
  onmessage = (_: { data: string }) => {};
  onclose = (_: { code: number }) => {};
  readonly peer: Peer;

  constructor(url: string) {
    if (url !== URL_OF_TESTS) throw new SyntaxError(`no address: ${url}`);
    this.peer = {
      send: (frame) => this.#later(() => this.readyState === Wire.OPEN && this.onmessage({ data: frame })),
      close: (code) => this.#later(() => this.#closed(code)),
      terminate: () => this.#later(() => this.#closed(1006)),
    };
    this.#later(() => {
      this.readyState = Wire.OPEN;
      server.peers.push(this.peer);
      this.onopen();
    });
  }
  send(frame: string) {
    this.#later(() => server.hear(this.peer, JSON.parse(frame) as ClientMessage));
  }
  close(code = 1005) {
    this.#later(() => this.#closed(code));
  }

  #later(step: () => void) {
    setTimeout(step, LATENCY);
  }
  #closed(code: number) {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose({ code });
  }
}

export interface Peer {
  send(frame: string): void;
  close(code: number, reason?: string): void;
  /** Cut, without a word. */
  terminate(): void;
}

/** A server that speaks the protocol and keeps one numbered stream `s`, as the real one does. */
export class Server {
  readonly heard: ClientMessage[] = [];
  readonly peers: Peer[] = [];
  /** Facts by number; everything below `oldest` is forgotten. */
  facts: { seq: number; kind: string }[] = [];
  epoch = 1;
  oldest = 1;
  goodTokens = new Set(['t1']);
  onSubscribe: ((peer: Peer, message: Extract<ClientMessage, { op: 'subscribe' }>) => boolean) | null = null;

  get peer(): Peer {
    const peer = this.peers.at(-1);
    if (!peer) throw new Error('nobody is connected');
    return peer;
  }
  get head() {
    return this.facts.at(-1)?.seq ?? 0;
  }
  asked = () => this.heard.filter((message) => message.op === 'subscribe');

  send(message: ServerMessage, peer = this.peer) {
    peer.send(JSON.stringify(message));
  }
  /** Writes the next fact; `tell: false` loses it on the way. */
  fact(kind = 'f', tell = true): number {
    const seq = this.head + 1;
    this.facts.push({ seq, kind });
    if (tell) this.tell(seq);
    return seq;
  }
  tell(seq: number, peer = this.peer) {
    this.send(
      {
        type: 'event',
        stream: 's',
        epoch: this.epoch,
        seq,
        at: '',
        event: { kind: 'user.changed', reason: `${seq}` },
      },
      peer,
    );
  }

  hear(peer: Peer, message: ClientMessage) {
    this.heard.push(message);
    if (message.op === 'auth') {
      if (!this.goodTokens.has(message.token)) return peer.close(4001, 'unauthenticated');
      this.send({ type: 'welcome', user: 'u', session: 'x', now: '', heartbeatSeconds: 25 }, peer);
    }
    if (message.op === 'subscribe') {
      if (this.onSubscribe && !this.onSubscribe(peer, message)) return;
      this.answer(peer, message);
    }
  }

  answer(peer: Peer, { stream, epoch, seq = null }: Extract<ClientMessage, { op: 'subscribe' }>) {
    const { head } = this;
    const known = epoch === this.epoch && seq !== null && seq >= this.oldest - 1;
    if (seq !== null && !known)
      return this.send({ type: 'reset', stream, epoch: this.epoch, seq: head }, peer);
    // A resume is answered with the place that it starts from.
    this.send({ type: 'subscribed', stream, epoch: this.epoch, seq: seq ?? head }, peer);
    for (const fact of this.facts) if (seq !== null && fact.seq > seq) this.tell(fact.seq, peer);
  }
}

export let server: Server;
export let states: SocketState[];
export let seen: number[];
const stops: (() => void)[] = [];

/** Each test of the file has a server, a wire and a clock of its own. */
export function onTheWire() {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('WebSocket', Wire);
    server = new Server();
    states = [];
    seen = [];
  });
  afterEach(() => {
    for (const stop of stops.splice(0).reverse()) stop();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
}

export function connect(options: Partial<LiveSocketOptions> = {}) {
  const live = new LiveSocket({
    url: () => URL_OF_TESTS,
    token: () => 't1',
    renew: () => Promise.resolve(),
    onState: (state) => states.push(state),
    baseDelayMs: 20,
    random: () => 1,
    ...options,
  });
  stops.push(() => live.stop());
  live.start();
  return live;
}

export const follow = (live: LiveSocket, reset?: () => unknown) =>
  live.subscribe('s', { event: (_, { seq }) => seen.push(seq), reset });

/** Lets the tests' clock go until `check` holds; its error when that is not within a minute of that clock. */
export async function until(check: () => void) {
  const end = Date.now() + 60_000;
  for (;;) {
    try {
      return check();
    } catch (error) {
      if (Date.now() >= end) throw error;
    }
    await vi.advanceTimersByTimeAsync(LATENCY);
  }
}
export const open = (live: LiveSocket) => until(() => expect(live.state).toBe('open'));
export const subscribed = (times = 1) => until(() => expect(server.asked().length).toBe(times));
/** Time for what must not happen. */
export const settle = (ms = 40) => vi.advanceTimersByTimeAsync(ms);
