import { Alert, Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeInput, Resend } from './CodeInput';
import { useErrorText, useSaveText } from './useErrorText';
import { useMail } from './useMail';
import { useSubmit } from './useSubmit';

interface CodeDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What the code is for, and where it was sent. */
  hint: ReactNode;
  /** Sends a code; called when the dialog opens, or when it is chosen where there is another way, and by "Reenviar". Absent for
   *  authenticator codes. */
  onSend?: () => Promise<unknown>;
  /** What the code is for is saved: a refusal without a reason says that it was not. */
  saves?: boolean;
  /** Stands above why it was refused. */
  failed?: string;
  /** One key per opening: a code that is typed again is for the same order. A rejection is shown. */
  onCode: (code: string, idempotencyKey: string) => Promise<unknown>;
  /** Another way to confirm than to type a code: it hands over what stands in the code's place. It comes before a code that would be
   *  mailed (`first`), and beside one of an authenticator. */
  instead?: (confirm: (proof: string) => unknown, busy: boolean, first: boolean) => ReactNode;
}

/** Six digits from a mail or an authenticator. */
export function CodeDialog(props: CodeDialogProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title} centered>
      {props.opened && <CodeForm {...props} />}
    </Modal>
  );
}

function CodeForm({ onClose, hint, onSend, saves = false, failed, onCode, instead }: CodeDialogProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const saveText = useSaveText();
  const [code, setCode] = useState('');
  const [typing, setTyping] = useState(!(instead && onSend));
  const { busy, failure, run, clear } = useSubmit(onCode, onClose, () => setCode(''));
  const mail = useMail(onSend, clear, !typing);
  const submit = (value: string) => {
    mail.clear();
    if (value.length === 6) void run(value);
  };
  const problem = failure ?? mail.failure;
  const another = (proof: string) => {
    mail.clear();
    return run(proof);
  };
  const children = instead?.(another, busy, !typing);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(code);
      }}
    >
      <Stack gap="md">
        <Text fz="sm" c="dimmed" component="div">
          {typing ? hint : t(($) => $.code.passkey.first)}
        </Text>
        {typing && <CodeInput value={code} onChange={setCode} onComplete={submit} disabled={busy} />}
        {problem && (
          <Alert color="red" variant="light" role="alert" title={failure && failed}>
            {(saves && failure ? saveText : errorText)(problem.error)}
          </Alert>
        )}
        {typing && (
          <Group justify="space-between">
            {onSend ? <Resend {...mail.resend} /> : <span />}
            <Button type="submit" loading={busy} disabled={code.length !== 6}>
              {t(($) => $.actions.confirm)}
            </Button>
          </Group>
        )}
        {children}
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
            {t(($) => $.code.passkey.mail)}
          </Anchor>
        )}
      </Stack>
    </form>
  );
}
