/** One's own messages on their way: one after the other in the order in which they were written, each once by its client id. Without a screen, so that
 *  it can be tested without one. */
import { asApiError } from '@/api/problem';

/** Shown at once, until the server's message of the same client id is there. */
export interface Pending {
  clientId: string;
  text: string;
  file: File | null;
  /** The name of an attachment that did not survive a reload. */
  lost: string | null;
  at: string;
  /** Failed is what its author decides about: they send it again, or discard it. */
  state: 'waiting' | 'sending' | 'failed';
  /** Why it failed; null where nothing was refused. */
  error: unknown;
  /** Its author wants it sent although the ticket was closed since. */
  agreed: boolean;
}

interface Given<Answer> {
  send: (item: Pending) => Promise<Answer>;
  sent: (item: Pending, answer: Answer) => void;
  changed: (items: readonly Pending[]) => void;
  /** Whether the server can be reached, as far as is known. */
  ready: () => boolean;
  /** Whether it is not to be sent without another word of its author's. */
  holds: (item: Pending) => boolean;
}

/** The server was not reached: what comes after it must not overtake it. */
const blocks = (item: Pending) =>
  item.state === 'failed' && item.error !== null && asApiError(item.error).unavailable;

export class Outbox<Answer> {
  readonly #given: Given<Answer>;
  #items: readonly Pending[];
  #way: Promise<void> | null = null;

  constructor(given: Given<Answer>, items: readonly Pending[]) {
    this.#given = given;
    this.#items = items;
  }

  get items(): readonly Pending[] {
    return this.#items;
  }

  add(item: Pick<Pending, 'clientId' | 'text' | 'file' | 'at'>): Promise<void> {
    this.#put([...this.#items, { ...item, lost: null, state: 'waiting', error: null, agreed: false }]);
    return this.flush();
  }

  /** Its author's word: sent as it is, without what was lost. */
  retry(clientId: string): Promise<void> {
    this.#patch(clientId, { state: 'waiting', error: null, lost: null, agreed: true });
    return this.flush();
  }

  discard(clientId: string): Promise<void> {
    this.#put(this.#items.filter((item) => item.clientId !== clientId));
    return this.flush();
  }

  /** What the server is known to have stored. One that is under way ends by its own answer, which its attachment waits for. */
  settle(messages: readonly { clientId?: string | null | undefined }[]) {
    if (this.#items.length === 0) return;
    const arrived = new Set(messages.map(({ clientId }) => clientId));
    const left = this.#items.filter(
      ({ clientId, state, file }) => !arrived.has(clientId) || (state === 'sending' && file !== null),
    );
    if (left.length < this.#items.length) this.#put(left);
  }

  /** The connection is back: what only wanted that goes on its way. */
  resume(): Promise<void> {
    if (this.#items.some(blocks))
      this.#put(
        this.#items.map((item) => (blocks(item) ? { ...item, state: 'waiting', error: null } : item)),
      );
    return this.flush();
  }

  flush(): Promise<void> {
    this.#way ??= this.#run();
    return this.#way;
  }

  async #run(): Promise<void> {
    // What is written down now goes with this round; what comes later finds it under way, or over.
    await Promise.resolve();
    for (let item = this.#next(); item; item = this.#next()) {
      const { clientId } = item;
      if (!item.agreed && this.#given.holds(item)) {
        this.#patch(clientId, { state: 'failed', error: null });
        continue;
      }
      this.#patch(clientId, { state: 'sending', error: null });
      try {
        const answer = await this.#given.send(item);
        // Shown as the server has it before it is shown as waiting no more.
        this.#given.sent(item, answer);
        this.#put(this.#items.filter((other) => other.clientId !== clientId));
      } catch (error) {
        this.#patch(clientId, { state: 'failed', error });
      }
    }
    this.#way = null;
  }

  #next(): Pending | undefined {
    if (!this.#given.ready()) return undefined;
    for (const item of this.#items) {
      if (item.state === 'waiting') return item;
      if (blocks(item)) return undefined;
    }
    return undefined;
  }

  #patch(clientId: string, change: Partial<Pending>) {
    this.#put(this.#items.map((item) => (item.clientId === clientId ? { ...item, ...change } : item)));
  }

  #put(items: readonly Pending[]) {
    this.#items = items;
    this.#given.changed(items);
  }
}
