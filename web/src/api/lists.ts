/** The calls that answer with a page of rows, by their types: what they are asked with, what their rows are; and their caches. */
import type { Answer, Calls, Schemas } from './client';
import { queryClient } from './queryClient';

export type PageMeta = Schemas['Meta'];

type Page = { data: readonly unknown[]; meta: PageMeta };
type IfPage<A, P> = [A] extends [never] ? never : A extends Page ? P : never;

/** Every call that answers with a page. */
export type ListPath = { [P in keyof Calls]: IfPage<Answer<P, 'get'>, P> }[keyof Calls];
export type PageOf<P extends ListPath> = Answer<P, 'get'>;
export type RowOf<P extends ListPath> = PageOf<P> extends { data: readonly (infer Row)[] } ? Row : never;

/** What the call is asked with. */
export type QueryOf<P extends ListPath> = Calls[P] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never;
/** What stands in its path. */
export type PathOf<P extends ListPath> = Calls[P] extends { get: { parameters: { path: infer V } } }
  ? V
  : undefined;

/** Every call that reads something. */
export type ReadPath = { [P in keyof Calls]: [Answer<P, 'get'>] extends [never] ? never : P }[keyof Calls];

/** What these calls answered is no longer true: who shows it asks again. */
export const refetch = (...paths: readonly ReadPath[]): Promise<unknown> =>
  Promise.allSettled(paths.map((path) => queryClient.invalidateQueries({ queryKey: ['get', path] })));

/** A fact was written over what these calls answered: an answer that is on its way may be older than it, and is asked for again. */
export const outrun = (...paths: readonly ReadPath[]): Promise<unknown> =>
  Promise.allSettled(
    paths.map((path) =>
      queryClient.invalidateQueries({
        queryKey: ['get', path],
        predicate: ({ state }) => state.fetchStatus !== 'idle',
      }),
    ),
  );

/** A row that comes with facts as well: the higher version is the newer one. */
export interface Versioned {
  _id: string;
  version: number;
}

interface Patch<Page, Row> {
  /** The fact is the whole row: what it does not say is not so. Else the row keeps what only its list knows. */
  whole?: boolean;
  /** What else of the page the fact tells: its length. */
  page?: (page: Page) => Page;
  /** The fact is of a part of the row, which has its own id and version; `write` puts it in. */
  part?: { of: (row: Row) => Versioned | null | undefined; write: (row: Row) => Row };
}

interface Cached<Row> {
  data: Row[];
}

/** A line's newest state among others; null where it is not one of them. An older version never wins. */
export function newest<Row extends Versioned>(rows: readonly Row[], fresh: Row): Row[] | null {
  if (!rows.some(({ _id }) => _id === fresh._id)) return null;
  return rows.map((row) => (row._id === fresh._id && row.version < fresh.version ? fresh : row));
}

const partOf = <P extends ListPath>({ part }: Patch<PageOf<P>, RowOf<P>>) =>
  part?.of ?? ((row: RowOf<P>) => row as Versioned);

/** Writes a row's newest state over every list that shows it; true when one did. An older version never wins, and a row stays where
 *  it stands: whether it still belongs there the next load says. */
export function patchRows<P extends ListPath>(
  paths: readonly P[],
  fresh: Versioned,
  patch: Patch<PageOf<P>, RowOf<P>> = {},
): boolean {
  const { whole = false, page: rest, part } = patch;
  const of = partOf<P>(patch);
  const write =
    part?.write ?? ((row: RowOf<P>) => (whole ? fresh : { ...(row as object), ...fresh }) as RowOf<P>);
  const renew = (row: RowOf<P>) => {
    const now = of(row);
    return now?._id === fresh._id && now.version < fresh.version ? write(row) : row;
  };
  let shown = false;
  for (const path of paths)
    queryClient.setQueriesData<Cached<RowOf<P>>>({ queryKey: ['get', path] }, (known) => {
      if (!known) return known;
      const page = rest ? (rest(known as PageOf<P> & typeof known) as typeof known) : known;
      if (!page.data.some((row) => of(row)?._id === fresh._id)) return page;
      shown = true;
      return { ...page, data: page.data.map(renew) };
    });
  return shown;
}

/** What brings no row in or out and moves none: pages, and days, which are those on which it began. */
const STEADY: ReadonlySet<string> = new Set([
  'page',
  'limit',
  'asOf',
  'sortdirection',
  'startDate',
  'endDate',
]);

interface Asked {
  params?: { query?: object };
}

/** Whether a list is asked for by something that changes with its rows: a filter, another order than the newest first. */
const isNarrowed = (asked: Asked | undefined) =>
  Object.entries(asked?.params?.query ?? {}).some(
    ([name, value]) =>
      value !== undefined && !STEADY.has(name) && (name !== 'sortby' || value !== 'created_at'),
  );

/** What a fact says of a row, on screen: written over it (`patchRows`), and asked for again only is what the fact cannot say. That is
 *  whether a row comes or goes: in all lists where none shows it, else in those that are narrowed. And an answer that is on its way may
 *  be older than the fact. */
export function showRow<P extends ListPath>(
  paths: readonly P[],
  fresh: Versioned,
  patch: Patch<PageOf<P>, RowOf<P>> = {},
): boolean {
  const of = partOf<P>(patch);
  const unsure = new Set<string>();
  for (const path of paths)
    for (const { queryHash, queryKey, state } of queryClient
      .getQueryCache()
      .findAll({ queryKey: ['get', path] })) {
      const rows = (state.data as Cached<RowOf<P>> | undefined)?.data ?? [];
      const known = rows.map(of).find((row) => row?._id === fresh._id);
      const news = !known || known.version < fresh.version;
      if (state.fetchStatus !== 'idle' || (news && isNarrowed(queryKey[2] as Asked | undefined)))
        unsure.add(queryHash);
    }
  const shown = patchRows(paths, fresh, patch);
  for (const path of paths)
    void queryClient.invalidateQueries({
      queryKey: ['get', path],
      predicate: ({ queryHash }) => !shown || unsure.has(queryHash),
    });
  return shown;
}
