import { Alert, Button, Group, Input, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asApiError } from '@/api/problem';
import { CodeDialog } from './CodeDialog';
import { CodeInput, Resend } from './CodeInput';
import { useErrorText, useSaveText } from './useErrorText';
import { useMail } from './useMail';
import { useSubmit } from './useSubmit';

export interface Codes {
  securityCode: string;
  appCode?: string;
}

interface CodesDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** Where the mailed code went; with the app on both codes are explained instead. */
  hint: ReactNode;
  /** The authenticator is on: its code is asked for beside the mailed one. */
  app: boolean;
  onSend: () => Promise<unknown>;
  saves?: boolean;
  /** A rejection is shown, at its field where it has one. */
  onCodes: (codes: Codes) => Promise<unknown>;
}

/** What changes one's own data: the mailed code and, where it is on, the authenticator's. */
export function CodesDialog({ app, onCodes, ...rest }: CodesDialogProps) {
  if (!app) return <CodeDialog {...rest} onCode={(securityCode) => onCodes({ securityCode })} />;
  return (
    <Modal opened={rest.opened} onClose={rest.onClose} title={rest.title} centered>
      {rest.opened && <BothForm {...rest} onCodes={onCodes} />}
    </Modal>
  );
}

type BothFormProps = Pick<CodesDialogProps, 'onClose' | 'onSend' | 'saves' | 'onCodes'>;

function BothForm({ onClose, onSend, saves = false, onCodes }: BothFormProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const saveText = useSaveText();
  const [mailed, setMailed] = useState('');
  const [app, setApp] = useState('');
  const { busy, failure, run, field, clear } = useSubmit(onCodes, onClose, (error) => {
    // The app shows another one soon; the mailed one stays good.
    if (asApiError(error).field('securityCode')) setMailed('');
    else setApp('');
  });
  const mail = useMail(onSend, clear);
  const problem = failure ?? mail.failure;
  const placed = field('securityCode') !== undefined || field('appCode') !== undefined;

  const submit = (securityCode: string, appCode: string) => {
    mail.clear();
    if (securityCode.length === 6 && appCode.length === 6) void run({ securityCode, appCode });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(mailed, app);
      }}
    >
      <Stack gap="md">
        <Text fz="sm" c="dimmed">
          {t(($) => $.code.both.hint)}
        </Text>
        <Field label={t(($) => $.code.both.mailed)} error={field('securityCode')}>
          <CodeInput
            value={mailed}
            onChange={setMailed}
            onComplete={(code) => submit(code, app)}
            disabled={busy}
          />
        </Field>
        <Field label={t(($) => $.code.both.app)} error={field('appCode')}>
          <CodeInput
            value={app}
            onChange={setApp}
            onComplete={(code) => submit(mailed, code)}
            disabled={busy}
            autoFocus={false}
          />
        </Field>
        {problem && !placed && (
          <Alert color="red" variant="light" role="alert">
            {(saves && failure ? saveText : errorText)(problem.error)}
          </Alert>
        )}
        <Group justify="space-between">
          <Resend {...mail.resend} />
          <Button type="submit" loading={busy} disabled={mailed.length !== 6 || app.length !== 6}>
            {t(($) => $.actions.confirm)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Field({
  label,
  error,
  children,
}: {
  label: string;
  error: string | undefined;
  children: ReactNode;
}) {
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
      <Text component="legend" fz="sm" fw={500} mb={6} p={0}>
        {label}
      </Text>
      {children}
      {error && (
        <Input.Error mt={6} role="alert">
          {error}
        </Input.Error>
      )}
    </fieldset>
  );
}
