import { queryClient } from '@/api/queryClient';
import { dispatch } from '@/live/live';

/** A fact as it comes over the wire, where nobody checks what it holds; whole only as far as a test needs it. */
export const tellFact = (event: { kind: string; [more: string]: unknown }) =>
  dispatch(JSON.parse(JSON.stringify(event)), { stream: 'tests', epoch: 1, seq: 1, at: '' });

/** The calls that are asked again, of all that are known. */
export const asked = () =>
  queryClient
    .getQueryCache()
    .getAll()
    .filter(({ state }) => state.isInvalidated)
    .map(({ queryKey }) => queryKey[1]);
