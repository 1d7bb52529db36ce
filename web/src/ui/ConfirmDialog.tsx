import { Alert, Button, Group, Modal, Stack, Table, Text, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOffline } from '@/api/connection';
import { useErrorText, useSaveText } from './useErrorText';
import { useSubmit } from './useSubmit';

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
  /** Stands above the server's reason when it was refused. */
  failed?: string | undefined;
  /** Something is changed and nothing moves: a refusal without a reason says that it was not saved. */
  saves?: boolean;
  danger?: boolean;
  /** Asks for a typed reason. */
  reason?: { label: string; required?: boolean; minLength?: number };
  /** Asks to type this word. */
  phrase?: string;
  children?: ReactNode;
  /** Further fields (`children`) are filled in. */
  ready?: boolean;
  /** What they say: another text is another order, with a key of its own. */
  order?: string;
  /** One key per opening and `order`, so that a repeated click or a retry is the same order. A rejection is shown and unlocks. */
  onConfirm: (order: { idempotencyKey: string; reason: string }) => Promise<unknown>;
}

/** The last question before money moves or rights change: focus on "Cancelar", locked at the first submit. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { opened, onClose, title } = props;
  const [held, hold] = useState(false);
  return (
    <Modal
      opened={opened}
      onClose={held ? () => {} : onClose}
      title={title}
      centered
      closeOnClickOutside={!held}
      closeOnEscape={!held}
      withCloseButton={false}
    >
      {opened && <Question {...props} hold={hold} />}
    </Modal>
  );
}

/** One opening: what is asked stays on screen while it is under way (`hold`). */
function Question({ hold, ...props }: ConfirmDialogProps & { hold: (held: boolean) => void }) {
  const {
    onClose,
    facts,
    consequence,
    confirmLabel,
    failed,
    saves = false,
    danger,
    reason,
    phrase,
    children,
    ready = true,
    order,
    onConfirm,
  } = props;
  const { t } = useTranslation();
  const errorText = useErrorText();
  const saveText = useSaveText();
  const offline = useOffline();
  const [why, setWhy] = useState('');
  const [typed, setTyped] = useState('');
  const { busy, failure, run, changed } = useSubmit(
    (why: string, idempotencyKey) => onConfirm({ idempotencyKey, reason: why }),
    onClose,
  );
  const another = useEffectEvent(changed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is another order.
  useEffect(() => another(), [order]);
  useEffect(() => {
    hold(busy);
    return () => hold(false);
  }, [busy, hold]);

  const reasonOk = !reason?.required || why.trim().length >= (reason.minLength ?? 3);
  const phraseOk = phrase === undefined || typed.trim() === phrase;
  const submit = () => {
    if (reasonOk && phraseOk && ready && !offline) void run(why.trim());
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
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
        {failure && (
          <Alert color="red" variant="light" role="alert" title={failed}>
            {(saves ? saveText : errorText)(failure.error)}
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
