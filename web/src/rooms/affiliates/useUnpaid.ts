/** Every bonus of a rank that is not paid yet, however many there are. */
import { useQueries } from '@tanstack/react-query';
import { $api } from '@/api/hooks';
import { GRADUATIONS } from './graduations';

/** Those that are reached meanwhile come last: no page shifts behind one that was read. */
const asked = (page: number) =>
  $api.queryOptions('get', GRADUATIONS, {
    params: { query: { isBonusPaid: false, limit: 500, page, sortby: 'created_at', sortdirection: 'asc' } },
  });

/** `rows`: as far as they have come; undefined while nothing has. The first answer says how many pages there are. */
export function useUnpaid() {
  const [first] = useQueries({ queries: [asked(1)] });
  const last = first.data?.meta.lastPage ?? 1;
  const others = useQueries({
    queries: Array.from({ length: Math.max(0, last - 1) }, (_, n) => asked(n + 2)),
  });
  const pages = [first, ...others];
  const failed = pages.filter(({ error, data }) => error && !data);
  return {
    rows: first.data && pages.flatMap(({ data }) => data?.data ?? []),
    /** Somebody's may be missing. */
    isPending: pages.some(({ isPending }) => isPending),
    error: failed[0]?.error,
    retry: () => Promise.all(failed.map(({ refetch }) => refetch())),
  };
}
