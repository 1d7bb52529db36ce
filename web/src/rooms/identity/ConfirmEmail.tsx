import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconHeadset, IconMail } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api } from '@/api/client';
import { serverNow } from '@/api/clock';
import { loadConfig, useConfig } from '@/api/config';
import { asApiError } from '@/api/problem';
import { type Me, reloadUser, signOut, useUser } from '@/api/session';
import { Countdown } from '@/ui/Countdown';
import { given, useSubmit } from '@/ui/useSubmit';
import { isEmail } from './Credentials';
import { CurrentPassword } from './CurrentPassword';
import { Problem } from './Problem';
import { PublicCard } from './PublicCard';
import { WayOut } from './WayOut';

/** Between two mails that went out. */
const PAUSE_MS = 60_000;

/** All that somebody sees whose address is not confirmed: where the link went, another one, another address, the way to help. */
export default function ConfirmEmail() {
  const user = useUser();
  return user && <Screen user={user} />;
}

function Screen({ user }: { user: Me }) {
  const { t } = useTranslation('identity');
  const [correcting, setCorrecting] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => void loadConfig(), []);
  const mailbox = useConfig(({ config }) => config?.mailbox ?? null);
  return (
    <PublicCard
      width={480}
      title={t(($) => $.confirm.title, { email: user.email })}
      subtitle={t(($) => $.confirm.sent)}
    >
      <Stack gap="md">
        {mailbox && (
          <Anchor href={`${mailbox}?to=${encodeURIComponent(user.email)}`} target="_blank" fz="sm">
            {t(($) => $.confirm.mailbox)}
          </Anchor>
        )}
        {said && (
          <Alert color="mint" variant="light" role="status">
            {said}
          </Alert>
        )}
        {correcting ? (
          <Correction
            now={user.email}
            onCancel={() => setCorrecting(false)}
            onDone={() => {
              setCorrecting(false);
              setSaid(t(($) => $.confirm.corrected));
            }}
          />
        ) : (
          <>
            {/* Another address has waits of its own. */}
            <Another key={user.email} onSent={() => setSaid(t(($) => $.confirm.resent))} />
            <Group gap={6}>
              <Text fz="sm" c="dimmed" span>
                {t(($) => $.confirm.wrong)}
              </Text>
              <Anchor component="button" type="button" fz="sm" onClick={() => setCorrecting(true)}>
                {t(($) => $.confirm.correct)}
              </Anchor>
            </Group>
          </>
        )}
        <Group justify="space-between" gap="sm" mt="xs">
          <Anchor component={Link} to="/support" fz="sm">
            <Group gap={6} component="span">
              <IconHeadset size={16} aria-hidden />
              <span>{t(($) => $.confirm.help)}</span>
            </Group>
          </Anchor>
          <Anchor component="button" type="button" fz="sm" onClick={() => void signOut()}>
            {t(($) => $.confirm.leave)}
          </Anchor>
        </Group>
        <WayOut user={user} />
      </Stack>
    </PublicCard>
  );
}

/** Another link, as often as the server lets it go. */
function Another({ onSent }: { onSent: () => void }) {
  const { t } = useTranslation('identity');
  const [until, setUntil] = useState<number | null>(null);
  const { busy, failure, run } = useSubmit(given);
  const send = () =>
    run(async () => {
      try {
        await api.POST('/email/verification-notification');
        setUntil(serverNow() + PAUSE_MS);
        onSent();
      } catch (error) {
        const { retryAfter, code } = asApiError(error);
        if (retryAfter !== null) setUntil(serverNow() + retryAfter * 1000);
        // Confirmed meanwhile, in another tab: the profile says so.
        if (code !== 'request.conflict') throw error;
        await reloadUser();
      }
    });
  return (
    <Stack gap="sm">
      <Text fz="sm" c="dimmed">
        {t(($) => $.confirm.spam)}
      </Text>
      {failure && <Problem {...failure} title={t(($) => $.confirm.unsent)} />}
      <Button
        variant="default"
        loading={busy}
        disabled={until !== null}
        leftSection={<IconMail size={17} aria-hidden />}
        onClick={() => void send()}
      >
        {t(($) => $.confirm.resend)}
      </Button>
      {until !== null && (
        <Text fz="sm" c="dimmed">
          <span>{t(($) => $.confirm.again)}</span> <Countdown until={until} onEnd={() => setUntil(null)} />
        </Text>
      )}
    </Stack>
  );
}

interface CorrectionProps {
  now: string;
  onCancel: () => void;
  onDone: () => void;
}

function Correction({ now, onCancel, onDone }: CorrectionProps) {
  const { t } = useTranslation('identity');
  const [email, setEmail] = useState(now);
  const [password, setPassword] = useState('');
  const [checked, setChecked] = useState(false);
  const { busy, failure, run, field } = useSubmit(given);
  const typed = email.trim();
  const problem = !isEmail(typed)
    ? t(($) => $.errors.email)
    : typed.toLowerCase() === now.toLowerCase() && t(($) => $.confirm.same);
  const submit = async () => {
    setChecked(true);
    if (problem || password === '') return;
    const done = await run(async () => {
      await api.POST('/email/correction', { body: { email: typed, password } });
      await reloadUser();
    });
    if (done) onDone();
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack gap="sm">
        <TextInput
          name="email"
          type="email"
          autoComplete="email"
          required
          data-autofocus
          autoFocus
          maxLength={254}
          label={t(($) => $.confirm.email)}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={field('email') ?? (checked && problem)}
        />
        <CurrentPassword
          hint={t(($) => $.confirm.passwordHint)}
          value={password}
          onChange={setPassword}
          error={field('password')}
          checked={checked}
        />
        {failure && !field('email') && !field('password') && (
          <Problem {...failure} title={t(($) => $.confirm.failed)} />
        )}
        <Group justify="space-between">
          <Button variant="subtle" color="gray" onClick={onCancel} disabled={busy}>
            {t(($) => $.confirm.cancel)}
          </Button>
          <Button type="submit" loading={busy}>
            {t(($) => $.confirm.submit)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
