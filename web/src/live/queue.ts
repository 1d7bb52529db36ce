/** What rooms do with a queue of staff for as long as somebody is signed in. How much waits in it is asked for all of them at once
 *  (`waiting.ts`). */
import { type ListPath, type PageOf, patchRows, type ReadPath, refetch, type Versioned } from '@/api/lists';
import type { QueueRow } from '@/api/queues';
import { onLive } from './live';
import type { EventOf, QueueItem } from './protocol';

type QueueFact = EventOf<'queue.changed'>;

/** A standing reaction to what enters, changes or leaves the queue. */
export const onQueue = ({ id }: QueueRow, hear: (fact: QueueFact) => void): (() => void) =>
  onLive('queue.changed', (fact) => {
    if (fact.queue === id) hear(fact);
  });

interface QueueRowsOptions<P extends ListPath, Fresh extends Versioned> {
  queue: QueueRow & { list: P };
  /** The fact's item as this queue's rows are made of; null if it is none of this queue's. */
  pick: (item: QueueItem) => Fresh | null;
  /** Staff still have something to do about it. */
  waits: (fresh: Fresh) => boolean;
  /** What the list calls its length. */
  length?: 'pending' | 'waiting';
  /** The sums beside the list. */
  sums?: readonly ReadPath[];
}

export interface QueueRows<Fresh> {
  pick: (item: QueueItem) => Fresh | null;
  /** Writes a row's newest state over the queue's list, with how many wait now; true when it shows the row. An older version never wins,
   *  and a decided row stays where it is, greyed, until the next load. */
  patch: (fresh: Fresh, pending?: number) => boolean;
  /** Follows the queue's facts; returns how to stop. */
  listen: () => () => void;
}

/** The rows of a queue as its facts tell them. */
export function queueRows<P extends ListPath, Fresh extends Versioned>(
  options: QueueRowsOptions<P, Fresh>,
): QueueRows<Fresh> {
  const { queue, pick, waits, length = 'pending', sums = [] } = options;
  const patch = (fresh: Fresh, pending?: number) =>
    patchRows<P>([queue.list], fresh, {
      page: (page: PageOf<P>) =>
        (pending === undefined ? page : { ...(page as object), [length]: pending }) as PageOf<P>,
    });
  const listen = () =>
    onQueue(queue, ({ item, pending }) => {
      const fresh = pick(item);
      if (!fresh) return;
      // What is new comes with facts that only the list knows (signals, the customer); what left stays greyed.
      if (!patch(fresh, pending) || waits(fresh)) void refetch(queue.list);
      void refetch(...sums);
    });
  return { pick, patch, listen };
}
