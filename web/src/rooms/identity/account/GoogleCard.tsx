import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconBrandGoogle } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { useConfig } from '@/api/config';
import { type Me, reloadUser } from '@/api/session';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { given, useSubmit } from '@/ui/useSubmit';
import { Problem } from '../Problem';
import { PasswordThenCode } from './PasswordThenCode';

/** The Google account that signs in here: linked and unlinked with the password and a current factor. */
export function GoogleCard({ user }: { user: Me }) {
  const { t } = useTranslation('identity');
  const offered = useConfig((state) => state.config?.google);
  const [changing, setChanging] = useState(false);
  if (!offered && !user.google) return null;
  const linked = user.google != null;
  return (
    <Section title={t(($) => $.account.google.title)} hint={t(($) => $.account.google.hint)}>
      <Group justify="space-between" gap="md">
        <Group gap="md" wrap="nowrap" miw={0}>
          <IconBrandGoogle size={22} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
          <div>
            <Badge color={linked ? 'mint' : 'gray'} size="sm">
              {linked ? t(($) => $.account.google.on) : t(($) => $.account.google.off)}
            </Badge>
            {user.google && (
              <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {user.google.email}
              </Text>
            )}
          </div>
        </Group>
        {user.hasPassword && (
          <Button variant={linked ? 'default' : 'light'} size="sm" onClick={() => setChanging(true)}>
            {linked ? t(($) => $.account.google.unlink) : t(($) => $.account.google.link)}
          </Button>
        )}
      </Group>
      {!user.hasPassword && <FirstPassword email={user.email} />}
      <Modal
        opened={changing}
        onClose={() => setChanging(false)}
        title={t(($) => (linked ? $.account.google.unlinkTitle : $.account.google.linkTitle))}
        centered
      >
        <Change linked={linked} byApp={user.twoFactor.app} onClose={() => setChanging(false)} />
      </Modal>
    </Section>
  );
}

/** Whoever came by Google sets a password by the same link as who forgot theirs. */
function FirstPassword({ email }: { email: string }) {
  const { t } = useTranslation('identity');
  const { busy, failure, run } = useSubmit(given);
  const ask = () =>
    run(async () => {
      await api.POST('/forgot-password', { body: { email } });
      toast.success(t(($) => $.account.google.asked));
    });
  return (
    <Stack gap="sm" mt="md">
      <Text fz="sm" c="dimmed">
        {t(($) => $.account.google.noPassword)}
      </Text>
      {failure && <Problem {...failure} />}
      <div>
        <Button variant="light" size="sm" loading={busy} onClick={() => void ask()}>
          {t(($) => $.account.google.ask)}
        </Button>
      </div>
    </Stack>
  );
}

interface ChangeProps {
  linked: boolean;
  byApp: boolean;
  onClose: () => void;
}

function Change({ linked, byApp, onClose }: ChangeProps) {
  const { t } = useTranslation('identity');
  return (
    <PasswordThenCode
      byApp={byApp}
      onConfirm={async (order) => {
        if (!linked) {
          const { url } = await body(api.POST('/me/google', { body: order }));
          window.location.assign(url);
          // The dialog stays as it is until the browser has gone.
          return new Promise(() => {});
        }
        await api.POST('/me/google/remove', { body: order });
        await reloadUser().catch(() => {});
        toast.success(t(($) => $.account.google.unlinked));
        onClose();
      }}
    />
  );
}
