/** Moves one's read mark while the end of the conversation is on screen and somebody is looking. */
import { useEffect, useState } from 'react';
import { useConnection } from '@/api/connection';
import { live } from '@/live/live';
import type { Side, Ticket } from './conversation';

/** A mark that the server has not confirmed for so long is told again, ever more slowly. */
const CONFIRM_MS = 4_000;
const SLOWEST_MS = 60_000;

function useLooking(): boolean {
  const [looking, setLooking] = useState(() => document.visibilityState === 'visible');
  useEffect(() => {
    const look = () => setLooking(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return looking;
}

export function useReadMark(ticket: Ticket | null, side: Side, last: number, atBottom: boolean) {
  const open = useConnection((state) => state.link === 'open');
  const looking = useLooking();
  const read = ticket ? (side === 'customer' ? ticket.readByCustomer : ticket.readByStaff) : 0;
  const id = ticket?._id;
  const due = open && looking && atBottom && last > read;
  useEffect(() => {
    if (!id || !due) return;
    let wait = CONFIRM_MS;
    let timer: ReturnType<typeof setTimeout>;
    const tell = () => {
      live.say({ op: 'read', ticket: id, upTo: last });
      timer = setTimeout(tell, wait);
      wait = Math.min(SLOWEST_MS, wait * 2);
    };
    tell();
    return () => clearTimeout(timer);
  }, [id, due, last]);
}
