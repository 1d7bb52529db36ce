import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { type Answer, api, body } from '@/api/client';
import { asApiError } from '@/api/problem';
import { i18n } from '@/i18n';
import { given, useSubmit } from '@/ui/useSubmit';

/** Only a refused sign-in needs it. */
const Problem = lazy(async () => {
  const [{ Problem }] = await Promise.all([import('./Problem'), i18n.loadNamespaces('identity')]);
  return { default: Problem };
});

export type Challenge = NonNullable<Answer<'/auth/login', 'post'>['twoFactor']>;

interface CredentialsProps {
  /** Whose account it is, where that is known: then nothing else is offered. */
  email?: string;
  onToken: (token: string) => Promise<unknown>;
  onChallenge: (challenge: Challenge) => void;
}

/** E-mail and password. */
export function Credentials({ email: known = '', onToken, onChallenge }: CredentialsProps) {
  const { t } = useTranslation('login');
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const [checked, setChecked] = useState(false);
  const { busy, failure, run, field } = useSubmit(given);
  const emailOk = isEmail(email);
  // Others may be trying this account from everywhere; a reset is the way around them.
  const refused = failure && asApiError(failure.error);
  const shutOut = refused?.status === 429 && (refused.retryAfter ?? 0) > 60;
  const wrong = field('password') ?? (checked && password === '' && t(($) => $.required));
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
          autoComplete="username webauthn"
          required
          label={t(($) => $.email)}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={field('email') ?? (checked && !emailOk && t(($) => $.badEmail))}
        />
        <PasswordInput
          name="password"
          autoFocus={known !== ''}
          autoComplete="current-password"
          required
          label={t(($) => $.password)}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={wrong}
          aria-invalid={Boolean(wrong)}
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
        {known === '' && (
          <>
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
          </>
        )}
      </Stack>
    </form>
  );
}

export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim());
