/** Words in a ticket's messages, those that are not here as well: the server finds them, the newest first, and one goes from one to the next. */
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import type { Side } from './conversation';

const PAUSE_MS = 300;
/** As the call takes them. */
export const MAX_WORDS = 100;

const PAGES = {
  pageParamName: 'before',
  initialPageParam: null,
  getNextPageParam: ({ data, hasOlder }: Schemas['FoundMessages']) =>
    hasOlder ? (data.at(-1)?.number ?? null) : null,
  // What is said or corrected meanwhile is looked at when it is asked for again.
  staleTime: 0,
  retry: false,
};

export function useFound(ticket: string, side: Side, onGo: (number: number) => void) {
  const [typed, setTyped] = useState('');
  const asked = typed.trim();
  const [settled] = useDebouncedValue(asked, PAUSE_MS);
  const words = asked === '' ? '' : settled;
  const init = { params: { path: { ticketId: ticket }, query: { search: words } } };
  const isOwn = side === 'customer';
  const own = $api.useInfiniteQuery('get', '/support/search-ticket-user/{ticketId}', init, {
    ...PAGES,
    enabled: words !== '' && isOwn,
  });
  const any = $api.useInfiniteQuery('get', '/support/search-ticket-support-team/{ticketId}', init, {
    ...PAGES,
    enabled: words !== '' && !isOwn,
  });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch: again } = isOwn ? own : any;
  const shown = words === '' ? undefined : data;
  const lines = useMemo(() => shown?.pages.flatMap((page) => page.data), [shown]);
  const numbers = useMemo(() => new Set(lines?.map(({ number }) => number)), [lines]);

  /** Where one is among them. */
  const [place, setPlace] = useState({ words: '', number: 0 });
  const current = place.words === words ? place.number : null;
  const go = (number: number) => {
    setPlace({ words, number });
    onGo(number);
  };
  const at = lines?.findIndex(({ number }) => number === current) ?? -1;
  const step = async (by: 1 | -1) => {
    const next = lines?.[at + by];
    if (next) return go(next.number);
    if (by < 0 || !lines || !hasNextPage) return;
    const more = (await fetchNextPage()).data?.pages.flatMap((page) => page.data)[at + by];
    if (more) go(more.number);
  };

  // Who does not wait for what was found goes to the first of it once it is there.
  const ready = asked === words && lines !== undefined;
  const [hurried, setHurried] = useState(false);
  const arrive = useEffectEvent(() => {
    setHurried(false);
    const [first] = lines ?? [];
    if (first) go(first.number);
  });
  useEffect(() => {
    if (hurried && ready) arrive();
  }, [hurried, ready]);

  return {
    typed,
    words,
    lines,
    numbers,
    current,
    /** From 1; 0 before one has gone to any. */
    at: at + 1,
    total: shown?.pages[0]?.total ?? 0,
    error: words === '' ? null : error,
    more: hasNextPage ? fetchNextPage : null,
    comes: isFetchingNextPage,
    again,
    go,
    type: (text: string) => {
      setHurried(false);
      setTyped(text);
    },
    /** To the one before in time, or back. */
    step: (by: 1 | -1) => {
      if (ready) void step(by);
      else if (asked !== '' && by > 0) setHurried(true);
    },
  };
}

export type Found = ReturnType<typeof useFound>;
