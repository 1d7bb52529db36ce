import { Button, Card, Skeleton } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { Money } from '@/ui/Money';
import { ShortTable } from '@/ui/ShortTable';
import { When } from '@/ui/When';
import { Operations } from './Operations';

type Licence = Schemas['LicenceView'];

/** A person's licences and what their robots do. */
export function Licences({ id }: { id: string }) {
  const { t } = useTranslation('people');
  const [opened, setOpened] = useState<Licence | null>(null);
  const list = $api.useQuery('get', '/admin/balance-manager/get-user-licenses/{id}', {
    params: { path: { id } },
  });
  if (list.error && !list.data)
    return <ErrorCard what={t(($) => $.licences.what)} error={list.error} onRetry={list.refetch} />;
  if (!list.data) return <Skeleton h={220} radius="lg" />;
  const money = (key: 'value' | 'topup' | 'allocated' | 'yield' | 'limitLeft') => ({
    key,
    label: t(($) => $.licences[key]),
    figure: true,
    render: (row: Licence) => <Money value={row[key]} digits={4} unit={false} />,
  });
  return (
    <Card style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={t(($) => $.tabs.licences)}>
      {list.data.length === 0 ? (
        <EmptyState
          icon={<IconCertificate size={26} stroke={1.5} />}
          title={t(($) => $.licences.empty)}
          hint={t(($) => $.licences.emptyHint)}
        />
      ) : (
        <ShortTable<Licence>
          label={t(($) => $.tabs.licences)}
          rows={list.data}
          rowKey={({ _id }) => _id}
          columns={[
            { key: 'number', label: t(($) => $.licences.number), render: ({ number }) => `#${number}` },
            {
              key: 'since',
              label: t(($) => $.licences.since),
              render: (row) => <When at={row.created_at} />,
            },
            money('value'),
            money('topup'),
            money('allocated'),
            money('yield'),
            money('limitLeft'),
            {
              key: 'robot',
              label: t(($) => $.licences.robot),
              render: (row) => <StatusBadge status={row.robotStatus} size="sm" />,
            },
            {
              key: 'mode',
              label: t(($) => $.licences.mode),
              render: (row) => <ModeBadge mode={row.mode} size="xs" />,
            },
            {
              key: 'state',
              label: t(($) => $.list.status),
              render: (row) => <StatusBadge status={row.state} size="sm" />,
            },
            {
              key: 'operations',
              label: t(($) => $.operations.open),
              render: (row) => (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={t(($) => $.operations.title, { number: row.number })}
                  onClick={() => setOpened(row)}
                >
                  {t(($) => $.operations.see)}
                </Button>
              ),
            },
          ]}
        />
      )}
      <Operations person={id} licence={opened} onClose={() => setOpened(null)} />
    </Card>
  );
}
