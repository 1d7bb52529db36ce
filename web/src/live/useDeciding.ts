/** "Ana está decidindo": who has which decision open. A sight, never a lock: it fades when nobody repeats it. */
import { useEffect, useState } from 'react';
import type { QueueRow } from '@/api/queues';
import { useUser } from '@/api/session';
import { live, useGlimpse } from '@/live/live';

const REPEAT_MS = 5_000;
const FADES_MS = 12_000;

interface Sight {
  name: string;
  user: string;
  at: number;
}

/** Names by item, one's own aside. */
export function useDeciding({ id }: QueueRow): ReadonlyMap<string, string> {
  const own = useUser()?._id;
  const [sights, setSights] = useState<ReadonlyMap<string, Sight>>(new Map());
  useGlimpse('deciding', ({ queue, item, user, name, on }) => {
    if (queue !== id || user === own) return;
    setSights((before) => {
      const next = new Map(before);
      if (on) next.set(item, { name, user, at: Date.now() });
      else if (before.get(item)?.user === user) next.delete(item);
      return next;
    });
  });
  useEffect(() => {
    if (sights.size === 0) return;
    const timer = setTimeout(
      () => setSights((before) => new Map([...before].filter(([, { at }]) => Date.now() - at < FADES_MS))),
      FADES_MS / 2,
    );
    return () => clearTimeout(timer);
  }, [sights]);
  return new Map([...sights].map(([item, { name }]) => [item, name]));
}

/** Tells the colleagues that this item's decision is open here. */
export function useTellDeciding({ id: queue }: QueueRow, item: string | null) {
  useEffect(() => {
    if (item === null) return;
    const say = (on: boolean) => live.say({ op: 'deciding', queue, item, on });
    say(true);
    const timer = setInterval(() => say(true), REPEAT_MS);
    return () => {
      clearInterval(timer);
      say(false);
    };
  }, [queue, item]);
}
