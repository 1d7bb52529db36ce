/** The tree below somebody, a few levels at once, and more below those who were asked for. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { treeOptions } from './network';
import { merge } from './tree';

/** Fits a desk at a size that can be read. */
export const FIRST_LEVELS = 3;
const MORE_LEVELS = 3;
/** Who comes far below, and what is sold there, is told to nobody above: a chain may be a hundred thousand members long. */
const AGAIN = { refetchInterval: 60_000 } as const;

export function useTeam(at: string) {
  const [asked, setAsked] = useState<{ at: string; below: readonly string[] }>({ at, below: [] });
  const below = asked.at === at ? asked.below : [];
  const first = useQuery({ ...treeOptions(at, FIRST_LEVELS), ...AGAIN });
  const further = useQueries({ queries: below.map((id) => ({ ...treeOptions(id, MORE_LEVELS), ...AGAIN })) });
  const team = merge([first.data, ...further.map(({ data }) => data)]);
  const failed = further.find(({ error, data }) => error && !data);
  return {
    team,
    first: first.data,
    error: first.data ? null : first.error,
    refetch: first.refetch,
    /** A part that did not come. */
    failed,
    loading: new Set(below.filter((_, n) => further[n]?.isFetching && !further[n]?.data)),
    /** Asks for those below a member. */
    reveal: (id: string) =>
      setAsked((before) => {
        const known = before.at === at ? before.below : [];
        return { at, below: known.includes(id) ? known : [...known, id] };
      }),
  };
}
