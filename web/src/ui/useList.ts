/** A list of the server's, whole: what the address says, what the call is asked, its rows and their file, and how it follows facts. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { api } from '@/api/client';
import type { FileCall } from '@/api/download';
import type { ListPath, PageMeta, PageOf, PathOf, QueryOf, RowOf } from '@/api/lists';
import { refetch } from '@/api/lists';
import { queryClient } from '@/api/queryClient';
import { onLive } from '@/live/live';
import type { EventKind, EventOf } from '@/live/protocol';
import { type SortDirection, type TableQuery, useTableQuery } from './useTableQuery';

type Paging = 'page' | 'limit' | 'asOf' | 'sortby' | 'sortdirection' | 'format';
/** What the call's rows can be narrowed by. */
export type FilterOf<P extends ListPath> = Exclude<keyof QueryOf<P>, Paging> & string;

interface BaseOptions<P extends ListPath, F extends string, K extends EventKind> {
  /** Filters of the call, and the screen's own ones (`own`). */
  filters?: readonly F[];
  limit?: number;
  sortby?: string;
  sortdirection?: SortDirection;
  /** Set apart when two lists share a screen. */
  prefix?: string;
  /** What is asked besides or instead: the last word over the address. */
  ask?: (asked: TableQuery<F>) => Partial<QueryOf<P>>;
  /** Facts after which the rows are asked for again while the list is on screen: a burst is one question. What a fact itself brings is
   *  written over the rows by the room (`patchRows`). */
  live?: readonly K[];
  /** The row that these facts bring: they ask again only where it comes, goes or moves. */
  brings?: Brought<K, RowOf<P>>;
  /** Nothing moves under a pointer: then the list says how many rows want to, and asks once the pointer is gone. */
  calm?: boolean;
}

interface Brought<K extends EventKind, Row> {
  /** All of it, or a part: of what it does not say nothing has changed. */
  row: (fact: EventOf<K>) => Partial<Row> & { _id: string };
  /** What of it decides whether it stands in the list, and where. */
  place: readonly (keyof Row)[];
}

/** The call's own order is `never` asked for and not to be changed. What the call does not read at all its type says. */
type ListOptions<P extends ListPath, F extends string, K extends EventKind> = BaseOptions<P, F, K> & {
  /** Filters that the call does not know: a tab. */
  own?: readonly Exclude<F, FilterOf<P>>[];
} & ('sortby' extends keyof QueryOf<P>
    ? { sorts?: 'by' | 'never' }
    : 'sortdirection' extends keyof QueryOf<P>
      ? { sorts: 'direction' }
      : { sorts: 'never' }) &
  ('format' extends keyof QueryOf<P> ? { file?: boolean } : { file?: false }) &
  (PathOf<P> extends undefined ? { path?: undefined } : { path: PathOf<P> });

export interface ListOf<Row, F extends string = string, Page = unknown, Asked = unknown> {
  /** The whole answer: some pages tell more than their rows. */
  data: Page | undefined;
  rows: Row[] | undefined;
  meta: PageMeta | undefined;
  /** None while rows are shown. */
  error: unknown;
  isPending: boolean;
  refetch: () => Promise<unknown>;
  /** Page, order and filters as they stand in the address. */
  state: TableQuery<F>;
  /** What the call was asked. */
  asked: Asked;
  file: FileCall | undefined;
  /** Of a calm list: how many rows have changed since it was asked, and how to see them. */
  changed: number;
  show: () => void;
  area: { onPointerEnter: () => void; onPointerLeave: () => void } | undefined;
}

/** The same where the call is not known by name, so that nothing can be said of what it reads. */
interface OpenOptions<P extends ListPath, F extends string, K extends EventKind>
  extends BaseOptions<P, F, K> {
  own?: readonly F[];
  sorts?: 'by' | 'direction' | 'never';
  file?: boolean;
  path?: PathOf<P> | undefined;
}

/** The generated client knows each call by its own types; here the path is a variable, and its types are those of `ListPath`. */
type Ask = (path: string, init: object) => Promise<{ data?: unknown; response: Response }>;
const ask = api.GET as Ask;

/** A page behind the first of a list that grows: the key of the first, and its moment, with which this one is asked, so that rows that
 *  came since then do not push others from one page to the next. A list that does not grow by itself names none. */
function seenFrom(path: string, at: object, query: { page?: unknown }) {
  if (query.page === undefined || query.page === 1) return undefined;
  const key = ['get', path, { params: { ...at, query: { ...query, page: 1 } } }];
  const asOf = queryClient.getQueryData<{ meta?: PageMeta }>(key)?.meta?.asOf;
  return asOf ? { key, asOf } : undefined;
}

const PAUSE_MS = 250;

const idOf = (row: unknown) => (row as { _id?: string })._id;

export function useList<
  const P extends ListPath,
  const F extends string = FilterOf<P>,
  const K extends EventKind = EventKind,
>(path: P, options: ListOptions<P, F, K>): ListOf<RowOf<P>, F, PageOf<P>, QueryOf<P>> {
  return useOpenList<P, F, K>(path, options);
}

/** `useList` for parts that serve many calls. */
export function useOpenList<P extends ListPath, F extends string, K extends EventKind = EventKind>(
  path: P,
  options: OpenOptions<P, F, K>,
): ListOf<RowOf<P>, F, PageOf<P>, QueryOf<P>> {
  const { filters, own, limit, sortby, sortdirection, prefix, live = [], brings, calm } = options;
  const state = useTableQuery<F>({
    ...(filters && { filters }),
    ...(own && { own }),
    ...(limit !== undefined && { limit }),
    ...(sortby !== undefined && { sortby }),
    ...(sortdirection !== undefined && { sortdirection }),
    ...(prefix !== undefined && { prefix }),
  });
  const read: Partial<typeof state.query> = { ...state.query };
  if (options.sorts === 'direction' || options.sorts === 'never') delete read.sortby;
  if (options.sorts === 'never') delete read.sortdirection;
  const at = options.path === undefined ? {} : { path: options.path };
  const wanted = { ...read, ...options.ask?.(state) };
  const seen = seenFrom(path, at, wanted);
  const asked = { ...wanted, ...(seen && { asOf: seen.asOf }) } as QueryOf<P>;
  const first = JSON.stringify(seen?.key);
  // Whoever comes back to the first page sees what has come since then.
  useEffect(() => {
    if (!first) return;
    const queryKey = JSON.parse(first) as unknown[];
    return () => void queryClient.invalidateQueries({ queryKey, exact: true, refetchType: 'none' });
  }, [first]);
  const init = { params: { ...at, query: asked } };
  const list = useQuery({
    queryKey: ['get', path, init],
    queryFn: async ({ signal }) => (await ask(path, { ...init, signal })).data ?? null,
  });
  const page = (list.data ?? undefined) as PageOf<P> | undefined;
  const { data: rows, meta } = (list.data ?? {}) as { data?: RowOf<P>[]; meta?: PageMeta };
  const follow = useFollow<P, K>(path, live, { rows, ...(brings && { brings }), ...(calm && { calm }) });
  return {
    data: page,
    rows,
    meta,
    error: page ? undefined : list.error,
    isPending: list.isPending,
    refetch: list.refetch,
    state,
    asked,
    file: options.file
      ? (signal) =>
          ask(path, { params: { ...at, query: { ...wanted, format: 'csv' } }, parseAs: 'stream', signal })
      : undefined,
    ...follow,
  };
}

interface FollowOptions<Row, K extends EventKind> {
  /** As they stand on screen: what a fact brings is written over them afterwards. */
  rows: readonly Row[] | undefined;
  brings?: Brought<K, Row>;
  calm?: boolean;
}

/** Asks a call again after facts, once for a burst. Calm: it waits for the pointer to leave (`area`), and counts the rows until then. */
export function useFollow<P extends ListPath, K extends EventKind>(
  path: P,
  kinds: readonly K[],
  { rows, brings, calm = false }: FollowOptions<RowOf<P>, K>,
) {
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const inside = useRef(false);
  const show = () => {
    setChanged(new Set());
    void refetch(path);
  };
  /** The row about which the call is to be asked, if the fact names one; null where it has said all. */
  const wanting = useEffectEvent((fact: EventOf<K>): { id?: string } | null => {
    if (!brings) return {};
    const fresh = brings.row(fact);
    const id = fresh._id;
    const now = rows?.find((row) => idOf(row) === id);
    const stays =
      now && brings.place.every((key) => !(key in fresh) || Object.is(now[key] ?? null, fresh[key] ?? null));
    // An answer that is on its way may be older than the fact.
    return stays && queryClient.isFetching({ queryKey: ['get', path] }) === 0 ? null : { id };
  });
  const facts = kinds.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the kinds are their names, and `show` only knows the path.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stops = kinds.map((kind) =>
      onLive(kind, (fact) => {
        const row = wanting(fact);
        if (!row) return;
        const { id } = row;
        if (id !== undefined) setChanged((before) => new Set(before).add(id));
        clearTimeout(timer);
        timer = setTimeout(() => {
          if (!inside.current) show();
        }, PAUSE_MS);
      }),
    );
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [path, facts]);
  const area = calm
    ? {
        onPointerEnter: () => {
          inside.current = true;
        },
        onPointerLeave: () => {
          inside.current = false;
          if (changed.size > 0) show();
        },
      }
    : undefined;
  return { changed: changed.size, show, area };
}
