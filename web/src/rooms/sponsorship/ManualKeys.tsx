import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';

type Licence = Schemas['LicenceView'];

const PATH = '/admin/balance-manager/get-user-licenses/{id}';

const turnKey = mutation({
  send: ({ id, ...order }: { id: string; revoked: boolean; reason: string }) =>
    body(api.POST('/admin/licences/{id}/manual-key', { params: { path: { id } }, body: order })),
  changes: [PATH],
  wait: true,
});

/** Which of a person's robots may be operated by hand; staff may take that away and give it back. */
export function ManualKeys({ person }: { person: string }) {
  const { t } = useTranslation('sponsorship');
  const query = { params: { path: { id: person } } };
  const list = $api.useQuery('get', PATH, query);
  const [chosen, setChosen] = useState<Licence | null>(null);
  if (list.error) return <ErrorCard what={t(($) => $.keys.what)} error={list.error} onRetry={list.refetch} />;
  const active = list.data?.filter((licence) => licence.state === 'active') ?? [];
  if (active.length === 0) return null;
  return (
    <Stack gap={6} component="section" aria-label={t(($) => $.keys.title)}>
      <Title order={3} fz={15}>
        {t(($) => $.keys.title)}
      </Title>
      {active.map((licence) => (
        <Group key={licence._id} justify="space-between" gap="xs" mih={36}>
          <Group gap="xs">
            <Text fz="sm" component="div">
              <span>{t(($) => $.keys.licence, { number: licence.number })}</span> ·{' '}
              <Money value={licence.value} />
            </Text>
            <Badge size="xs" color={licence.manualRevoked ? 'red' : licence.manualKey ? 'mint' : 'gray'}>
              {t(($) => $.keys[licence.manualRevoked ? 'revoked' : licence.manualKey ? 'on' : 'off'])}
            </Badge>
          </Group>
          <Button size="xs" variant="default" onClick={() => setChosen(licence)}>
            {t(($) => (licence.manualRevoked ? $.keys.restore : $.keys.revoke))}
          </Button>
        </Group>
      ))}
      {chosen && (
        <ConfirmDialog
          opened
          onClose={() => setChosen(null)}
          title={t(($) => (chosen.manualRevoked ? $.keys.restoreTitle : $.keys.revokeTitle), {
            number: chosen.number,
          })}
          consequence={t(($) => (chosen.manualRevoked ? $.keys.restores : $.keys.revokes))}
          confirmLabel={t(($) => (chosen.manualRevoked ? $.keys.restore : $.keys.revoke))}
          danger={!chosen.manualRevoked}
          reason={{ label: t(($) => $.keys.reason), required: true }}
          onConfirm={async ({ reason }) => {
            await turnKey({ id: chosen._id, revoked: !chosen.manualRevoked, reason });
            toast.success(t(($) => $.keys.done));
          }}
        />
      )}
    </Stack>
  );
}
