import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { type ApiError, asApiError } from '@/api/problem';
import { useUser } from '@/api/session';
import { CodesDialog } from '@/ui/CodesDialog';
import { GuardedButton } from '@/ui/GuardedButton';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { given, useSubmit } from '@/ui/useSubmit';
import { CurrentPassword } from '../CurrentPassword';
import { PasswordFields } from '../PasswordFields';
import { usePassword } from '../usePassword';
import { useUnsaved } from './Unsaved';

/** It ends every session but this one. */
const changePassword = mutation({
  send: (order: Schemas['ChangePassword']) => api.POST('/me/change-password', { body: order }),
  changes: ['/sessions'],
});

/** The old password, the new one twice, a code from the mail and, where it is on, one of the authenticator. */
export function PasswordCard() {
  const { t } = useTranslation('identity');
  const [current, setCurrent] = useState('');
  const user = useUser();
  const chosen = usePassword(
    user ? { email: user.email, fullName: user.fullName, username: user.username } : {},
  );
  const { password, confirmation } = chosen;
  const { busy, run } = useSubmit(given);
  const [checked, setChecked] = useState(false);
  const [asking, setAsking] = useState(false);
  const [refused, setRefused] = useState<ApiError | null>(null);
  const same = password !== '' && password === current;
  const dirty = current !== '' || password !== '' || confirmation !== '';
  useUnsaved(dirty);
  const reset = () => {
    setCurrent('');
    chosen.clear();
    setChecked(false);
    setRefused(null);
  };
  return (
    <Section title={t(($) => $.account.password.title)} hint={t(($) => $.account.password.hint)}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          setRefused(null);
          void run(async () => {
            if (current !== '' && !same && (await chosen.accepted())) setAsking(true);
          });
        }}
      >
        <Stack gap="sm" maw={420}>
          <CurrentPassword
            value={current}
            onChange={(typed) => {
              setCurrent(typed);
              setRefused(null);
            }}
            error={refused?.field('currentPassword')}
            checked={checked}
          />
          <PasswordFields
            chosen={chosen}
            checked={checked}
            error={
              refused?.field('password') ?? (checked && same ? t(($) => $.account.password.same) : undefined)
            }
          />
          <Group>
            <GuardedButton type="submit" allowed loading={busy}>
              {t(($) => $.account.password.submit)}
            </GuardedButton>
            {dirty && (
              <Button variant="subtle" color="gray" onClick={reset}>
                {t(($) => $.account.discard)}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <CodesDialog
        saves
        app={user?.twoFactor.app ?? false}
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.account.password.title)}
        hint={t(($) => $.second.hint.email)}
        onSend={() => api.POST('/security-code', { body: { purpose: 'change-password' } })}
        onCodes={async (codes) => {
          try {
            await changePassword({
              currentPassword: current,
              password,
              password_confirmation: confirmation,
              ...codes,
            });
          } catch (thrown) {
            const error = asApiError(thrown);
            // What is wrong with either password is said where it was typed.
            if (error.field('currentPassword') === undefined && error.field('password') === undefined)
              throw thrown;
            setRefused(error);
            return;
          }
          reset();
          toast.success(t(($) => $.account.password.done));
        }}
      />
    </Section>
  );
}
