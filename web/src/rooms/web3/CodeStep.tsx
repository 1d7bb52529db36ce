import { Alert, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeInput, Resend } from '@/ui/CodeInput';
import { GuardedButton } from '@/ui/GuardedButton';
import { useErrorText } from '@/ui/useErrorText';

interface CodeStepProps {
  /** The app's code where it is on; else one is mailed. */
  app: boolean;
  onSend: () => Promise<unknown>;
  /** A rejection is shown and the code can be typed again. */
  onCode: (code: string) => Promise<unknown>;
  submit: string;
  /** Something else must be settled first, and what. */
  blocked?: string | undefined;
  onBack: ReactNode;
}

/** The last step of an order: its code below what it is for, so that both are seen together. */
export function CodeStep({ app, onSend, onCode, submit, blocked, onBack }: CodeStepProps) {
  const { t } = useTranslation('web3');
  const errorText = useErrorText();
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [sentAt, setSentAt] = useState<number | null>(null);
  const asked = useRef(false);

  const send = async () => {
    setError(null);
    try {
      await onSend();
      setSentAt(Date.now());
    } catch (thrown) {
      setError(thrown);
    }
  };
  const first = useEffectEvent(() => {
    if (!app && !asked.current) void send();
    asked.current = true;
  });
  useEffect(() => first(), []);

  const confirm = async () => {
    if (busy || blocked || code.length !== 6) return;
    setBusy(true);
    setError(null);
    try {
      await onCode(code);
    } catch (thrown) {
      setError(thrown);
      setCode('');
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void confirm();
      }}
    >
      <Stack gap="sm">
        <Text fz="sm" c="dimmed">
          {app ? t(($) => $.code.app) : t(($) => $.code.mail)}
        </Text>
        <CodeInput value={code} onChange={setCode} disabled={busy} autoFocus={!blocked} />
        {!app && <Resend sentAt={sentAt} onSend={send} />}
        {error !== null && (
          <Alert color="red" variant="light" role="alert">
            {errorText(error)}
          </Alert>
        )}
        <Group justify="space-between">
          {onBack}
          <GuardedButton
            type="submit"
            allowed={!busy && !blocked && code.length === 6}
            reason={blocked ?? t(($) => $.code.missing)}
            loading={busy}
          >
            {submit}
          </GuardedButton>
        </Group>
      </Stack>
    </form>
  );
}
