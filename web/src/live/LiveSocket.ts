/** One native WebSocket for the whole tab. It authenticates with its first message, resumes each stream from its last number,
 *  hands events over strictly in order and once, and comes back by itself with full jitter. No React, no DOM: tested against a
 *  real server. */
import { CLOSE } from '@/api/closeCodes';
import { Behind } from './behind';
import type { ClientMessage, Glimpse, ServerMessage, ServerWord, Topic } from './protocol';
import { clearPosition, parse, reportError, type Stream, type StreamListener } from './stream';

export type SocketState = 'idle' | 'connecting' | 'open' | 'waiting';

export interface LiveSocketOptions {
  url: () => string;
  /** The access token of now; null when nobody is signed in. */
  token: () => string | null;
  /** Draws a new access token. A rejection with `final` ends the session. */
  renew: () => Promise<unknown>;
  onState?: (state: SocketState) => void;
  onWelcome?: (message: ServerWord<'welcome'>) => void;
  onAlive?: () => void;
  onRevoked?: () => void;
  onScopeChanged?: () => unknown;
  isFinal?: (error: unknown) => boolean;
  baseDelayMs?: number;
  maxDelayMs?: number;
  silenceMs?: number;
  backOffMs?: number;
  settledMs?: number;
  answerMs?: number;
  busyMs?: number;
  gatherMs?: number;
  random?: () => number;
}

type Timer = ReturnType<typeof setTimeout>;

export class LiveSocket {
  readonly #options: LiveSocketOptions;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #silenceMs: number;
  readonly #backOffMs: number;
  readonly #settledMs: number;
  /** An answer that takes longer is not coming: it is asked for again. */
  readonly #answerMs: number;
  /** The same when the server has said that it could not do something, not what. */
  readonly #busyMs: number;
  readonly #random: () => number;
  readonly #streams = new Map<string, Stream>();
  readonly #topics = new Map<Topic, number>();
  readonly #behind: Behind;
  readonly #unnumbered = new Set<() => void>();
  readonly #glimpses = new Set<(key: string, glimpse: Glimpse) => void>();
  #socket: WebSocket | null = null;
  #welcomed = false;
  #welcomedAt: number | null = null;
  #attempt = 0;
  #started = false;
  #state: SocketState = 'idle';
  #retryTimer: Timer | undefined;
  #silenceTimer: Timer | undefined;
  #answerTimer: Timer | undefined;
  #answerDue = 0;
  /** Errors since the last answer: a server in trouble is asked ever more slowly. */
  #errors = 0;

  constructor(options: LiveSocketOptions) {
    this.#options = options;
    this.#baseDelayMs = options.baseDelayMs ?? 500;
    this.#maxDelayMs = options.maxDelayMs ?? 30_000;
    this.#silenceMs = options.silenceMs ?? 60_000;
    this.#backOffMs = options.backOffMs ?? 30_000;
    this.#settledMs = options.settledMs ?? 5_000;
    this.#answerMs = options.answerMs ?? 10_000;
    this.#busyMs = options.busyMs ?? 1_000;
    this.#behind = new Behind(options.gatherMs ?? 1_500, (event) => this.#event(event));
    this.#random = options.random ?? Math.random;
  }

  get state() {
    return this.#state;
  }

  start() {
    if (this.#started) return;
    this.#started = true;
    this.#attempt = 0;
    this.#connect();
  }

  stop() {
    this.#started = false;
    clearTimeout(this.#retryTimer);
    this.#behind.clear();
    this.#forget(1000);
    for (const stream of this.#streams.values()) clearPosition(stream);
    this.#enter('idle');
  }

  /** Null, or resolves, when each stream that is followed has its number, or when there is no telling when it will: what is fetched before would
   *  have to be fetched again. */
  numbered(): Promise<void> | null {
    if (!this.#lacksNumbers()) return null;
    return new Promise((resolve) => this.#unnumbered.add(resolve));
  }

  #lacksNumbers(): boolean {
    if (this.#state !== 'connecting' && this.#state !== 'open') return false;
    return [...this.#streams.values()].some(({ seq, denied }) => seq === null && !denied);
  }

  #tellNumbered() {
    if (this.#unnumbered.size === 0 || this.#lacksNumbers()) return;
    for (const resolve of this.#unnumbered) resolve();
    this.#unnumbered.clear();
  }

  /** The browser says that the network is back: no reason to sit out the wait. */
  hurry() {
    if (!this.#started || this.#state === 'open') return;
    // A connection that is just being tried may still fail for the old reason: then the next comes soon.
    this.#attempt = 0;
    if (this.#state !== 'waiting') return;
    clearTimeout(this.#retryTimer);
    this.#connect();
  }

  /** The browser says that the network is gone: the socket would only notice after a minute of silence. */
  cut() {
    if (!this.#started || !this.#socket) return;
    this.#forget(1000);
    this.#retryIn(this.#jitter());
  }

  /** In-band renewal, so that a new access token does not cost a reconnect. */
  renewed(token: string) {
    if (this.#welcomed) this.#send({ op: 'refresh', token });
  }

  subscribe(name: string, listener: StreamListener): () => void {
    let stream = this.#streams.get(name);
    if (!stream) {
      stream = { epoch: null, seq: null, askedAt: null, denied: false, held: null, listeners: new Set() };
      this.#streams.set(name, stream);
      this.#ask(name, stream);
    }
    const joined = stream;
    joined.listeners.add(listener);
    return () => {
      joined.listeners.delete(listener);
      if (joined.listeners.size > 0 || this.#streams.get(name) !== joined) return;
      this.#streams.delete(name);
      this.#behind.delete(name);
      if (this.#welcomed) this.#send({ op: 'unsubscribe', stream: name });
      this.#gather();
    };
  }

  /** Where a stream stands, as far as is known here. */
  placeOf(name: string): { epoch: number; seq: number } | null {
    const { epoch, seq } = this.#streams.get(name) ?? { epoch: null, seq: null };
    return epoch === null || seq === null ? null : { epoch, seq };
  }

  /** Asks for the glimpses of a topic as long as anybody watches it. */
  watch(topic: Topic): () => void {
    const count = this.#topics.get(topic) ?? 0;
    this.#topics.set(topic, count + 1);
    if (count === 0 && this.#welcomed) this.#send({ op: 'watch', topic });
    return () => {
      const left = (this.#topics.get(topic) ?? 1) - 1;
      if (left > 0) {
        this.#topics.set(topic, left);
        return;
      }
      this.#topics.delete(topic);
      if (this.#welcomed) this.#send({ op: 'unwatch', topic });
    };
  }

  onGlimpse(listener: (key: string, glimpse: Glimpse) => void): () => void {
    this.#glimpses.add(listener);
    return () => this.#glimpses.delete(listener);
  }

  /** For what is worth nothing later (typing, read marks): dropped while there is no connection. */
  say(message: Extract<ClientMessage, { op: 'typing' | 'read' | 'deciding' }>): boolean {
    return this.#welcomed && this.#send(message);
  }

  #connect() {
    if (this.#options.token() === null) {
      this.#renewThenConnect();
      return;
    }
    this.#enter('connecting');
    let socket: WebSocket;
    try {
      socket = new WebSocket(this.#options.url());
    } catch {
      this.#retryIn(this.#jitter());
      return;
    }
    this.#socket = socket;
    // A peer that never opens is as dead as one that falls silent.
    this.#listenForSilence();
    socket.onopen = () => {
      const token = this.#options.token();
      if (token === null) return socket.close(1000);
      this.#listenForSilence();
      this.#send({ op: 'auth', token });
    };
    socket.onmessage = (message) => {
      if (this.#socket !== socket) return;
      this.#listenForSilence();
      const parsed = parse(message.data);
      if (parsed) this.#receive(parsed);
    };
    socket.onclose = (event) => {
      if (this.#socket !== socket) return;
      this.#forget(null);
      if (this.#started) this.#closed(event.code);
    };
  }

  #closed(code: number) {
    // Only a connection that held counts as a success: one that is welcomed and dropped at once must not be a tight loop.
    if (this.#welcomedAt !== null && Date.now() - this.#welcomedAt > this.#settledMs) this.#attempt = 0;
    this.#welcomedAt = null;
    switch (code) {
      case CLOSE.unauthenticated:
        this.#renewThenConnect();
        return;
      case CLOSE.revoked:
        this.#options.onRevoked?.();
        this.stop();
        return;
      case CLOSE.scopeChanged:
        this.#scopeChanged();
        return;
      case CLOSE.tooMany:
        this.#retryIn(this.#backOffMs + this.#jitter());
        return;
      default:
        this.#retryIn(this.#jitter());
    }
  }

  async #scopeChanged() {
    this.#enter('waiting');
    for (const stream of this.#streams.values()) stream.denied = false;
    try {
      await this.#options.onScopeChanged?.();
    } catch {
      // The profile could not be read now; the connection is still worth having.
    }
    if (this.#started && !this.#socket) this.#retryIn(this.#jitter());
  }

  async #renewThenConnect() {
    this.#enter('waiting');
    try {
      await this.#options.renew();
    } catch (error) {
      if (!this.#started) return;
      if (this.#options.isFinal?.(error)) {
        this.#options.onRevoked?.();
        this.stop();
      } else this.#retryIn(this.#jitter());
      return;
    }
    if (!this.#started || this.#socket) return;
    // The first new token is tried at once; a server that keeps refusing fresh ones is asked ever more slowly.
    const wait = this.#jitter();
    this.#retryIn(this.#attempt === 1 ? 0 : wait);
  }

  #receive(message: ServerMessage) {
    switch (message.type) {
      case 'welcome':
        this.#welcomed = true;
        this.#welcomedAt = Date.now();
        this.#enter('open');
        this.#options.onWelcome?.(message);
        for (const topic of this.#topics.keys()) this.#send({ op: 'watch', topic });
        for (const [name, stream] of this.#streams) this.#ask(name, stream);
        return;
      case 'subscribed':
        this.#subscribed(message);
        return;
      case 'reset':
        this.#reset(message);
        return;
      case 'event':
        this.#event(message);
        return;
      case 'glimpse':
        for (const listener of this.#glimpses) listener(message.key, message.glimpse);
        return;
      case 'denied': {
        this.#denied(message.stream);
        return;
      }
      case 'heartbeat':
        this.#heartbeat(message.hb);
        return;
      case 'drain':
        this.#drain(message.withinMs);
        return;
      case 'error':
        // It does not say what failed. If it was a subscribe, nobody would ever answer it.
        this.#awaitAnswers(this.#busyMs * 2 ** Math.min(this.#errors++, 5) * (0.5 + this.#random() / 2));
        return;
      default:
        message satisfies never;
    }
  }

  /** Also what a word about a stream gets that the server does not have us on: an answer only to what was asked. */
  #denied(name: string) {
    const stream = this.#streams.get(name);
    if (!stream) return;
    if (stream.askedAt === null) return this.#ask(name, stream);
    stream.askedAt = null;
    stream.denied = true;
    this.#gather();
  }

  #answered(stream: Stream) {
    stream.askedAt = null;
    stream.denied = false;
    this.#errors = 0;
  }

  #subscribed({ stream: name, epoch, seq }: ServerWord<'subscribed'>) {
    const stream = this.#streams.get(name);
    if (!stream) return;
    this.#answered(stream);
    // A resume keeps its own number and gets the missed events next. A number above ours leaves out what lies between: it answers
    // a question that was put without a place, by an earlier listener or before an answer that we took for lost.
    const last = stream.held?.at(-1)?.seq ?? stream.seq;
    if (last !== null && stream.epoch === epoch && seq <= last) return this.#gather();
    // A first number: what a listener fetched before it may lack facts that the stream will never repeat, so it fetches again.
    this.#startAt(name, stream, epoch, seq);
  }

  #reset({ stream: name, epoch, seq }: ServerWord<'reset'>) {
    const stream = this.#streams.get(name);
    if (!stream) return;
    this.#answered(stream);
    this.#startAt(name, stream, epoch, seq);
  }

  #startAt(name: string, stream: Stream, epoch: number, seq: number) {
    stream.epoch = epoch;
    stream.seq = seq;
    stream.held = [];
    this.#behind.add(name, stream);
    this.#gather();
  }

  #gather() {
    this.#tellNumbered();
    this.#behind.gather([...this.#streams.values()].some(({ askedAt }) => askedAt !== null));
  }

  #event(message: ServerWord<'event'>) {
    const stream = this.#streams.get(message.stream);
    if (!stream) return;
    if (stream.held) {
      stream.held.push(message);
      return;
    }
    if (stream.epoch !== null && message.epoch !== stream.epoch) {
      // Another numbering than the one we hold; only the server can say from where to go on.
      this.#ask(message.stream, stream);
      return;
    }
    if (stream.seq !== null) {
      if (message.seq <= stream.seq) return;
      if (message.seq > stream.seq + 1) {
        this.#ask(message.stream, stream);
        return;
      }
    }
    stream.epoch = message.epoch;
    stream.seq = message.seq;
    const meta = { stream: message.stream, epoch: message.epoch, seq: message.seq, at: message.at };
    for (const listener of [...stream.listeners]) {
      try {
        listener.event(message.event, meta);
      } catch (error) {
        // One broken listener must not cost the others their events.
        reportError(error);
      }
    }
  }

  #heartbeat(heads: Record<string, number>) {
    this.#options.onAlive?.();
    for (const [name, head] of Object.entries(heads)) {
      const stream = this.#streams.get(name);
      if (!stream || stream.seq === null) continue;
      const last = stream.held?.at(-1)?.seq ?? stream.seq;
      if (head > last) this.#ask(name, stream);
    }
  }

  /** The server goes down for a moment: leave at a random time of the window, so that not all come back at once. */
  #drain(withinMs: number) {
    const socket = this.#socket;
    setTimeout(() => {
      if (!this.#started || this.#socket !== socket) return;
      this.#forget(1000);
      this.#connect();
    }, this.#random() * withinMs);
  }

  #ask(name: string, stream: Stream) {
    if (!this.#welcomed || stream.denied) return;
    if (stream.askedAt !== null) return;
    const sent = this.#send({ op: 'subscribe', stream: name, epoch: stream.epoch, seq: stream.seq });
    stream.askedAt = sent ? Date.now() : null;
    if (sent) this.#awaitAnswers(this.#answerMs);
  }

  /** What is asked by now and still unanswered after `ms` is asked again. */
  #awaitAnswers(ms: number) {
    const now = Date.now();
    if (this.#answerTimer !== undefined && this.#answerDue <= now + ms) return;
    clearTimeout(this.#answerTimer);
    this.#answerDue = now + ms;
    this.#answerTimer = setTimeout(() => {
      this.#answerTimer = undefined;
      for (const [name, stream] of this.#streams) {
        if (stream.askedAt === null) continue;
        if (stream.askedAt > now) this.#awaitAnswers(this.#answerMs);
        else {
          stream.askedAt = null;
          this.#ask(name, stream);
        }
      }
    }, ms);
  }

  /** Full jitter: anywhere between nothing and the doubled ceiling. */
  #jitter(): number {
    const ceiling = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** Math.min(this.#attempt++, 16));
    return this.#random() * ceiling;
  }

  #retryIn(ms: number) {
    this.#enter('waiting');
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => {
      if (this.#started && !this.#socket) this.#connect();
    }, ms);
  }

  #listenForSilence() {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => {
      // A close handshake would wait for the very peer that is silent.
      this.#forget(1000);
      this.#retryIn(this.#jitter());
    }, this.#silenceMs);
  }

  #forget(closeCode: number | null) {
    const socket = this.#socket;
    this.#socket = null;
    this.#welcomed = false;
    clearTimeout(this.#silenceTimer);
    clearTimeout(this.#answerTimer);
    this.#answerTimer = undefined;
    for (const stream of this.#streams.values()) stream.askedAt = null;
    if (socket && closeCode !== null) {
      try {
        socket.close(closeCode);
      } catch {
        // Closing what never opened throws in some engines; it is gone either way.
      }
    }
  }

  #send(message: ClientMessage): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #enter(state: SocketState) {
    if (this.#state === state) return;
    this.#state = state;
    this.#tellNumbered();
    this.#options.onState?.(state);
  }
}
