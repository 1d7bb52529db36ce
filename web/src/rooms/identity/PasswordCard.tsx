import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { CodeDialog } from '@/ui/CodeDialog';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { PasswordFields, passwordsFit } from './PasswordFields';
import { Section } from './Section';

/** The old password, the new one twice, and a code from the mail. */
export function PasswordCard() {
  const { t } = useTranslation('identity');
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [confirmation, setConfirmation] = useState('');
  const [checked, setChecked] = useState(false);
  const [asking, setAsking] = useState(false);
  const same = password !== '' && password === current;
  const ready = current !== '' && passwordsFit(password, confirmation) && !same;
  const dirty = current !== '' || password !== '' || confirmation !== '';
  const reset = () => {
    setCurrent('');
    setPassword('');
    setConfirmation('');
    setChecked(false);
  };
  return (
    <Section title={t(($) => $.account.password.title)} hint={t(($) => $.account.password.hint)}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (ready) setAsking(true);
        }}
      >
        <Stack gap="sm" maw={420}>
          <PasswordInput
            name="current-password"
            autoComplete="current-password"
            required
            label={t(($) => $.account.password.current)}
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            error={checked && current === '' && t(($) => $.errors.required)}
            visibilityToggleButtonProps={{ 'aria-label': t(($) => $.password.show) }}
          />
          <PasswordFields
            password={password}
            confirmation={confirmation}
            onPassword={setPassword}
            onConfirmation={setConfirmation}
            checked={checked}
            error={checked && same ? t(($) => $.account.password.same) : undefined}
          />
          <Group>
            <GuardedButton type="submit" allowed>
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
      <CodeDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.account.password.title)}
        hint={t(($) => $.second.hint.email)}
        onSend={() => api.POST('/security-code', { body: { purpose: 'change-password' } })}
        onCode={async (securityCode) => {
          await api.POST('/me/change-password', {
            body: { currentPassword: current, password, password_confirmation: confirmation, securityCode },
          });
          reset();
          toast.success(t(($) => $.account.password.done));
        }}
      />
    </Section>
  );
}
