import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Answer, api, body } from '@/api/client';
import { canUsePasskeys } from '@/shared/passkeys/usable';
import { usePasskeyWords } from '@/shared/passkeys/usePasskeyWords';
import { CodeInput, RecoveryInput, Resend } from '@/ui/CodeInput';
import { given, useSubmit } from '@/ui/useSubmit';
import { Problem } from './Problem';
import { enterByPasskey } from './passkey';
import { Support } from './Support';

type Challenge = NonNullable<Answer<'/auth/login', 'post'>['twoFactor']>;
type Method = Challenge['methods'][number];

interface SecondStepProps {
  challenge: Challenge;
  onToken: (token: string) => Promise<unknown>;
  onBack: () => void;
}

/** What is offered first: a passkey where the browser uses one, then the app. */
const best = (methods: readonly Method[]): Method =>
  (canUsePasskeys() && methods.find((one) => one === 'passkey')) ||
  methods.find((one) => one === 'app') ||
  methods.find((one) => one !== 'passkey') ||
  'passkey';

/** A passkey, the code from the mail or the authenticator, or a recovery code; inside the same card as the password. */
export function SecondStep({ challenge, onToken, onBack }: SecondStepProps) {
  const { t } = useTranslation('identity');
  const { t: login } = useTranslation('login');
  const { methods, passkeysAside: aside } = challenge;
  const none = methods.length === 0;
  const words = usePasskeyWords();
  const [method, setMethod] = useState<Method>(() => best(methods));
  const byPasskey = method === 'passkey';
  const [code, setCode] = useState('');
  // Where a passkey is among the ways a code is mailed when it is wished for.
  const [sentAt, setSentAt] = useState<number | null>(() =>
    methods.includes('passkey') ? null : Date.now(),
  );
  const { busy, failure, run, clear } = useSubmit(given);
  const mailing = useSubmit(given);
  const problem = failure ?? mailing.failure;

  const submit = async (value: string) => {
    const done = await run(async () => {
      if (byPasskey) {
        await onToken(await enterByPasskey(challenge.challenge));
        return;
      }
      const answer = await body(
        api.POST('/auth/2fa', { body: { challenge: challenge.challenge, method, code: value.trim() } }),
      );
      await onToken(answer.token);
    });
    if (!done) setCode('');
  };
  const resend = () =>
    mailing.run(async () => {
      await api.POST('/auth/2fa/resend', { body: { challenge: challenge.challenge } });
      setSentAt(Date.now());
    });
  const wished = useEffectEvent(() => {
    if (method === 'email' && sentAt === null) void resend();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the way that was chosen is what it runs for.
  useEffect(() => wished(), [method]);
  const change = (next: Method) => {
    setMethod(next);
    setCode('');
    clear();
    mailing.clear();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(code);
      }}
    >
      <Stack>
        {aside && <Text fz="sm">{t(($) => $.second.aside)}</Text>}
        {!none && (
          <Text fz="sm" c="dimmed">
            {t(($) => $.second.hint[method])}
          </Text>
        )}
        {method === 'recovery' && <RecoveryInput value={code} onChange={setCode} disabled={busy} />}
        {(method === 'email' || method === 'app') && (
          <CodeInput key={method} value={code} onChange={setCode} onComplete={submit} disabled={busy} />
        )}
        {problem && (
          <Problem
            {...problem}
            title={login(($) => $.failed)}
            instead={{ ...words, 'auth.failed': t(($) => $.second.over) }}
          />
        )}
        {!none && (
          <Button
            type="submit"
            loading={busy}
            size="md"
            disabled={!byPasskey && (method === 'recovery' ? code.trim().length < 8 : code.length !== 6)}
          >
            {byPasskey ? t(($) => $.second.use.passkey) : t(($) => $.second.submit)}
          </Button>
        )}
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
        <Support asks={t(($) => $.second.lost)} />
      </Stack>
    </form>
  );
}
