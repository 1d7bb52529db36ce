import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeInput, Resend } from './CodeInput';
import { useErrorText } from './useErrorText';

interface CodeDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What the code is for, and where it was sent. */
  hint: ReactNode;
  /** Sends a code; called when the dialog opens and by "Reenviar". Absent for authenticator codes. */
  onSend?: () => Promise<unknown>;
  /** A rejection is shown and the code can be typed again. */
  onCode: (code: string) => Promise<unknown>;
}

/** Six digits from a mail or an authenticator. */
export function CodeDialog(props: CodeDialogProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title} centered>
      {props.opened && <CodeForm {...props} />}
    </Modal>
  );
}

function CodeForm({ onClose, hint, onSend, onCode }: CodeDialogProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [sentAt, setSentAt] = useState<number | null>(null);
  const sent = useRef(false);

  const send = async () => {
    setError(null);
    try {
      await onSend?.();
      setSentAt(Date.now());
    } catch (thrown) {
      setError(thrown);
    }
  };
  const first = useEffectEvent(() => {
    if (onSend && !sent.current) void send();
    sent.current = true;
  });
  useEffect(() => first(), []);

  const submit = async (value: string) => {
    if (busy || value.length !== 6) return;
    setBusy(true);
    setError(null);
    try {
      await onCode(value);
      onClose();
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
        void submit(code);
      }}
    >
      <Stack gap="md">
        <Text fz="sm" c="dimmed" component="div">
          {hint}
        </Text>
        <CodeInput value={code} onChange={setCode} onComplete={submit} disabled={busy} />
        {error !== null && (
          <Alert color="red" variant="light" role="alert">
            {errorText(error)}
          </Alert>
        )}
        <Group justify="space-between">
          {onSend ? <Resend sentAt={sentAt} onSend={send} /> : <span />}
          <Button type="submit" loading={busy} disabled={code.length !== 6}>
            {t(($) => $.actions.confirm)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
