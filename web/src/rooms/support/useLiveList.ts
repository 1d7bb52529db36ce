/** A list that follows the facts: it asks again by itself while nobody points at it, else it says how much has changed. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLiveEvent } from '@/live/live';
import type { Ticket } from './conversation';

const PAUSE_MS = 250;

export function useLiveList(path: string) {
  const cache = useQueryClient();
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const inside = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const show = () => {
    setChanged(new Set());
    return cache.invalidateQueries({ queryKey: ['get', path] });
  };
  const hear = (ticket: Ticket) => {
    setChanged((before) => new Set(before).add(ticket._id));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (!inside.current) void show();
    }, PAUSE_MS);
  };
  useLiveEvent('ticket.opened', ({ ticket }) => hear(ticket as unknown as Ticket));
  useLiveEvent('ticket.activity', ({ ticket }) => hear(ticket as unknown as Ticket));

  return {
    changed: changed.size,
    show,
    /** Nothing moves under a pointer or a focus. */
    area: {
      onPointerEnter: () => {
        inside.current = true;
      },
      onPointerLeave: () => {
        inside.current = false;
        if (changed.size > 0) void show();
      },
    },
  };
}
