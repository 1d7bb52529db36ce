import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas } from '@/api/client';
import { PasskeyInstead } from '@/shared/passkeys/PasskeyInstead';
import { useConfirmsByPasskey } from '@/shared/passkeys/useByPasskey';
import { CodeInput, Resend } from '@/ui/CodeInput';
import { GuardedButton } from '@/ui/GuardedButton';
import { useErrorText } from '@/ui/useErrorText';
import { useMail } from '@/ui/useMail';
import { useSubmit } from '@/ui/useSubmit';

interface CodeStepProps {
  /** The app's code where it is on; else one is mailed. */
  app: boolean;
  /** One key for this step: a code that is typed again is for the same order. A rejection is shown. */
  onCode: (code: string, idempotencyKey: string) => Promise<unknown>;
  submit: string;
  /** Something else must be settled first, and what. */
  blocked?: string | undefined;
  onBack: ReactNode;
  /** What the mailed code, and a passkey's word, are bound to. */
  asked: Schemas['CodeBody'];
}

/** The last step of an order: its code below what it is for, so that both are seen together. */
export function CodeStep({ app, asked, onCode, submit, blocked, onBack }: CodeStepProps) {
  const { t } = useTranslation('web3');
  const { t: common } = useTranslation();
  const byPasskey = useConfirmsByPasskey();
  // A passkey comes before a code that would be mailed.
  const [typing, setTyping] = useState(app || !byPasskey);
  const errorText = useErrorText();
  const [code, setCode] = useState('');
  const { busy, failure, run, clear } = useSubmit(onCode, undefined, () => setCode(''));
  const mail = useMail(app ? undefined : () => api.POST('/security-code', { body: asked }), clear, !typing);
  const problem = failure ?? mail.failure;
  const confirm = () => {
    mail.clear();
    if (!blocked && code.length === 6) void run(code);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm();
      }}
    >
      <Stack gap="sm">
        <Text fz="sm" c="dimmed">
          {!typing ? common(($) => $.code.passkey.first) : app ? t(($) => $.code.app) : t(($) => $.code.mail)}
        </Text>
        {typing && <CodeInput value={code} onChange={setCode} disabled={busy} autoFocus={!blocked} />}
        {typing && !app && <Resend {...mail.resend} />}
        {problem && (
          <Alert color="red" variant="light" role="alert">
            {errorText(problem.error)}
          </Alert>
        )}
        <Group justify="space-between">
          {onBack}
          {(typing || blocked) && (
            <GuardedButton
              type="submit"
              allowed={!busy && !blocked && code.length === 6}
              reason={blocked ?? t(($) => $.code.missing)}
              loading={busy}
            >
              {submit}
            </GuardedButton>
          )}
        </Group>
        {!blocked && byPasskey && (
          <PasskeyInstead
            asked={asked}
            busy={busy}
            first={!typing}
            onProof={(proof) => {
              mail.clear();
              return run(proof);
            }}
          />
        )}
        {!typing && (
          <Anchor
            component="button"
            type="button"
            fz="sm"
            ta="left"
            onClick={() => {
              setTyping(true);
              void mail.resend.onSend();
            }}
          >
            {common(($) => $.code.passkey.mail)}
          </Anchor>
        )}
      </Stack>
    </form>
  );
}
