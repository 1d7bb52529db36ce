import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import type { Me } from '@/api/session';
import { CodeInput, RecoveryInput, Resend } from '@/ui/CodeInput';
import { toast } from '@/ui/toast';
import { given, useSubmit } from '@/ui/useSubmit';
import { Problem } from '../Problem';

interface Change {
  method: 'email' | 'app';
  enable: boolean;
}

interface FactorDialogProps {
  /** Null while closed. */
  change: Change | null;
  factors: Me['twoFactor'];
  onClose: () => void;
  onDone: (recoveryCodes?: readonly string[] | null) => Promise<unknown>;
}

/** Switches a factor that needs no pairing: the password first, then a code of the factor that counts now. */
export function FactorDialog({ change, factors, onClose, onDone }: FactorDialogProps) {
  const { t } = useTranslation('identity');
  const title = change
    ? t(($) => (change.enable ? $.account.factors.enableLabel : $.account.factors.disableLabel), {
        factor: t(($) => $.account.factors[change.method].title),
      })
    : '';
  return (
    <Modal opened={change !== null} onClose={onClose} title={title} centered>
      {change && <FactorForm change={change} factors={factors} onClose={onClose} onDone={onDone} />}
    </Modal>
  );
}

function FactorForm({ change, factors, onClose, onDone }: FactorDialogProps & { change: Change }) {
  const { t } = useTranslation('identity');
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const [code, setCode] = useState('');
  const [byRecovery, setByRecovery] = useState(false);
  const [sentAt, setSentAt] = useState<number | null>(null);
  const { busy, failure, run, clear } = useSubmit(given);
  // The app is the stronger factor: where it is on, a mailbox alone changes nothing.
  const byApp = factors.app;
  const whole = byRecovery ? code.trim().length >= 8 : code.length === 6;

  const sendCode = () =>
    run(async () => {
      if (!byApp) {
        await api.POST('/security-code', { body: { purpose: 'change-factor' } });
        setSentAt(Date.now());
      }
      setAsked(true);
    });
  const submit = async (value: string) => {
    const done = await run(async () => {
      const answer = await body(
        api.POST('/setup-2fa', {
          body: { method: change.method, enable: change.enable, password, code: value.trim() },
        }),
      );
      await onDone(answer.recoveryCodes);
    });
    if (!done) {
      setCode('');
      return;
    }
    toast.success(t(($) => (change.enable ? $.account.factors.enabled : $.account.factors.disabled)));
    onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!asked) {
          if (password !== '') void sendCode();
        } else if (whole) void submit(code);
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
              {t(($) => $.second.hint[byRecovery ? 'recovery' : byApp ? 'app' : 'email'])}
            </Text>
            {byRecovery ? (
              <RecoveryInput value={code} onChange={setCode} disabled={busy} />
            ) : (
              <CodeInput value={code} onChange={setCode} onComplete={submit} disabled={busy} />
            )}
          </>
        )}
        {failure && <Problem {...failure} />}
        <Group justify="space-between">
          {asked && !byApp && !byRecovery ? <Resend sentAt={sentAt} onSend={sendCode} /> : <span />}
          <Button type="submit" loading={busy} disabled={asked ? !whole : password === ''}>
            {asked ? t(($) => $.second.submit) : t(($) => $.register.next)}
          </Button>
        </Group>
        {asked && !change.enable && !byRecovery && (
          <Anchor
            component="button"
            type="button"
            fz="sm"
            ta="left"
            onClick={() => {
              clear();
              setCode('');
              setByRecovery(true);
            }}
          >
            {t(($) => $.second.use.recovery)}
          </Anchor>
        )}
      </Stack>
    </form>
  );
}
