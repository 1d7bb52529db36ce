import { Anchor, Button, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { type Answer, api, body } from '@/api/client';
import { asApiError } from '@/api/problem';
import { startSession } from '@/api/session';
import { safeTarget } from '@/api/target';
import { i18n } from '@/i18n';
import { given, useSubmit } from '@/ui/useSubmit';
import { PublicCard } from './PublicCard';

/** What only some visits need comes after the form, with its texts. */
const afterwards = async () => {
  const [problem, second] = await Promise.all([
    import('./Problem'),
    import('./SecondStep'),
    i18n.loadNamespaces('identity'),
  ]);
  return { Problem: problem.Problem, SecondStep: second.SecondStep };
};
const Problem = lazy(async () => ({ default: (await afterwards()).Problem }));
const SecondStep = lazy(async () => ({ default: (await afterwards()).SecondStep }));

type Challenge = NonNullable<Answer<'/auth/login', 'post'>['twoFactor']>;

export default function LoginPage() {
  const { t } = useTranslation('login');
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  // A failure here is met again, and shown, when it is needed.
  useEffect(() => void afterwards().catch(() => {}), []);
  const enter = async (token: string) => {
    await startSession(token);
    await navigate(safeTarget(query.get('to')), { replace: true });
  };
  if (challenge)
    return (
      <PublicCard title={t(($) => $.second)}>
        <Suspense fallback={<Skeleton h={180} />}>
          <SecondStep challenge={challenge} onToken={enter} onBack={() => setChallenge(null)} />
        </Suspense>
      </PublicCard>
    );
  return (
    <PublicCard title={t(($) => $.title)} subtitle={t(($) => $.subtitle)}>
      <Credentials onToken={enter} onChallenge={setChallenge} />
    </PublicCard>
  );
}

interface CredentialsProps {
  onToken: (token: string) => Promise<unknown>;
  onChallenge: (challenge: Challenge) => void;
}

function Credentials({ onToken, onChallenge }: CredentialsProps) {
  const { t } = useTranslation('login');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [checked, setChecked] = useState(false);
  const { busy, failure, run, field } = useSubmit(given);
  const emailOk = isEmail(email);
  // Others may be trying this account from everywhere; a reset is the way around them.
  const refused = failure && asApiError(failure.error);
  const shutOut = refused?.status === 429 && (refused.retryAfter ?? 0) > 60;
  const submit = () =>
    run(async () => {
      const answer = await body(api.POST('/auth/login', { body: { email: email.trim(), password } }));
      if (answer.twoFactor) onChallenge(answer.twoFactor);
      else if (answer.token) await onToken(answer.token);
    });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (emailOk && password !== '') void submit();
      }}
    >
      <Stack>
        <TextInput
          name="email"
          type="email"
          autoComplete="username"
          required
          label={t(($) => $.email)}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={field('email') ?? (checked && !emailOk && t(($) => $.badEmail))}
        />
        <PasswordInput
          name="password"
          autoComplete="current-password"
          required
          label={t(($) => $.password)}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={field('password') ?? (checked && password === '' && t(($) => $.required))}
          visibilityToggleButtonProps={{ 'aria-label': t(($) => $.showPassword) }}
        />
        {failure && (
          <Suspense>
            <Problem {...failure} title={t(($) => $.failed)} instead={{ 'auth.failed': t(($) => $.wrong) }} />
          </Suspense>
        )}
        <Button type="submit" loading={busy} size="md">
          {t(($) => $.submit)}
        </Button>
        <div>
          <Anchor component={Link} to="/forgot-password" fz="sm">
            {t(($) => $.forgot)}
          </Anchor>
          {shutOut && (
            <Text fz="sm" c="dimmed">
              {t(($) => $.resetHelps)}
            </Text>
          )}
        </div>
        <Text fz="sm" c="dimmed">
          {t(($) => $.invite)}
        </Text>
      </Stack>
    </form>
  );
}

export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim());
