import { Button, Skeleton, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';
import { api, body } from '@/api/client';
import { startSession } from '@/api/session';
import { ErrorCard } from '@/ui/ErrorCard';
import { BadLink } from './BadLink';
import { PasswordFields, passwordsFit } from './PasswordFields';
import { Problem } from './Problem';
import { PublicCard } from './PublicCard';
import { useSignature } from './ResetPasswordPage';
import { useSubmit } from './useSubmit';

/** Where an invitation leads: the first password of an account that staff made. */
export default function NewPasswordPage() {
  const { t } = useTranslation('identity');
  const navigate = useNavigate();
  const { token = '', email = '' } = useParams();
  const { state, again } = useSignature(token);
  const [password, setPassword] = useState('');
  const [confirmation, setConfirmation] = useState('');
  const [checked, setChecked] = useState(false);
  const { busy, failure, run, field } = useSubmit();

  const submit = () =>
    run(async () => {
      const answer = await body(
        api.POST('/new-password/{token}/{email}', {
          params: { path: { token, email } },
          body: { password, password_confirmation: confirmation },
        }),
      );
      if (answer.token) await startSession(answer.token);
      await navigate(answer.token ? '/' : '/login', { replace: true });
    });
  return (
    <PublicCard title={t(($) => $.invited.title)} subtitle={t(($) => $.invited.subtitle)}>
      {state === 'checking' && <Skeleton h={200} aria-label={t(($) => $.checking)} />}
      {state === 'bad' && <BadLink title={t(($) => $.reset.bad)} />}
      {state === 'unknown' && <ErrorCard what={t(($) => $.reset.what)} onRetry={again} />}
      {state === 'good' && (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            setChecked(true);
            if (passwordsFit(password, confirmation)) void submit();
          }}
        >
          <Stack>
            <TextInput label={t(($) => $.fields.email)} value={email} readOnly autoComplete="username" />
            <PasswordFields
              password={password}
              confirmation={confirmation}
              onPassword={setPassword}
              onConfirmation={setConfirmation}
              checked={checked}
              error={field('password')}
            />
            {failure && <Problem {...failure} />}
            <Button type="submit" loading={busy} size="md">
              {t(($) => $.invited.submit)}
            </Button>
          </Stack>
        </form>
      )}
    </PublicCard>
  );
}
