import { QueryClient } from '@tanstack/react-query';
import { asApiError } from './problem';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => asApiError(error).unavailable && failures < 3,
      // Two seconds in all: whoever waits is told soon, and what failed is asked for again once the connection is back.
      retryDelay: (failures) => 300 * 2 ** failures,
    },
    mutations: { retry: false },
  },
});

/** What the screen lacks because the server did not answer is asked for again. */
export const refetchFailed = () =>
  queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state }) => state.status === 'error' && asApiError(state.error).unavailable,
  });
