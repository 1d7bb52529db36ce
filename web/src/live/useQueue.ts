/** What every screen of a staff queue does: its length for the menu, the open row kept fresh, who else decides on what. */
import { useEffect, useState } from 'react';
import { type Counter, setCounter } from './counters';
import { useLiveEvent } from './live';
import { type DecidedQueue, useDeciding } from './useDeciding';

interface Item {
  _id: string;
  version: number;
}

interface QueueOptions<Row extends Item> {
  name: DecidedQueue;
  counter: Counter;
  pending: number | undefined;
  /** The fact's item as this queue's rows are made of. */
  pick: (item: Record<string, unknown>) => Item & Partial<Row>;
}

export function useQueue<Row extends Item>({ name, counter, pending, pick }: QueueOptions<Row>) {
  const [open, setOpen] = useState<Row | null>(null);
  const deciding = useDeciding(name);
  useEffect(() => {
    if (pending !== undefined) setCounter(counter, pending);
  }, [counter, pending]);
  useLiveEvent('queue.changed', ({ queue, item }) => {
    if (queue !== name) return;
    const fresh = pick(item);
    setOpen((shown) =>
      shown?._id === fresh._id && shown.version < fresh.version ? { ...shown, ...fresh } : shown,
    );
  });
  return { open, setOpen, deciding, decider: open ? deciding.get(open._id) : undefined };
}
