import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';

type Order = Schemas['OrderView'];

/** A robot's operations with their legs, newest first. */
export function Orders({ robot }: { robot: string }) {
  const { t } = useTranslation('robots');
  const format = useFormat();
  const list = useList('/trader/orders-history/{robotId}', {
    path: { robotId: robot },
    prefix: 'o-',
    file: true,
  });
  const legs = (row: Order) =>
    row.legs.map(
      (leg) =>
        `${t(($) => $.side[leg.side === 'buy' ? 'buy' : 'sell'])} ${format.exact(leg.quantity)} ${leg.symbol} @ ${format.exact(leg.price)} (${leg.venue})${leg.unwinding ? ` · ${t(($) => $.orders.unwinding)}` : ''}`,
    );
  const columns: Column<Order>[] = [
    {
      key: 'date',
      label: t(($) => $.orders.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'route',
      label: t(($) => $.orders.route),
      render: (row) => (
        <Stack gap={2}>
          <Text fz="sm">{row.route}</Text>
          {legs(row).map((leg) => (
            <Text key={leg} fz="xs" c="dimmed" className="num">
              {leg}
            </Text>
          ))}
        </Stack>
      ),
    },
    {
      key: 'volume',
      label: t(($) => $.orders.volume),
      align: 'right',
      render: (row) => <Money value={row.volume} digits={4} unit={false} />,
    },
    {
      key: 'fees',
      label: t(($) => $.orders.fees),
      align: 'right',
      hidden: true,
      render: (row) => <Money value={row.fees} digits={4} unit={false} />,
    },
    {
      key: 'result',
      label: t(($) => $.orders.result),
      align: 'right',
      fixed: true,
      render: (row) => (
        <Stack gap={0} align="flex-end">
          <Money value={row.result} digits={4} unit={false} sign />
          {row.unwound && <StatusBadge status="unwound" size="xs" />}
          {Number(row.cut) !== 0 && (
            <Text fz="xs" c="dimmed">
              {t(($) => $.orders.cut, { value: format.decimal(row.cut, 4, true) })}
            </Text>
          )}
          {row.reversedAt && (
            <Text fz="xs" c="dimmed" ta="right" maw={240} style={{ overflowWrap: 'anywhere' }}>
              {t(($) => $.orders.reversed, { reason: row.reversalReason ?? '' })}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'mode',
      label: t(($) => $.orders.mode),
      render: (row) => <ModeBadge mode={row.mode} size="xs" />,
    },
  ];
  return (
    <List
      list={list}
      name="orders"
      label={t(($) => $.orders.title)}
      columns={columns}
      what={t(($) => $.orders.what)}
      empty={<EmptyState title={t(($) => $.orders.empty)} />}
      dim={(row) => Boolean(row.reversedAt)}
    />
  );
}
