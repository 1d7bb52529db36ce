import { QueryClient } from '@tanstack/react-query';
import { asApiError } from './problem';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => asApiError(error).unavailable && failures < 3,
    },
    mutations: { retry: false },
  },
});
