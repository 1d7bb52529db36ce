/** A staff queue's rows: the tabs of its list, who waits longest first, the open row kept fresh, who else decides on what.
 * `QueueScreen` shows it. */
import type { ListPath, PageOf, QueryOf, RowOf } from '@/api/lists';
import type { QueueRow } from '@/api/queues';
import type { QueueItem as Item } from '@/live/protocol';
import { useQueue } from '@/live/useQueue';
import { type FilterOf, type ListOf, useOpenList } from '@/ui/useList';
import type { TableQuery } from '@/ui/useTableQuery';

export interface QueueTab<P extends ListPath> {
  /** What its rows have in common; none = all of them. */
  status?: QueryOf<P> extends { status?: infer S } ? S : never;
  /** Somebody waits here: who does so longest comes first. */
  waits?: boolean;
  /** Several can be approved at once. */
  bulk?: boolean;
}

export interface QueueItem {
  _id: string;
  version: number;
}

interface QueueListOptions<P extends ListPath, F extends string, T extends string> {
  /** Its line of the table of queues. */
  queue: QueueRow;
  /** By name, in their order; the first is what the bare address shows. */
  tabs: Readonly<Record<T, QueueTab<P>>>;
  filters: readonly F[];
  limit?: number;
  /** How the call is asked for the oldest first. */
  oldest?: Partial<QueryOf<P>>;
  /** How many wait, and since when the first. */
  length: (page: PageOf<P>) => { pending: number; oldest?: string | null | undefined };
  /** The fact's item as this queue's rows are made of; null if it is none of this queue's. */
  pick: (item: Item) => (QueueItem & Partial<RowOf<P>>) | null;
}

export interface QueueList<Row, F extends string, T extends string, Page = unknown> {
  list: ListOf<Row, F | 'tab', Page>;
  tabs: Readonly<Record<T, { bulk?: boolean }>>;
  tab: T;
  setTab: (tab: T) => void;
  /** Somebody waits in the tab that is shown. */
  waits: boolean;
  pending: number | undefined;
  oldest: string | null | undefined;
  open: Row | null;
  setOpen: (row: Row | null) => void;
  /** Colleagues' names by what they have open. */
  deciding: ReadonlyMap<string, string>;
}

const OLDEST_FIRST = { sortby: 'waiting_since', sortdirection: 'asc' } as const;

export function useQueueList<const P extends ListPath, const T extends string, const F extends FilterOf<P>>(
  path: P,
  options: QueueListOptions<P, F, T>,
): QueueList<RowOf<P> & QueueItem, F, T, PageOf<P>> {
  const { queue, tabs, filters, limit, oldest = OLDEST_FIRST, length, pick } = options;
  const names = Object.keys(tabs) as T[];
  const [first] = names as [T, ...T[]];
  const tabOf = (state: Pick<TableQuery<F | 'tab'>, 'filters'>): T => {
    const asked: string | undefined = state.filters.tab;
    return names.find((name) => name === asked) ?? first;
  };
  const list = useOpenList<P, F | 'tab'>(path, {
    filters: ['tab', ...filters],
    own: ['tab'],
    ...(limit !== undefined && { limit }),
    file: true,
    // The list's own default is newest first.
    ask: (state) => {
      const { status, waits } = tabs[tabOf(state)];
      const said: object = {
        ...(waits && state.sortby === 'created_at' && oldest),
        ...(status !== undefined && { status }),
      };
      return said as Partial<QueryOf<P>>;
    },
  }) as ListOf<RowOf<P> & QueueItem, F | 'tab', PageOf<P>>;
  const tab = tabOf(list.state);
  const told = list.data === undefined ? undefined : length(list.data);
  const { open, setOpen, deciding } = useQueue<RowOf<P> & QueueItem>({
    of: queue,
    pick: pick as (item: Item) => (QueueItem & Partial<RowOf<P> & QueueItem>) | null,
  });
  return {
    list,
    tabs,
    tab,
    setTab: (next) => list.state.setFilters({ tab: next === first ? null : next }),
    waits: tabs[tab].waits ?? false,
    pending: told?.pending,
    oldest: told?.oldest,
    open,
    setOpen,
    deciding,
  };
}
