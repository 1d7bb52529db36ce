/** The tab's one socket, tied to the session, and the hooks by which screens listen to it. */
import { useEffect, useEffectEvent } from 'react';
import { holdReads } from '@/api/client';
import { setServerTime } from '@/api/clock';
import { markFresh, setLink } from '@/api/connection';
import { asApiError } from '@/api/problem';
import { refresh } from '@/api/refresh';
import { reloadUser, sessionEnded } from '@/api/session';
import { useShut } from '@/api/tab';
import { accessToken, onAccessToken } from '@/api/token';
import { socketUrl } from '@/api/url';
import { LiveSocket } from './LiveSocket';
import type { EventKind, EventOf, Glimpse, GlimpseKind, GlimpseOf, LiveEvent, Topic } from './protocol';
import type { EventMeta } from './stream';

export const live = new LiveSocket({
  url: socketUrl,
  token: accessToken,
  renew: refresh,
  isFinal: (error) => !asApiError(error).unavailable,
  onState: setLink,
  onWelcome: ({ now }) => {
    markFresh();
    setServerTime(now);
  },
  onAlive: markFresh,
  onRevoked: sessionEnded,
  onScopeChanged: reloadUser,
});

/** A socket that is slow to begin holds nobody up for longer, and then not again until it has begun. */
const PATIENCE_MS = 1_500;
let tired = false;

let unsure = false;

/** Until what is read lacks nothing that a stream will not tell any more; at most a moment. */
export function numbered(): Promise<unknown> | null {
  const all = live.numbered();
  if (all === null || tired) {
    unsure ||= tired || live.state === 'waiting';
    return null;
  }
  const late = new Promise((resolve) => setTimeout(() => resolve('late'), PATIENCE_MS));
  return Promise.race([all, late]).then((how) => {
    tired ||= how === 'late';
    unsure ||= tired;
  });
}

/** Whether something was read too early since this was last asked. */
export function wereUnsure(): boolean {
  const was = unsure;
  unsure = false;
  tired = false;
  return was;
}
holdReads(numbered);

onAccessToken((token) => {
  if (token !== null) live.renewed(token);
});
// A shut tab hears nothing; when it goes on, what it missed comes as after any gap.
let paused = false;
useShut.subscribe(({ shut }) => {
  if (shut && live.state !== 'idle') {
    paused = true;
    live.stop();
  } else if (!shut && paused) {
    paused = false;
    if (accessToken() !== null) live.start();
  }
});
window.addEventListener('online', () => live.hurry());
window.addEventListener('offline', () => live.cut());

type Handler<K extends EventKind> = (event: EventOf<K>, meta: EventMeta) => void;
const handlers = new Map<EventKind, Set<Handler<EventKind>>>();
const isFact = <K extends EventKind>(kind: K, event: LiveEvent): event is EventOf<K> => event.kind === kind;

/** Hands a fact to everybody who asked for its kind, from whatever stream the shell follows. */
export function dispatch(event: LiveEvent, meta: EventMeta) {
  markFresh();
  for (const handler of [...(handlers.get(event.kind) ?? [])]) handler(event, meta);
}

/** Outside of React: a room's standing reaction (cache, toast), registered once in `app/live.ts`. */
export function onLive<K extends EventKind>(kind: K, handler: Handler<K>): () => void {
  let set = handlers.get(kind);
  if (!set) {
    set = new Set();
    handlers.set(kind, set);
  }
  const stored: Handler<EventKind> = (event, meta) => {
    if (isFact(kind, event)) handler(event, meta);
  };
  set.add(stored);
  return () => set.delete(stored);
}

/** A screen's reaction to a kind of fact on the streams that the shell follows (own user, public, staff queues). */
export function useLiveEvent<K extends EventKind>(kind: K, handler: Handler<K>) {
  const latest = useEffectEvent(handler);
  useEffect(() => onLive(kind, (event, meta) => latest(event, meta)), [kind]);
}

/** Follows one more stream (a ticket) while mounted. `onReset` refetches; its promise holds newer facts back until done. */
export function useStream(
  stream: string | null,
  handler: (event: LiveEvent, meta: EventMeta) => void,
  onReset?: () => unknown,
) {
  const latest = useEffectEvent(handler);
  const reset = useEffectEvent(() => onReset?.());
  useEffect(() => {
    if (stream === null) return;
    return live.subscribe(stream, { event: (event, meta) => latest(event, meta), reset: () => reset() });
  }, [stream]);
}

const isGlimpse = <K extends GlimpseKind>(kind: K, glimpse: Glimpse): glimpse is GlimpseOf<K> =>
  glimpse.kind === kind;

/** The newest glimpses of a kind while mounted; `topic` also asks the server for them (`desk`). */
export function useGlimpse<K extends GlimpseKind>(
  kind: K,
  handler: (glimpse: GlimpseOf<K>, key: string) => void,
  topic?: Topic,
) {
  const latest = useEffectEvent(handler);
  useEffect(() => {
    const stop = live.onGlimpse((key: string, glimpse: Glimpse) => {
      if (isGlimpse(kind, glimpse)) latest(glimpse, key);
    });
    const unwatch = topic === undefined ? undefined : live.watch(topic);
    return () => {
      stop();
      unwatch?.();
    };
  }, [kind, topic]);
}
