import { useConfig } from '@/api/config';
import { $api } from '@/api/hooks';

const MINUTE = 60_000;

/** BRL per USD. Until it has come, amounts are shown by the house's own one, and nothing is ordered by that. */
export function useRate() {
  const rate = $api.useQuery('get', '/pix/rate', undefined, {
    refetchInterval: MINUTE,
    staleTime: MINUTE / 2,
  });
  const standing = useConfig(({ config }) => config?.defaultRate);
  const shown = rate.data ?? (rate.isPending && standing ? { rate: standing, source: 'default' } : undefined);
  return { rate, shown };
}
