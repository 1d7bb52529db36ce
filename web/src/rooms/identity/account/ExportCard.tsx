import { Alert, Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconDownload, IconFileZip } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { offer } from '@/api/download';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { useByPasskey } from '@/shared/passkeys/useByPasskey';
import { CodeDialog } from '@/ui/CodeDialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { plainList } from '@/ui/plainList';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';

type Export = Schemas['DataExportView'];
const COLORS: Record<Export['state'], string> = { asked: 'gold', ready: 'mint', expired: 'gray' };

const ask = mutation({
  send: (securityCode: string) => body(api.POST('/me/export', { body: { securityCode } })),
  patch: (fresh) => {
    queryClient.setQueriesData({ queryKey: ['get', '/me/export'] }, fresh);
  },
  changes: [],
});

const download = mutation({
  send: ({ id, securityCode }: { id: string; securityCode: string }) =>
    offer(
      api.POST('/me/export/{id}/download', {
        params: { path: { id } },
        body: { securityCode },
        parseAs: 'blob',
      }),
      'meus-dados.zip',
    ),
  changes: ['/me/export'],
});

/** What its codes are for. */
const ASKED = { purpose: 'export-data' } as const;

const MEGABYTE = 1024 * 1024;

/** All that is kept about oneself, as a file: asked for and taken with a code each. */
export function ExportCard() {
  const { t } = useTranslation('account');
  const byPasskey = useByPasskey();
  const format = useFormat();
  const { data, error, refetch } = $api.useQuery('get', '/me/export');
  const outbound = $api.useQuery('get', '/outbound-state');
  /** What waits for its code: a new file, or one by its id. */
  const [waiting, setWaiting] = useState<string | null>(null);
  const app = outbound.data?.factor === 'app';
  const size = (bytes: number) =>
    t(($) => $.export.size, { size: format.decimal(String(Math.max(bytes / MEGABYTE, 0.01))) });
  const next = data?.nextAt ?? null;
  const making = data?.data[0]?.state === 'asked';
  return (
    <Section title={t(($) => $.export.title)} hint={t(($) => $.export.hint)}>
      {error && !data ? (
        <ErrorCard what={t(($) => $.export.what)} error={error} onRetry={refetch} />
      ) : !data ? (
        <Skeleton h={120} />
      ) : (
        <Stack gap="md">
          {data.data.length === 0 ? (
            <EmptyState
              icon={<IconFileZip size={26} stroke={1.5} />}
              title={t(($) => $.export.empty)}
              hint={t(($) => $.export.emptyHint)}
            />
          ) : (
            <Stack gap="sm" component="ul" {...plainList} aria-label={t(($) => $.export.title)}>
              {data.data.map((one) => (
                <Group key={one._id} justify="space-between" gap="sm" component="li">
                  <div>
                    <Group gap={8}>
                      <Text fz="sm" fw={600} component="div">
                        <When at={one.askedAt} />
                      </Text>
                      <Badge size="sm" variant="light" color={COLORS[one.state]}>
                        {t(($) => $.export.states[one.state])}
                      </Badge>
                    </Group>
                    <Text fz="sm" c="dimmed" component="div">
                      {one.state === 'asked' && <span>{t(($) => $.export.making)}</span>}
                      {one.state === 'ready' && one.expiresAt && (
                        <>
                          {one.bytes != null && <span translate="no">{`${size(one.bytes)} · `}</span>}
                          <span>{t(($) => $.export.until)}</span> <When at={one.expiresAt} />
                        </>
                      )}
                      {one.state === 'expired' && <span>{t(($) => $.export.gone)}</span>}
                    </Text>
                  </div>
                  {one.state === 'ready' && (
                    <Button
                      size="xs"
                      variant="default"
                      leftSection={<IconDownload size={16} aria-hidden />}
                      onClick={() => setWaiting(one._id)}
                    >
                      {t(($) => $.export.download)}
                    </Button>
                  )}
                </Group>
              ))}
            </Stack>
          )}
          {next && !making && (
            <Alert color="blue" variant="light" role="note" p="xs">
              <Text fz="sm" component="div">
                <span>{t(($) => $.export.next)}</span> <When at={next} />
              </Text>
            </Alert>
          )}
          <Group>
            <Button disabled={next !== null} onClick={() => setWaiting('new')}>
              {t(($) => $.export.ask)}
            </Button>
          </Group>
        </Stack>
      )}
      <CodeDialog
        saves
        opened={waiting !== null}
        onClose={() => setWaiting(null)}
        title={waiting === 'new' ? t(($) => $.export.ask) : t(($) => $.export.download)}
        hint={app ? t(($) => $.export.codeApp) : t(($) => $.export.codeMail)}
        {...(!app && { onSend: () => api.POST('/security-code', { body: ASKED }) })}
        {...byPasskey(ASKED)}
        onCode={async (securityCode) => {
          if (waiting === 'new') {
            await ask(securityCode);
            toast.success(t(($) => $.export.asked));
          } else if (waiting) await download({ id: waiting, securityCode });
        }}
      />
    </Section>
  );
}
