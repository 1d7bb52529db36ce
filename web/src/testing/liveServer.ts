/** A server that speaks the protocol, for the socket's tests, and what every one of them does. */
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { type WebSocket as Peer, WebSocket, WebSocketServer } from 'ws';
import { LiveSocket, type LiveSocketOptions, type SocketState } from '@/live/LiveSocket';
import type { ClientMessage, ServerMessage } from '@/live/protocol';

vi.stubGlobal('WebSocket', WebSocket);

export const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

/** A server that speaks the protocol and keeps one numbered stream `s`, as the real one does. */
export class Server {
  readonly #server = new WebSocketServer({ port: 0 });
  readonly heard: ClientMessage[] = [];
  readonly peers: Peer[] = [];
  /** Facts by number; everything below `oldest` is forgotten. */
  facts: { seq: number; kind: string }[] = [];
  epoch = 1;
  oldest = 1;
  goodTokens = new Set(['t1']);
  onSubscribe: ((peer: Peer, message: Extract<ClientMessage, { op: 'subscribe' }>) => boolean) | null = null;

  constructor() {
    stops.push(() => {
      for (const peer of this.peers) peer.terminate();
      this.#server.close();
    });
    this.#server.on('connection', (peer) => {
      this.peers.push(peer);
      peer.on('message', (raw) => this.#hear(peer, JSON.parse(String(raw)) as ClientMessage));
    });
  }

  get url() {
    return `ws://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }
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

  #hear(peer: Peer, message: ClientMessage) {
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

  answer(peer: Peer, { stream, epoch, seq }: Extract<ClientMessage, { op: 'subscribe' }>) {
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
beforeEach(() => {
  server = new Server();
  states = [];
  seen = [];
});

export function connect(options: Partial<LiveSocketOptions> = {}) {
  const live = new LiveSocket({
    url: () => server.url,
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
export const open = (live: LiveSocket) => vi.waitFor(() => expect(live.state).toBe('open'));
export const subscribed = (times = 1) => vi.waitFor(() => expect(server.asked().length).toBe(times));
export const settle = (ms = 40) => new Promise((resolve) => setTimeout(resolve, ms));
