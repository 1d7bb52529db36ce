import { Button, Card, Group, Skeleton, Text } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { ShortTable } from '@/ui/ShortTable';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { endSessions, type Person, SESSIONS } from './people';

/** Where a person is signed in, and how to end all of it. */
export function Sessions({ person }: { person: Person }) {
  const { t } = useTranslation('people');
  const list = $api.useQuery('get', SESSIONS, { params: { path: { id: person._id } } });
  const [ending, setEnding] = useState(false);
  if (list.error && !list.data)
    return <ErrorCard what={t(($) => $.sessions.what)} error={list.error} onRetry={list.refetch} />;
  if (!list.data) return <Skeleton h={180} radius="lg" />;
  const rows = list.data.data;
  return (
    <Card>
      {rows.length === 0 ? (
        <EmptyState
          icon={<IconDevices size={26} stroke={1.5} />}
          title={t(($) => $.sessions.empty)}
          hint={t(($) => $.sessions.emptyHint)}
        />
      ) : (
        <>
          <Group justify="space-between" mb="sm">
            <Text fz="sm" c="dimmed">
              {t(($) => $.sessions.hint)}
            </Text>
            {person.editable && (
              <Button variant="default" size="sm" onClick={() => setEnding(true)}>
                {t(($) => $.sessions.end)}
              </Button>
            )}
          </Group>
          <ShortTable
            label={t(($) => $.tabs.sessions)}
            rows={rows}
            rowKey={({ _id }) => _id}
            columns={[
              { key: 'device', label: t(($) => $.sessions.device), render: ({ device }) => device },
              { key: 'address', label: t(($) => $.sessions.address), render: ({ address }) => address },
              {
                key: 'since',
                label: t(($) => $.sessions.since),
                render: ({ createdAt }) => <When at={createdAt} />,
              },
              {
                key: 'last',
                label: t(($) => $.sessions.last),
                render: ({ lastUsedAt }) => <When at={lastUsedAt} relative />,
              },
            ]}
          />
        </>
      )}
      <ConfirmDialog
        opened={ending}
        onClose={() => setEnding(false)}
        title={t(($) => $.sessions.question, { name: person.username })}
        consequence={t(($) => $.sessions.effect)}
        confirmLabel={t(($) => $.sessions.end)}
        danger
        onConfirm={async () => {
          const { ended } = await endSessions(person._id);
          toast.success(t(($) => $.sessions.ended, { count: ended }));
        }}
      />
    </Card>
  );
}
