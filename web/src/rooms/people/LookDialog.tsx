/** A look at somebody's account as they see it: the reason, a code of one's own, then a tab for it [docs/rules/identity.md#looking]. */
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { lookPath } from '@/api/look';
import { useByPasskey } from '@/shared/passkeys/useByPasskey';
import { CodeDialog } from '@/ui/CodeDialog';
import { Countdown } from '@/ui/Countdown';
import { ErrorCard } from '@/ui/ErrorCard';
import { beginLook } from './people';

interface LookDialogProps {
  person: { _id: string; username: string };
  onClose: () => void;
}

const LEAST = 3;

export function LookDialog({ person, onClose }: LookDialogProps) {
  const { t } = useTranslation('people');
  const byPasskey = useByPasskey();
  const outbound = $api.useQuery('get', '/outbound-state');
  const [reason, setReason] = useState('');
  const [asking, setAsking] = useState(false);
  const [begun, setBegun] = useState<Schemas['LookBegun'] | null>(null);
  const app = outbound.data?.factor === 'app';
  const asked = { purpose: 'look-as', destination: person.username } as const;
  const given = reason.trim();
  const title = t(($) => $.look.title, { name: person.username });
  return (
    <>
      <Modal
        opened={!asking}
        onClose={onClose}
        title={begun ? t(($) => $.look.ready) : title}
        centered
        // Between its two halves the code is asked for; where the focus goes in the end knows who opened it.
        returnFocus={false}
      >
        {begun ? (
          <Stack gap="md">
            <Text fz="sm" c="dimmed" component="div">
              <span>{t(($) => $.look.readyHint)}</span>{' '}
              <Countdown until={begun.until} totalMs={15 * 60_000} onEnd={onClose} />
            </Text>
            <Group justify="flex-end">
              <Button
                component="a"
                href={lookPath(begun._id, person._id)}
                target="_blank"
                rel="noopener"
                leftSection={<IconExternalLink size={16} aria-hidden />}
                onClick={onClose}
                data-autofocus
              >
                {t(($) => $.look.open)}
              </Button>
            </Group>
          </Stack>
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (given.length >= LEAST && outbound.data) setAsking(true);
            }}
          >
            <Stack gap="md">
              <Text fz="sm" c="dimmed">
                {t(($) => $.look.effect)}
              </Text>
              <Textarea
                label={t(($) => $.look.reason)}
                value={reason}
                onChange={(event) => setReason(event.currentTarget.value)}
                required
                maxLength={500}
                autosize
                minRows={2}
                data-autofocus
              />
              {outbound.error && !outbound.data && (
                <ErrorCard what={t(($) => $.look.factor)} error={outbound.error} onRetry={outbound.refetch} />
              )}
              <Group justify="flex-end">
                <Button
                  type="submit"
                  loading={outbound.isPending}
                  disabled={given.length < LEAST || !outbound.data}
                >
                  {t(($) => $.look.next)}
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Modal>
      <CodeDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={title}
        hint={app ? t(($) => $.look.codeApp) : t(($) => $.look.codeMail)}
        {...(!app && {
          onSend: () => api.POST('/security-code', { body: asked }),
        })}
        {...byPasskey(asked)}
        onCode={async (securityCode) =>
          setBegun(await beginLook({ id: person._id, reason: given, securityCode }))
        }
      />
    </>
  );
}
