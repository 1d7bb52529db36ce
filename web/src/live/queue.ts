/** What rooms do with a queue of staff for as long as somebody is signed in: its length for the menu, its facts. */
import type { QueueRow } from '@/api/queues';
import { mayRead } from '@/api/session';
import { setCounter } from './counters';
import { onLive } from './live';
import type { EventOf } from './protocol';

type QueueFact = EventOf<'queue.changed'>;

/** A standing reaction to what enters, changes or leaves the queue. */
export const onQueue = ({ id }: QueueRow, hear: (fact: QueueFact) => void): (() => void) =>
  onLive('queue.changed', (fact) => {
    if (fact.queue !== id) return;
    setCounter(id, fact.pending);
    hear(fact);
  });

/** Asks for the queue's length, for whoever sees the queue. */
export async function countQueue({ id, permission }: QueueRow, length: () => Promise<number>) {
  if (mayRead(permission)) setCounter(id, await length());
}
