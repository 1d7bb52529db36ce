import { Button, Skeleton, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';
import { api, body } from '@/api/client';
import { ErrorCard } from '@/ui/ErrorCard';
import { given, useSubmit } from '@/ui/useSubmit';
import { BadLink } from './BadLink';
import { PasswordFields } from './PasswordFields';
import { Problem } from './Problem';
import { PublicCard } from './PublicCard';
import { useSignature } from './ResetPasswordPage';
import { SignedIn } from './SignedIn';
import { useEntering } from './useEntering';
import { usePassword } from './usePassword';

/** Where an invitation leads: the first password of an account that staff made. */
export default function NewPasswordPage() {
  const { t } = useTranslation('identity');
  const navigate = useNavigate();
  const { token = '', email = '' } = useParams();
  const { state, again } = useSignature(token);
  const chosen = usePassword({ email, link: token });
  const [checked, setChecked] = useState(false);
  const { busy, failure, run, field } = useSubmit(given);
  const { somebody, enter } = useEntering();

  const submit = () =>
    run(async () => {
      if (!(await chosen.accepted())) return;
      const answer = await body(
        api.POST('/new-password/{token}/{email}', {
          params: { path: { token, email } },
          body: { password: chosen.password, password_confirmation: chosen.confirmation },
        }),
      );
      if (answer.token) await enter(answer.token);
      await navigate(answer.token ? '/' : '/login', { replace: true });
    });
  if (somebody) return <SignedIn user={somebody} />;
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
            void submit();
          }}
        >
          <Stack>
            <TextInput label={t(($) => $.fields.email)} value={email} readOnly autoComplete="username" />
            <PasswordFields chosen={chosen} checked={checked} error={field('password')} />
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
