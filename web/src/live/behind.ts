/** Streams that have begun at a number of their own, or begun anew: what was missed is gone, and their listeners are to refetch. All
 *  streams of a connection begin at about the same moment; they catch up together. */
import type { ServerWord } from './protocol';
import type { Stream } from './stream';

export class Behind {
  readonly #ms: number;
  readonly #replay: (event: ServerWord<'event'>) => void;
  readonly #streams = new Map<string, Stream>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A catch-up under way: who falls behind meanwhile comes with the next one. */
  #now: object | null = null;

  /** Answers to what was asked together are waited for so long; what comes for a stream while it catches up is told afterwards. */
  constructor(ms: number, replay: (event: ServerWord<'event'>) => void) {
    this.#ms = ms;
    this.#replay = replay;
  }

  add(name: string, stream: Stream) {
    this.#streams.set(name, stream);
  }

  delete(name: string) {
    this.#streams.delete(name);
  }

  clear() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#streams.clear();
    this.#now = null;
  }

  /** `more`: other answers are still under way. */
  gather(more: boolean) {
    if (this.#streams.size === 0 || this.#now !== null) return;
    if (more) this.#timer ??= setTimeout(() => this.#catchUp(), this.#ms);
    else this.#catchUp();
  }

  #catchUp() {
    const names = new Set(this.#streams.keys());
    const behind = [...this.#streams.values()].map((stream) => ({ stream, held: stream.held }));
    this.clear();
    const now = {};
    this.#now = now;
    const resets = new Set(behind.flatMap(({ stream }) => [...stream.listeners].map(({ reset }) => reset)));
    const refetched = [...resets].map(async (reset) => reset?.(names));
    void Promise.allSettled(refetched).then(() => {
      for (const { stream, held } of behind) {
        if (held === null || stream.held !== held) continue;
        stream.held = null;
        for (const event of held) this.#replay(event);
      }
      if (this.#now !== now) return;
      this.#now = null;
      this.gather(false);
    });
  }
}
