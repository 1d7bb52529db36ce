import { Alert, Button, Group, Modal, Stack, Table, Text, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { idempotencyKey } from '@/api/client';
import { useOffline } from '@/api/connection';
import { useErrorText } from './useErrorText';

export interface ConfirmFact {
  label: string;
  value: ReactNode;
}

interface ConfirmDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What is about to happen, line by line: amount, fee, net, whole address. */
  facts?: readonly ConfirmFact[];
  consequence?: ReactNode;
  confirmLabel: string;
  danger?: boolean;
  /** Asks for a typed reason. */
  reason?: { label: string; required?: boolean; minLength?: number };
  /** Asks to type this word. */
  phrase?: string;
  children?: ReactNode;
  /** Further fields (`children`) are filled in. */
  ready?: boolean;
  /** One key per opening, so that a repeated click or a retry is the same order. A rejection is shown and unlocks. */
  onConfirm: (order: { idempotencyKey: string; reason: string }) => Promise<unknown>;
}

/** The last question before money moves or rights change: focus on "Cancelar", locked at the first submit. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { opened, onClose, title } = props;
  const [busy, setBusy] = useState(false);
  return (
    <Modal
      opened={opened}
      onClose={busy ? () => {} : onClose}
      title={title}
      centered
      closeOnClickOutside={!busy}
      closeOnEscape={!busy}
      withCloseButton={false}
    >
      {opened && <Question {...props} busy={busy} setBusy={setBusy} />}
    </Modal>
  );
}

function Question(props: ConfirmDialogProps & { busy: boolean; setBusy: (busy: boolean) => void }) {
  const {
    onClose,
    facts,
    consequence,
    confirmLabel,
    danger,
    reason,
    phrase,
    children,
    ready = true,
    onConfirm,
  } = props;
  const { busy, setBusy } = props;
  const { t } = useTranslation();
  const errorText = useErrorText();
  const offline = useOffline();
  const [key] = useState(idempotencyKey);
  const locked = useRef(false);
  const [why, setWhy] = useState('');
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<unknown>(null);
  useEffect(() => () => setBusy(false), [setBusy]);

  const reasonOk = !reason?.required || why.trim().length >= (reason.minLength ?? 3);
  const phraseOk = phrase === undefined || typed.trim() === phrase;
  const submit = async () => {
    if (locked.current || !reasonOk || !phraseOk || !ready || offline) return;
    locked.current = true;
    setBusy(true);
    setError(null);
    try {
      await onConfirm({ idempotencyKey: key, reason: why.trim() });
      onClose();
    } catch (thrown) {
      locked.current = false;
      setError(thrown);
      setBusy(false);
    }
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack gap="md">
        {facts && facts.length > 0 && (
          <Table variant="vertical" layout="fixed" withRowBorders>
            <Table.Tbody>
              {facts.map(({ label, value }) => (
                <Table.Tr key={label}>
                  <Table.Th w="40%" fw={500} c="dimmed" bg="transparent">
                    {label}
                  </Table.Th>
                  <Table.Td ta="right" fw={600} style={{ overflowWrap: 'anywhere' }}>
                    {value}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {children}
        {consequence && (
          <Text fz="sm" c="dimmed" component="div">
            {consequence}
          </Text>
        )}
        {reason && (
          <Textarea
            label={reason.label}
            value={why}
            onChange={(event) => setWhy(event.currentTarget.value)}
            required={reason.required}
            maxLength={500}
            autosize
            minRows={2}
            disabled={busy}
          />
        )}
        {phrase !== undefined && (
          <TextInput
            label={t(($) => $.confirm.type, { phrase })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            disabled={busy}
          />
        )}
        {error !== null && (
          <Alert color="red" variant="light" role="alert">
            {errorText(error)}
          </Alert>
        )}
        {offline && (
          <Text fz="sm" c="dimmed" role="status">
            {t(($) => $.guard.offline)}
          </Text>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={busy} data-autofocus>
            {t(($) => $.actions.cancel)}
          </Button>
          <Button
            type="submit"
            color={danger ? 'red' : undefined}
            loading={busy}
            disabled={!reasonOk || !phraseOk || !ready || offline}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
