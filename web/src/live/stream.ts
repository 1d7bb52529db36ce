/** A stream as the socket keeps it, and the small things around its messages. */
import type { LiveEvent, ServerMessage, ServerWord } from './protocol';

/** Where a fact stands, beside what it says. */
export type EventMeta = Omit<ServerWord<'event'>, 'type' | 'event'>;

export interface StreamListener {
  event: (event: LiveEvent, meta: EventMeta) => void;
  /** What was missed is gone: refetch over REST. Events above the new number are held back until the promise settles. Streams whose
   *  answers come together are told together, and a function that several of them have is called once. */
  reset?: ((streams: ReadonlySet<string>) => unknown) | undefined;
}

export interface Stream {
  epoch: number | null;
  seq: number | null;
  /** When a subscribe went out that is still unanswered: nothing is asked again until then, or until it counts as lost. */
  askedAt: number | null;
  /** The server refuses this stream; asked again only after a new sign-in or change of scope. */
  denied: boolean;
  /** Set while listeners refetch after a reset; events wait here. */
  held: ServerWord<'event'>[] | null;
  listeners: Set<StreamListener>;
}

export function clearPosition(stream: Stream) {
  stream.epoch = null;
  stream.seq = null;
  stream.denied = false;
  stream.held = null;
}

export function parse(data: unknown): ServerMessage | null {
  if (typeof data !== 'string') return null;
  try {
    return JSON.parse(data) as ServerMessage;
  } catch {
    return null;
  }
}

export function reportError(error: unknown) {
  queueMicrotask(() => {
    throw error;
  });
}
