import { Badge, Group, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { type Column, DataTable } from '@/ui/DataTable';
import { useFormat } from '@/ui/format';
import { When } from '@/ui/When';
import type { FeedsView } from './rules';

type Venue = FeedsView['venues'][number];

/** Where quotes come from, how fast and how old. */
export function Feeds({ feeds }: { feeds: UseQueryResult<FeedsView | null> }) {
  const { t } = useTranslation('rules');
  const format = useFormat();
  const data = feeds.data;
  const ms = (value: number | null | undefined) =>
    typeof value === 'number' ? `${format.count(Math.round(value))}\u00a0ms` : '–';
  const columns: Column<Venue>[] = [
    {
      key: 'venue',
      label: t(($) => $.feeds.venue),
      fixed: true,
      render: (row) => row.venue,
    },
    {
      key: 'latency',
      label: t(($) => $.feeds.latency),
      align: 'right',
      fixed: true,
      render: (row) => <span className="num">{ms(row.latencyMs)}</span>,
    },
    {
      key: 'quotes',
      label: t(($) => $.feeds.quotes),
      align: 'right',
      fixed: true,
      render: (row) => <span className="num">{format.count(Math.round(row.quotesPerSecond))}</span>,
    },
    {
      key: 'skew',
      label: t(($) => $.feeds.skew),
      align: 'right',
      render: (row) => <span className="num">{ms(row.skewMs)}</span>,
    },
    {
      key: 'reconnects',
      label: t(($) => $.feeds.reconnects),
      align: 'right',
      render: (row) => format.count(row.reconnects),
    },
    {
      key: 'last',
      label: t(($) => $.feeds.last),
      render: (row) => (row.lastQuoteAt ? <When at={row.lastQuoteAt} relative /> : '–'),
    },
    {
      key: 'status',
      label: t(($) => $.feeds.status),
      render: (row) => (
        <Badge variant="light" color={row.connected ? 'mint' : 'red'}>
          {row.connected ? t(($) => $.feeds.connected) : t(($) => $.feeds.cut)}
        </Badge>
      ),
    },
  ];
  return (
    <Stack gap="md">
      {data && (
        <Group gap="sm">
          <Text fz="sm">
            <span>{t(($) => $.feeds.source)}</span>: <strong>{data.feed}</strong>
          </Text>
          {data.mode && <ModeBadge mode={data.mode} size="xs" />}
          {!data.running && (
            <Badge variant="light" color="gold">
              {t(($) => $.feeds.stopped)}
            </Badge>
          )}
        </Group>
      )}
      <DataTable
        name="fontes"
        label={t(($) => $.tabs.feeds)}
        what={t(($) => $.feeds.what)}
        columns={columns}
        rows={data?.venues}
        rowKey={(row) => row.venue}
        error={data ? undefined : feeds.error}
        onRetry={feeds.refetch}
      />
    </Stack>
  );
}
