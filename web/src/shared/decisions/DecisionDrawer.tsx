import { Alert, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConfirmFact } from '@/ui/ConfirmDialog';
import { GuardedButton } from '@/ui/GuardedButton';
import { usePrefs } from '@/ui/prefs';
import type { ApprovalSubject } from './ApprovalEffect';
import { OwnWord } from './TakeBack';

interface Decision {
  label: string;
  allowed: boolean;
  reason?: string | undefined;
  /** Opens the confirming dialog. */
  onClick: () => void;
}

interface DecisionDrawerProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** Who and what: shown as pairs. */
  facts: readonly ConfirmFact[];
  /** The proof, beside the claim. */
  evidence?: ReactNode;
  /** What speaks for care: new address, equal proof elsewhere. */
  signals?: readonly string[];
  /** What approving does: "Saldo 10,00 → 110,00". */
  effect?: ReactNode;
  /** "Ana está decidindo", "1 de 2 aprovações". */
  notice?: ReactNode;
  /** What may hold one's own word, the first of two. */
  word?: ApprovalSubject | null;
  approve: Decision;
  reject: Decision;
  children?: ReactNode;
}

/** Everything a decision needs on one side; `a` and `r` open its two dialogs. */
export function DecisionDrawer(props: DecisionDrawerProps) {
  const {
    opened,
    onClose,
    title,
    facts,
    evidence,
    signals = [],
    effect,
    notice,
    word = null,
    approve,
    reject,
    children,
  } = props;
  const { t } = useTranslation();
  const letters = usePrefs((prefs) => prefs.letterKeys);
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!letters || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target as HTMLElement | null)?.closest('input, textarea, select')) return;
    // A dialog over the drawer has the keys.
    if (document.querySelectorAll('[role="dialog"][aria-modal="true"]').length > 1) return;
    const decision = event.key === 'a' ? approve : event.key === 'r' ? reject : null;
    if (!decision?.allowed) return;
    event.preventDefault();
    decision.onClick();
  });
  useEffect(() => {
    if (!opened) return;
    const listener = (event: KeyboardEvent) => press(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, [opened]);
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="min(760px, 100%)"
      title={
        <Title order={2} fz={18}>
          {title}
        </Title>
      }
      closeButtonProps={{ 'aria-label': t(($) => $.actions.close) }}
    >
      <Stack gap="lg">
        {notice && (
          <Alert color="blue" variant="light" role="status">
            {notice}
          </Alert>
        )}
        <OwnWord subject={opened ? word : null} />
        {evidence}
        <Table variant="vertical" layout="fixed">
          <Table.Tbody>
            {facts.map(({ label, value }) => (
              <Table.Tr key={label}>
                <Table.Th w="38%" fw={500} c="dimmed" bg="transparent">
                  {label}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {signals.length > 0 && (
          <Alert color="gold" variant="light" role="note">
            <ul style={{ margin: 0, paddingLeft: 18 }}>
              {signals.map((signal) => (
                <Text key={signal} component="li" fz="sm">
                  {signal}
                </Text>
              ))}
            </ul>
          </Alert>
        )}
        {effect && (
          <Text fz="sm" component="div">
            {effect}
          </Text>
        )}
        {children}
        <Group justify="flex-end">
          <GuardedButton
            variant="default"
            allowed={reject.allowed}
            reason={reject.reason}
            onClick={reject.onClick}
          >
            {reject.label}
          </GuardedButton>
          <GuardedButton allowed={approve.allowed} reason={approve.reason} onClick={approve.onClick}>
            {approve.label}
          </GuardedButton>
        </Group>
      </Stack>
    </Drawer>
  );
}
