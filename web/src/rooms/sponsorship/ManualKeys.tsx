import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';

type Licence = Schemas['LicenceView'];

const PATH = '/admin/balance-manager/get-user-licenses/{id}';

/** Which of a person's robots may be operated by hand; staff may take that away and give it back. */
export function ManualKeys({ person }: { person: string }) {
  const { t } = useTranslation('sponsorship');
  const client = useQueryClient();
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
              {t(($) => $.keys.licence, { number: licence.number })} · <Money value={licence.value} />
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
            const params = { path: { id: chosen._id } };
            const order = { revoked: !chosen.manualRevoked, reason };
            await body(api.POST('/admin/licences/{id}/manual-key', { params, body: order }));
            toast.success(t(($) => $.keys.done));
            await client.invalidateQueries({ queryKey: $api.queryOptions('get', PATH, query).queryKey });
          }}
        />
      )}
    </Stack>
  );
}
