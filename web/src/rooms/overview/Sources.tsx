import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { asApiError } from '@/api/problem';
import { QUEUES } from '@/api/queues';
import { screenAt } from '@/api/screens';
import { mayRead } from '@/api/session';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { useFormat } from '@/ui/format';
import { StatTile } from '@/ui/StatTile';
import { When } from '@/ui/When';

const REFRESH = 10_000;

type Feeds = Schemas['FeedsView'];

/** Where prices and blocks come from, and how fresh they are. Who tells nothing of them shows nothing. */
export function Sources() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const feeds = useQuery<Feeds | null>({
    queryKey: ['get', '/admin/feeds'],
    queryFn: async () => {
      try {
        return await body(api.GET('/admin/feeds'));
      } catch (error) {
        if (asApiError(error).status === 404) return null;
        throw error;
      }
    },
    refetchInterval: ({ state }) => (state.data === null ? false : REFRESH),
  }).data;
  const watcher = $api.useQuery(
    'get',
    QUEUES.cryptoDeposits.list,
    { params: { query: { limit: 1 } } },
    { enabled: mayRead(QUEUES.cryptoDeposits.permission), refetchInterval: REFRESH },
  ).data?.watcher;
  if (!feeds && !watcher) return null;
  const connected = feeds?.venues.filter((venue) => venue.connected).length ?? 0;
  const quotes = feeds?.venues.reduce((sum, venue) => sum + venue.quotesPerSecond, 0) ?? 0;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} component="section" aria-label={t(($) => $.sources.title)}>
      {feeds && (
        <StatTile
          label={t(($) => $.sources.feeds, { feed: feeds.feed })}
          badge={feeds.mode && <ModeBadge mode={feeds.mode} size="xs" />}
          value={t(($) => $.sources.quotes, { quotes: format.count(Math.round(quotes)) })}
          hint={
            feeds.running
              ? t(($) => $.sources.venues, { connected, all: feeds.venues.length })
              : t(($) => $.sources.stopped)
          }
          href={screenAt(QUEUES.settings, { tab: 'feeds' })}
        />
      )}
      {watcher && (
        <StatTile
          label={t(($) => $.sources.blocks)}
          value={<When at={watcher.aliveAt} relative />}
          hint={t(($) => $.sources.block, {
            scanned: format.count(watcher.scanned),
            behind: format.count(Math.max(0, watcher.scanned - watcher.confirmed)),
          })}
          href={QUEUES.cryptoDeposits.screen}
        />
      )}
    </SimpleGrid>
  );
}
