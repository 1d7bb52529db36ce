import { Button, Group, Modal, Skeleton, Stack, Table, Text, ThemeIcon } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { EventAmount, EventName } from '@/shared/activity/event';
import { useOrigin } from '@/shared/origin/origin';
import { ErrorCard } from '@/ui/ErrorCard';
import { When } from '@/ui/When';

export interface ReceiptOf {
  /** What was done: "Aporte feito." */
  title: string;
  /** The movements, as the answer to the order named them. */
  transfers: readonly string[];
  /** What stands beside the movements: a fee, a date. */
  facts?: readonly { label: string; value: ReactNode }[];
  hint?: string;
}

/** What happened and when, in the words of the activity, with the way to what the books did for it. */
export function Receipt({ title, transfers, facts = [], hint }: ReceiptOf) {
  return (
    <Stack gap="md">
      <Group gap="sm" wrap="nowrap" role="status">
        <ThemeIcon radius="xl" size={34} variant="light" color="mint">
          <IconCheck size={20} aria-hidden />
        </ThemeIcon>
        <Text fw={600}>{title}</Text>
      </Group>
      {transfers.map((transfer) => (
        <Movement key={transfer} transfer={transfer} />
      ))}
      {facts.length > 0 && (
        <Table variant="vertical" layout="fixed" withRowBorders>
          <Table.Tbody>
            {facts.map(({ label, value }) => (
              <Row key={label} label={label}>
                {value}
              </Row>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {hint && (
        <Text fz="sm" c="dimmed">
          {hint}
        </Text>
      )}
    </Stack>
  );
}

function Movement({ transfer }: { transfer: string }) {
  const { t } = useTranslation('statement');
  const origin = $api.useQuery('get', '/statement/{transfer}', { params: { path: { transfer } } });
  const { data } = origin;
  if (origin.error && !data)
    return <ErrorCard what={t(($) => $.receipt.what)} error={origin.error} onRetry={origin.refetch} />;
  if (!data) return <Skeleton h={96} radius="md" />;
  return (
    <div>
      <Table variant="vertical" layout="fixed" withRowBorders>
        <Table.Tbody>
          <Row label={<EventName event={data.event} />}>
            <EventAmount event={data.event} />
          </Row>
          <Row label={t(($) => $.receipt.at)}>
            <When at={data.at} />
          </Row>
        </Table.Tbody>
      </Table>
      <Group justify="flex-end" mt={4}>
        <Button variant="subtle" size="compact-sm" onClick={() => useOrigin.getState().open({ transfer })}>
          {t(($) => $.receipt.origin)}
        </Button>
      </Group>
    </div>
  );
}

function Row({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w="34%" fw={500} c="dimmed" bg="transparent">
        {label}
      </Table.Th>
      <Table.Td ta="right" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Table.Td>
    </Table.Tr>
  );
}

/** The receipt after a dialog: stays until it is closed. */
export function ReceiptDialog({ receipt, onClose }: { receipt: ReceiptOf | null; onClose: () => void }) {
  const { t } = useTranslation('statement');
  return (
    <Modal
      opened={receipt !== null}
      onClose={onClose}
      title={t(($) => $.receipt.title)}
      centered
      withCloseButton={false}
    >
      {receipt && <Receipt {...receipt} />}
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose} data-autofocus>
          {t(($) => $.receipt.done)}
        </Button>
      </Group>
    </Modal>
  );
}
