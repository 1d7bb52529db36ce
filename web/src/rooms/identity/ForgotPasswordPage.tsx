import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { IconMailCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api, body } from '@/api/client';
import { serverNow } from '@/api/clock';
import { Countdown } from '@/ui/Countdown';
import { given, useSubmit } from '@/ui/useSubmit';
import { isEmail } from './Credentials';
import { Problem } from './Problem';
import { PublicCard } from './PublicCard';

/** Always the same answer: whether an address is known is nobody's business. */
export default function ForgotPasswordPage() {
  const { t } = useTranslation('identity');
  const [email, setEmail] = useState('');
  const [checked, setChecked] = useState(false);
  const [sent, setSent] = useState(false);
  /** When another request sends the link again. */
  const [againAt, setAgainAt] = useState<number | null>(null);
  const { busy, failure, run, field } = useSubmit(given);
  const emailOk = isEmail(email);
  return (
    <PublicCard title={t(($) => $.forgot.title)} subtitle={t(($) => $.forgot.subtitle)}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (!emailOk) return;
          void run(async () => {
            const { nextIn } = await body(api.POST('/forgot-password', { body: { email: email.trim() } }));
            setAgainAt(serverNow() + nextIn * 1000);
            setSent(true);
          });
        }}
      >
        <Stack>
          {sent ? (
            <>
              <Alert
                color="mint"
                variant="light"
                role="status"
                icon={<IconMailCheck size={18} aria-hidden />}
              >
                {t(($) => $.forgot.sent)}
              </Alert>
              <Text fz="sm" c="dimmed">
                {t(($) => $.forgot.lost)}
              </Text>
              {failure && <Problem {...failure} />}
              {againAt === null ? (
                <Button type="submit" variant="default" loading={busy}>
                  {t(($) => $.forgot.again)}
                </Button>
              ) : (
                <Text fz="sm" c="dimmed">
                  <span>{t(($) => $.forgot.againIn)}</span>{' '}
                  <Countdown key={againAt} until={againAt} onEnd={() => setAgainAt(null)} />
                </Text>
              )}
            </>
          ) : (
            <>
              <TextInput
                name="email"
                type="email"
                autoComplete="username"
                required
                label={t(($) => $.fields.email)}
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
                error={field('email') ?? (checked && !emailOk && t(($) => $.errors.email))}
              />
              {failure && <Problem {...failure} />}
              <Button type="submit" loading={busy} size="md">
                {t(($) => $.forgot.submit)}
              </Button>
            </>
          )}
          <Anchor component={Link} to="/login" fz="sm">
            {t(($) => $.backToLogin)}
          </Anchor>
        </Stack>
      </form>
    </PublicCard>
  );
}
