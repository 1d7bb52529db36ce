/** The calls that answer with a page of rows, by their types: what they are asked with, what their rows are; and their caches. */
import type { Answer, Calls } from './client';
import { queryClient } from './queryClient';

export interface PageMeta {
  page: number;
  limit: number;
  total: number;
  lastPage: number;
}

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

/** A row that comes with facts as well: the higher version is the newer one. */
export interface Versioned {
  _id: string;
  version: number;
}

interface Patch<Page> {
  /** The fact is the whole row: what it does not say is not so. Else the row keeps what only its list knows. */
  whole?: boolean;
  /** What else of the page the fact tells: its length. */
  page?: (page: Page) => Page;
}

interface Cached {
  data: Versioned[];
}

/** Writes a row's newest state over every list that shows it; true when one did. An older version never wins, and a row stays where
 *  it stands: whether it still belongs there the next load says. */
export function patchRows<P extends ListPath>(
  paths: readonly P[],
  fresh: Versioned,
  { whole = false, page: rest }: Patch<PageOf<P>> = {},
): boolean {
  let shown = false;
  for (const path of paths)
    queryClient.setQueriesData<Cached>({ queryKey: ['get', path] }, (known) => {
      if (!known) return known;
      const page = rest ? (rest(known as PageOf<P> & Cached) as Cached) : known;
      if (!page.data.some(({ _id }) => _id === fresh._id)) return page;
      shown = true;
      return {
        ...page,
        data: page.data.map((row) =>
          row._id === fresh._id && row.version < fresh.version ? (whole ? fresh : { ...row, ...fresh }) : row,
        ),
      };
    });
  return shown;
}
