import { Badge, Button, Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { cancelOrder, type Order, rest, STATUSES } from './exchange';

const COLORS: Record<Order['status'], string> = { open: 'blue', filled: 'mint', cancelled: 'gray' };

/** One's own orders, the latest first; what is open can be taken back. */
export function OwnOrders() {
  const { t } = useTranslation('exchange');
  const list = useList('/orders', { filters: ['status', 'category', 'startDate', 'endDate'], file: true });
  const [asking, setAsking] = useState<Order | null>(null);
  const columns: Column<Order>[] = [
    {
      key: 'date',
      label: t(($) => $.orders.date),
      sort: 'created_at',
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'side',
      label: t(($) => $.order.side),
      fixed: true,
      render: (row) => (
        <Text span fz="sm" fw={600} c={row.side === 'buy' ? 'var(--up)' : 'var(--down)'}>
          {t(($) => $.order[row.side])}
        </Text>
      ),
    },
    {
      key: 'price',
      label: t(($) => $.book.price),
      align: 'right',
      sort: 'price',
      fixed: true,
      render: (row) => <Money value={row.price} digits={4} unit={false} />,
    },
    {
      key: 'quantity',
      label: t(($) => $.book.quantity),
      align: 'right',
      sort: 'quantity',
      render: (row) => <Money value={row.quantity} currency="PYX" digits={4} unit={false} />,
    },
    {
      key: 'filled',
      label: t(($) => $.orders.filled),
      align: 'right',
      render: (row) => <Money value={row.filled} currency="PYX" digits={4} unit={false} />,
    },
    {
      key: 'total',
      label: t(($) => $.book.total),
      align: 'right',
      render: (row) => <Money value={row.total} digits={4} unit={false} />,
    },
    {
      key: 'status',
      label: t(($) => $.orders.status),
      sort: 'status',
      render: (row) => (
        <div>
          <Badge color={COLORS[row.status]}>{t(($) => $.orders.word[row.status])}</Badge>
          {row.end && row.end !== 'owner' && (
            <Text fz="xs" c="dimmed" maw={220}>
              {t(($) => $.orders.end[row.end ?? 'owner'])}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'act',
      label: t(($) => $.orders.act),
      render: (row) =>
        row.status === 'open' ? (
          <Button size="compact-sm" variant="default" onClick={() => setAsking(row)}>
            {t(($) => $.orders.cancel)}
          </Button>
        ) : null,
    },
  ];
  return (
    <>
      <List
        list={list}
        name="ordens-pyx"
        label={t(($) => $.market.own)}
        what={t(($) => $.orders.what)}
        columns={columns}
        fields={[
          {
            kind: 'select',
            name: 'status',
            label: t(($) => $.orders.status),
            options: STATUSES.map((value) => ({ value, label: t(($) => $.orders.word[value]) })),
          },
          {
            kind: 'select',
            name: 'category',
            label: t(($) => $.order.side),
            options: (['buy', 'sell'] as const).map((value) => ({
              value,
              label: t(($) => $.order[value]),
            })),
          },
        ]}
        empty={
          <EmptyState
            icon={<IconListDetails size={26} stroke={1.5} />}
            title={t(($) => $.orders.none)}
            hint={t(($) => $.orders.noneHint)}
          />
        }
      />
      {asking && (
        <ConfirmDialog
          opened
          onClose={() => setAsking(null)}
          title={t(($) => $.orders.cancelTitle)}
          facts={[
            { label: t(($) => $.order.side), value: t(($) => $.order[asking.side]) },
            { label: t(($) => $.order.price), value: <Money value={asking.price} digits={4} /> },
            {
              label: t(($) => $.orders.left),
              value: <Money value={rest(asking)} currency="PYX" digits={4} />,
            },
          ]}
          consequence={t(($) => $.orders.cancelNote)}
          confirmLabel={t(($) => $.orders.cancel)}
          onConfirm={async ({ idempotencyKey }) => {
            await cancelOrder({ id: asking._id }, idempotencyKey);
            setAsking(null);
            toast.success(t(($) => $.orders.cancelled));
          }}
        />
      )}
    </>
  );
}
