import { Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Answer, api } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { plainList } from '@/ui/plainList';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';

type Device = Answer<'/sessions', 'get'>['data'][number];

const endSession = mutation({
  send: (id: string) => api.DELETE('/sessions/{id}', { params: { path: { id } } }),
  changes: ['/sessions'],
  wait: true,
});

/** Where this account is signed in, and how to end one of those sessions. */
export function Devices() {
  const { t } = useTranslation('identity');
  const query = $api.useQuery('get', '/sessions');
  const [ending, setEnding] = useState<Device | null>(null);
  const ways = t(($) => $.account.devices.by, { returnObjects: true });
  /** How it began; nothing of one that is older than that is noted. */
  const by = (way: string | null | undefined) =>
    way && Object.hasOwn(ways, way) ? ways[way as keyof typeof ways] : null;
  return (
    <Section title={t(($) => $.account.devices.title)} hint={t(($) => $.account.devices.hint)}>
      {query.isPending && <Skeleton h={56} radius="md" />}
      {query.isError && (
        <ErrorCard
          what={t(($) => $.account.devices.what)}
          error={query.error}
          onRetry={() => query.refetch()}
        />
      )}
      <Stack gap="md" component="ul" {...plainList}>
        {query.data?.data.map((device) => (
          <Group key={device._id} justify="space-between" wrap="nowrap" component="li">
            <Group gap="md" wrap="nowrap" miw={0}>
              <IconDevices size={22} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
              <div style={{ minWidth: 0 }}>
                <Group gap={8}>
                  <Text fw={600} fz="sm">
                    {device.device}
                  </Text>
                  {device.current && (
                    <Badge color="mint" size="sm">
                      {t(($) => $.account.devices.current)}
                    </Badge>
                  )}
                </Group>
                <Text fz="sm" c="dimmed" component="div">
                  <span>{device.address}</span> · <When at={device.lastUsedAt} relative />
                  {by(device.method) && <span>{` · ${by(device.method)}`}</span>}
                </Text>
              </div>
            </Group>
            {!device.current && (
              <Button
                variant="default"
                size="xs"
                style={{ flex: 'none' }}
                aria-label={t(($) => $.account.devices.endLabel, { device: device.device })}
                onClick={() => setEnding(device)}
              >
                {t(($) => $.account.devices.end)}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
      <ConfirmDialog
        opened={ending !== null}
        onClose={() => setEnding(null)}
        title={t(($) => $.account.devices.endTitle)}
        facts={
          ending
            ? [
                { label: t(($) => $.account.devices.device), value: ending.device },
                { label: t(($) => $.account.devices.address), value: ending.address },
                { label: t(($) => $.account.devices.since), value: <When at={ending.createdAt} /> },
              ]
            : []
        }
        consequence={t(($) => $.account.devices.consequence)}
        confirmLabel={t(($) => $.account.devices.end)}
        danger
        onConfirm={async () => {
          if (!ending) return;
          await endSession(ending._id);
          toast.success(t(($) => $.account.devices.ended));
        }}
      />
    </Section>
  );
}
