/** Who else has the ticket open and who is writing: passing sights, forgotten when they are not repeated. */
import { useEffect, useRef, useState } from 'react';
import { useConnection } from '@/api/connection';
import { useUser } from '@/api/session';
import { live, useGlimpse } from '@/live/live';

/** A "typing" that is not repeated for so long is over. */
const TYPING_MS = 6_000;
/** How often one's own typing is told, and after which pause it ends. */
const TELL_MS = 2_500;
const PAUSE_MS = 4_000;

interface Person {
  id: string;
  name: string;
  staff: boolean;
}

export function usePeople(ticket: string) {
  const me = useUser()?._id;
  const open = useConnection((state) => state.link === 'open');
  const [present, setPresent] = useState<readonly Person[]>([]);
  const [typing, setTyping] = useState<ReadonlyMap<string, { name: string; until: number }>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another ticket has other people.
  useEffect(() => {
    setPresent([]);
    setTyping(new Map());
  }, [ticket]);
  useEffect(() => {
    // Without a connection nobody can be seen; the server tells again after the next subscription.
    if (!open) {
      setPresent([]);
      setTyping(new Map());
    }
  }, [open]);
  useGlimpse('presence', (glimpse) => {
    if (glimpse.ticket === ticket) setPresent(glimpse.users.filter(({ id }) => id !== me));
  });
  useGlimpse('typing', ({ ticket: where, user, name, on }) => {
    if (where !== ticket || user === me) return;
    setTyping((before) => {
      const next = new Map(before);
      if (on) next.set(user, { name, until: Date.now() + TYPING_MS });
      else next.delete(user);
      return next;
    });
  });
  useEffect(() => {
    if (typing.size === 0) return;
    const soonest = Math.min(...[...typing.values()].map(({ until }) => until));
    const timer = setTimeout(
      () => setTyping((before) => new Map([...before].filter(([, { until }]) => until > Date.now()))),
      Math.max(0, soonest - Date.now()) + 20,
    );
    return () => clearTimeout(timer);
  }, [typing]);
  return { present, typing: [...typing.values()].map(({ name }) => name) };
}

/** Tells the others that one is writing, and that one has stopped. */
export function useTellTyping(ticket: string) {
  const told = useRef(0);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stop = () => {
    clearTimeout(pause.current);
    if (told.current > 0) live.say({ op: 'typing', ticket, on: false });
    told.current = 0;
  };
  const latest = useRef(stop);
  latest.current = stop;
  // biome-ignore lint/correctness/useExhaustiveDependencies: leaving a ticket ends the typing in it.
  useEffect(() => () => latest.current(), [ticket]);
  return {
    stop,
    type: () => {
      clearTimeout(pause.current);
      pause.current = setTimeout(stop, PAUSE_MS);
      if (Date.now() - told.current < TELL_MS) return;
      told.current = Date.now();
      live.say({ op: 'typing', ticket, on: true });
    },
  };
}
