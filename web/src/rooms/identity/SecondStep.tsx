import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Answer, api, body } from '@/api/client';
import { CodeInput, RecoveryInput, Resend } from '@/ui/CodeInput';
import { given, useSubmit } from '@/ui/useSubmit';
import { Problem } from './Problem';

type Challenge = NonNullable<Answer<'/auth/login', 'post'>['twoFactor']>;
type Method = Challenge['methods'][number];

interface SecondStepProps {
  challenge: Challenge;
  onToken: (token: string) => Promise<unknown>;
  onBack: () => void;
}

/** The code from the mail or the authenticator, or a recovery code; inside the same card as the password. */
export function SecondStep({ challenge, onToken, onBack }: SecondStepProps) {
  const { t } = useTranslation('identity');
  const { t: login } = useTranslation('login');
  const { methods } = challenge;
  const [method, setMethod] = useState<Method>(methods.includes('app') ? 'app' : (methods[0] ?? 'email'));
  const [code, setCode] = useState('');
  const [sentAt, setSentAt] = useState<number | null>(() => Date.now());
  const { busy, failure, run, clear } = useSubmit(given);

  const submit = async (value: string) => {
    const done = await run(async () => {
      const answer = await body(
        api.POST('/auth/2fa', { body: { challenge: challenge.challenge, method, code: value.trim() } }),
      );
      await onToken(answer.token);
    });
    if (!done) setCode('');
  };
  const resend = () =>
    run(async () => {
      await api.POST('/auth/2fa/resend', { body: { challenge: challenge.challenge } });
      setSentAt(Date.now());
    });
  const change = (next: Method) => {
    setMethod(next);
    setCode('');
    clear();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(code);
      }}
    >
      <Stack>
        <Text fz="sm" c="dimmed">
          {t(($) => $.second.hint[method])}
        </Text>
        {method === 'recovery' ? (
          <RecoveryInput value={code} onChange={setCode} disabled={busy} />
        ) : (
          <CodeInput key={method} value={code} onChange={setCode} onComplete={submit} disabled={busy} />
        )}
        {failure && (
          <Problem
            {...failure}
            title={login(($) => $.failed)}
            instead={{ 'auth.failed': t(($) => $.second.over) }}
          />
        )}
        <Button
          type="submit"
          loading={busy}
          size="md"
          disabled={method === 'recovery' ? code.trim().length < 8 : code.length !== 6}
        >
          {t(($) => $.second.submit)}
        </Button>
        <Group justify="space-between" gap="xs">
          {method === 'email' ? <Resend sentAt={sentAt} onSend={resend} /> : <span />}
          <Anchor component="button" type="button" fz="sm" onClick={onBack}>
            {t(($) => $.second.back)}
          </Anchor>
        </Group>
        {methods
          .filter((other) => other !== method)
          .map((other) => (
            <Anchor
              key={other}
              component="button"
              type="button"
              fz="sm"
              ta="left"
              onClick={() => change(other)}
            >
              {t(($) => $.second.use[other])}
            </Anchor>
          ))}
      </Stack>
    </form>
  );
}
