/** What every screen of a staff queue does: the open row kept fresh, who else decides on what. */
import { useState } from 'react';
import type { QueueRow } from '@/api/queues';
import { useLiveEvent } from './live';
import type { QueueItem } from './protocol';
import { useDeciding } from './useDeciding';

interface Item {
  _id: string;
  version: number;
}

interface QueueOptions<Row extends Item> {
  of: QueueRow;
  /** The fact's item as this queue's rows are made of; null if it is none of this queue's. */
  pick: (item: QueueItem) => (Item & Partial<Row>) | null;
}

export function useQueue<Row extends Item>({ of, pick }: QueueOptions<Row>) {
  const [open, setOpen] = useState<Row | null>(null);
  const deciding = useDeciding(of);
  useLiveEvent('queue.changed', ({ queue, item }) => {
    if (queue !== of.id) return;
    const fresh = pick(item);
    setOpen((shown) =>
      fresh && shown?._id === fresh._id && shown.version < fresh.version ? { ...shown, ...fresh } : shown,
    );
  });
  return { open, setOpen, deciding, decider: open ? deciding.get(open._id) : undefined };
}
