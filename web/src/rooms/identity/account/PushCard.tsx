import { Alert, Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconBell, IconDeviceMobile } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import {
  PushRefused,
  pushAbility,
  removeDevice,
  tryDevice,
  turnOff,
  turnOn,
  useOwnDevice,
} from '@/shared/device/push';
import { type Allowed, allowedNow, askLeave } from '@/shared/support/alerts';
import { ErrorCard } from '@/ui/ErrorCard';
import { plainList } from '@/ui/plainList';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { useSaveText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { When } from '@/ui/When';

type Device = Schemas['PushDevice'];

/** To which browsers news is pushed, also while the program is closed, and whether to this one. */
export function PushCard() {
  const { t } = useTranslation('account');
  const query = $api.useQuery('get', '/me/push');
  const own = useOwnDevice(({ kept }) => kept?.id ?? null);
  return (
    <Section title={t(($) => $.push.title)} hint={t(($) => $.push.hint)}>
      {query.isPending && <Skeleton h={56} radius="md" />}
      {query.isError && (
        <ErrorCard what={t(($) => $.push.what)} error={query.error} onRetry={() => query.refetch()} />
      )}
      {query.data && (
        <Stack gap="md">
          {query.data.devices.length > 0 && (
            <Stack gap="md" component="ul" {...plainList}>
              {query.data.devices.map((device) => (
                <Line key={device.id} device={device} own={device.id === own} />
              ))}
            </Stack>
          )}
          {!query.data.devices.some(({ id }) => id === own) && <Here serverKey={query.data.key} />}
        </Stack>
      )}
    </Section>
  );
}

/** This browser, which is none of them. */
function Here({ serverKey }: { serverKey: string }) {
  const { t } = useTranslation('account');
  const saveText = useSaveText();
  const [allowed, setAllowed] = useState<Allowed>(allowedNow);
  // The browser asks, and only here.
  const { busy, failure, run } = useSubmit(async (key: string) => {
    const answer = await askLeave();
    setAllowed(answer);
    if (answer !== 'granted') return;
    await turnOn(key);
    toast.success(t(($) => $.push.on));
  });
  const ability = pushAbility();
  const why =
    ability === 'install'
      ? t(($) => $.push.install)
      : ability === 'none'
        ? t(($) => $.push.unsupported)
        : allowed === 'denied'
          ? t(($) => $.chat.denied)
          : null;
  if (why)
    return (
      <Text fz="sm" c="dimmed">
        {why}
      </Text>
    );
  return (
    <Stack gap="sm" align="flex-start">
      <Button
        variant="default"
        size="sm"
        loading={busy}
        onClick={() => void run(serverKey)}
        leftSection={<IconBell size={16} aria-hidden />}
      >
        {t(($) => $.push.turnOn)}
      </Button>
      {failure && (
        <Alert color="red" variant="light" role="alert">
          {failure.error instanceof PushRefused ? t(($) => $.push.refused) : saveText(failure.error)}
        </Alert>
      )}
    </Stack>
  );
}

function Line({ device, own }: { device: Device; own: boolean }) {
  const { t } = useTranslation('account');
  const saveText = useSaveText();
  const { id, name, since, lastSentAt } = device;
  const removal = useSubmit(
    async () => {
      await (own ? turnOff() : removeDevice(id));
    },
    () => toast.success(t(($) => $.push.removed)),
  );
  const trial = useSubmit(
    () => tryDevice(id),
    () => toast.success(t(($) => $.push.tried)),
  );
  const failure = removal.failure ?? trial.failure;
  return (
    <Stack component="li" gap="xs">
      <Group justify="space-between" gap="sm">
        <Group gap="md" wrap="nowrap" miw={0}>
          <IconDeviceMobile size={22} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
          <div style={{ minWidth: 0 }}>
            <Group gap={8}>
              <Text fw={600} fz="sm" translate="no" style={{ overflowWrap: 'anywhere' }}>
                {name}
              </Text>
              {own && (
                <Badge color="mint" size="sm">
                  {t(($) => $.push.own)}
                </Badge>
              )}
            </Group>
            <Text fz="sm" c="dimmed" component="div">
              <span>{t(($) => $.push.since)}</span> <When at={since} />
              {lastSentAt ? (
                <>
                  <span>{` · ${t(($) => $.push.last)}`}</span> <When at={lastSentAt} relative />
                </>
              ) : (
                <span>{` · ${t(($) => $.push.never)}`}</span>
              )}
            </Text>
          </div>
        </Group>
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            loading={trial.busy}
            aria-label={t(($) => $.push.tryLabel, { name })}
            onClick={() => void trial.run(undefined)}
          >
            {t(($) => $.push.try)}
          </Button>
          <Button
            variant="default"
            size="xs"
            loading={removal.busy}
            aria-label={t(($) => $.push.removeLabel, { name })}
            onClick={() => void removal.run(undefined)}
          >
            {t(($) => $.push.remove)}
          </Button>
        </Group>
      </Group>
      {failure && (
        <Alert color="red" variant="light" role="alert">
          {saveText(failure.error)}
        </Alert>
      )}
    </Stack>
  );
}
