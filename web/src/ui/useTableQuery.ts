/** Page, sort and filters of a list live in the URL: a reload, a link and the back button show the same rows. */
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';

export type SortDirection = 'asc' | 'desc';

export interface TableQueryOptions<F extends string> {
  /** Names of the filters that the list's call takes. */
  filters?: readonly F[];
  /** Those of them that are the screen's own: a tab is no filter that one would clear, and the call does not know it. */
  own?: readonly F[];
  limit?: number;
  sortby?: string;
  sortdirection?: SortDirection;
  /** Set apart when two lists share a screen. */
  prefix?: string;
}

/** What a table and its filters need to know, whatever the filters are called. */
export interface ListState {
  page: number;
  limit: number;
  sortby: string;
  sortdirection: SortDirection;
  filters: Partial<Record<string, string>>;
  /** The filters that there are. */
  names: readonly string[];
  /** Some filter is set. */
  filtered: boolean;
  setPage(page: number): void;
  setLimit(limit: number): void;
  setSort(sortby: string): void;
  setFilter(name: string, value: string | null): void;
  /** Several at once: the address is written once. */
  setFilters(values: Readonly<Record<string, string | null>>): void;
  clearFilters(): void;
}

export interface TableQuery<F extends string> extends ListState {
  filters: Partial<Record<F, string>>;
  names: readonly F[];
  setFilter(name: F, value: string | null): void;
  /** As the server's list calls take it: `params: { query: list.query }`. */
  query: { page: number; limit: number; sortby: string; sortdirection: SortDirection } & Partial<
    Record<F, string>
  >;
}

const MAX_LIMIT = 500;

/** Defaults [docs/rules/foundation.md#requests]: created_at, desc, page 1, limit 10. */
export function useTableQuery<const F extends string = never>(
  options: TableQueryOptions<F> = {},
): TableQuery<F> {
  const { filters: names = [], own = [], limit: defaultLimit = 10, prefix = '' } = options;
  const { sortby: defaultSort = 'created_at', sortdirection: defaultDirection = 'desc' } = options;
  const [search, setSearch] = useSearchParams();
  const read = (name: string) => search.get(prefix + name);

  const change = (values: Record<string, string | null>, keepPage = false) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (!keepPage) next.delete(`${prefix}page`);
        for (const [name, value] of Object.entries(values)) {
          if (value === null || value === '') next.delete(prefix + name);
          else next.set(prefix + name, value);
        }
        return next;
      },
      { replace: true, preventScrollReset: true },
    );

  const page = positive(read('page'), 1, 100_000);
  const limit = positive(read('limit'), defaultLimit, MAX_LIMIT);
  const sortby = read('sortby') ?? defaultSort;
  const sortdirection: SortDirection =
    read('sortdirection') === 'asc' ? 'asc' : read('sortdirection') === 'desc' ? 'desc' : defaultDirection;
  const text = search.toString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the URL's text stands for all that is read from it.
  const filters = useMemo(() => {
    const found: Partial<Record<F, string>> = {};
    for (const name of names) {
      const value = read(name);
      if (value) found[name] = value;
    }
    return found;
  }, [text]);

  const sent = { ...filters };
  for (const name of own) delete sent[name];
  return {
    page,
    limit,
    sortby,
    sortdirection,
    filters,
    names,
    filtered: Object.keys(sent).length > 0,
    query: { page, limit, sortby, sortdirection, ...sent },
    setPage: (next) => change({ page: next === 1 ? null : String(next) }, true),
    setLimit: (next) => change({ limit: next === defaultLimit ? null : String(next) }),
    setSort: (next) =>
      change({ sortby: next, sortdirection: next === sortby && sortdirection === 'desc' ? 'asc' : 'desc' }),
    setFilter: (name, value) => change({ [name]: value }),
    setFilters: (values) => change({ ...values }),
    clearFilters: () =>
      change(Object.fromEntries(names.filter((name) => !own.includes(name)).map((name) => [name, null]))),
  };
}

function positive(text: string | null, fallback: number, max: number): number {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? Math.min(value, max) : fallback;
}
