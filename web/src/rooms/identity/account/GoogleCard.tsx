import { Badge, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { IconBrandGoogle } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { useConfig } from '@/api/config';
import { type Me, reloadUser } from '@/api/session';
import { CodeInput, Resend } from '@/ui/CodeInput';
import { toast } from '@/ui/toast';
import { given, useSubmit } from '@/ui/useSubmit';
import { Problem } from '../Problem';
import { Section } from './Section';

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
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const [code, setCode] = useState('');
  const [sentAt, setSentAt] = useState<number | null>(null);
  const { busy, failure, run, clear } = useSubmit(given);

  const sendCode = () =>
    run(async () => {
      if (!byApp) {
        await api.POST('/security-code', { body: { purpose: 'change-factor' } });
        setSentAt(Date.now());
      }
      setAsked(true);
    });
  const submit = async (typed: string) => {
    const change = { password, code: typed.trim() };
    const done = await run(async () => {
      if (linked) {
        await api.POST('/me/google/remove', { body: change });
        await reloadUser().catch(() => {});
        return;
      }
      const { url } = await body(api.POST('/me/google', { body: change }));
      window.location.assign(url);
      // The dialog stays as it is until the browser has gone.
      await new Promise(() => {});
    });
    if (!done) {
      setCode('');
      return;
    }
    toast.success(t(($) => $.account.google.unlinked));
    onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!asked) {
          if (password !== '') void sendCode();
        } else if (code.length === 6) void submit(code);
      }}
    >
      <Stack>
        {!asked && (
          <PasswordInput
            data-autofocus
            name="current-password"
            autoComplete="current-password"
            required
            label={t(($) => $.account.password.current)}
            value={password}
            onChange={(event) => {
              clear();
              setPassword(event.currentTarget.value);
            }}
            visibilityToggleButtonProps={{ 'aria-label': t(($) => $.password.show) }}
          />
        )}
        {asked && (
          <>
            <Text fz="sm" c="dimmed">
              {t(($) => $.second.hint[byApp ? 'app' : 'email'])}
            </Text>
            <CodeInput value={code} onChange={setCode} onComplete={submit} disabled={busy} />
          </>
        )}
        {failure && <Problem {...failure} />}
        <Group justify="space-between">
          {asked && !byApp ? <Resend sentAt={sentAt} onSend={sendCode} /> : <span />}
          <Button type="submit" loading={busy} disabled={asked ? code.length !== 6 : password === ''}>
            {asked ? t(($) => $.second.submit) : t(($) => $.register.next)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
