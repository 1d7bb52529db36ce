import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { asApiError } from '@/api/problem';
import { PasskeyInstead } from '@/shared/passkeys/PasskeyInstead';
import { useConfirmsByPasskey } from '@/shared/passkeys/useByPasskey';
import { CodeInput, RecoveryInput, Resend } from '@/ui/CodeInput';
import { given, useSubmit } from '@/ui/useSubmit';
import { CurrentPassword } from '../CurrentPassword';
import { Problem } from '../Problem';

/** What the code, or a passkey's word, is for. */
const CHANGE = { purpose: 'change-factor' } as const;

interface PasswordThenCodeProps {
  /** The app is the stronger factor: where it is on, a mailbox alone changes nothing. */
  byApp: boolean;
  /** A recovery code does as well, for whoever has lost the factor. */
  recovery?: boolean;
  /** Makes the change and closes; a rejection is shown. */
  onConfirm: (order: { password: string; code: string }) => Promise<unknown>;
}

/** What changes how somebody signs in: the password first, then a passkey, or a code of the factor that counts now. */
export function PasswordThenCode({ byApp, recovery = false, onConfirm }: PasswordThenCodeProps) {
  const { t } = useTranslation('identity');
  const { t: common } = useTranslation();
  const byPasskey = useConfirmsByPasskey();
  // A passkey comes before a code that would be mailed.
  const [typing, setTyping] = useState(byApp || !byPasskey);
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const [code, setCode] = useState('');
  const [byRecovery, setByRecovery] = useState(false);
  const [sentAt, setSentAt] = useState<number | null>(null);
  const { busy, failure, run, field, clear } = useSubmit(given, undefined, (error) => {
    setCode('');
    // Said where it was typed.
    if (asApiError(error).field('password')) setAsked(false);
  });
  const whole = byRecovery ? code.trim().length >= 8 : code.length === 6;

  const mail = async () => {
    await api.POST('/security-code', { body: CHANGE });
    setSentAt(Date.now());
  };
  const next = () =>
    run(async () => {
      // A code that was mailed stays good when the password was the wrong one.
      if (typing && !byApp && sentAt === null) await mail();
      setAsked(true);
    });
  const type = () =>
    run(async () => {
      if (sentAt === null) await mail();
      setTyping(true);
    });
  const confirm = (typed: string) => run(() => onConfirm({ password, code: typed.trim() }));
  const refused = asked ? undefined : field('password');
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!asked) {
          if (password !== '') void next();
        } else if (whole) void confirm(code);
      }}
    >
      <Stack>
        {!asked && (
          <CurrentPassword
            first
            value={password}
            onChange={(typed) => {
              clear();
              setPassword(typed);
            }}
            error={refused}
          />
        )}
        {asked && (
          <>
            <Text fz="sm" c="dimmed">
              {t(
                ($) => $.second.hint[byRecovery ? 'recovery' : !typing ? 'passkey' : byApp ? 'app' : 'email'],
              )}
            </Text>
            {byRecovery ? (
              <RecoveryInput value={code} onChange={setCode} disabled={busy} />
            ) : (
              typing && <CodeInput value={code} onChange={setCode} onComplete={confirm} disabled={busy} />
            )}
          </>
        )}
        {failure && !refused && <Problem {...failure} />}
        {(!asked || typing || byRecovery) && (
          <Group justify="space-between">
            {asked && !byApp && !byRecovery ? <Resend sentAt={sentAt} onSend={() => run(mail)} /> : <span />}
            <Button type="submit" loading={busy} disabled={asked ? !whole : password === ''}>
              {asked ? t(($) => $.second.submit) : t(($) => $.register.next)}
            </Button>
          </Group>
        )}
        {asked && byPasskey && !byRecovery && (
          <PasskeyInstead asked={CHANGE} busy={busy} first={!typing} onProof={(proof) => confirm(proof)} />
        )}
        {asked && !typing && !byRecovery && (
          <Anchor component="button" type="button" fz="sm" ta="left" onClick={() => void type()}>
            {common(($) => $.code.passkey.mail)}
          </Anchor>
        )}
        {asked && recovery && !byRecovery && (
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
