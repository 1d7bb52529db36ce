import { Alert, Button, Group, List, Modal, Progress, Stack, Table, Text } from '@mantine/core';
import { IconChecks } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOffline } from '@/api/connection';
import { Money } from '@/ui/Money';
import { add } from '@/ui/money';
import type { RowSelection } from '@/ui/selection';
import { useErrorText } from '@/ui/useErrorText';
import { useKeys, useSubmit } from '@/ui/useSubmit';

/** What one decision came to: for good, or one of two approvals. */
export type BulkResult = 'approved' | 'half';

interface BulkOptions<Row> {
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** "@ana, 10,00 USDT". */
  name: (row: Row) => string;
  /** In USDT, for the sum. */
  amount: (row: Row) => string;
  /** Why a row is decided by itself. */
  blocked: (row: Row) => string | undefined;
  /** One decision with a key of its own. A rejection is shown with its reason and stops nothing. */
  approve: (row: Row, idempotencyKey: string) => Promise<BulkResult>;
  /** After the last one. */
  onDone: () => void;
}

/** Several decisions in one go: what `DataTable` takes as `selection` and `bulk`. */
export function useBulkApprove<Row>(options: BulkOptions<Row>) {
  const { rows, rowKey, blocked, name } = options;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const selection: RowSelection<Row> = {
    selected,
    onChange: setSelected,
    blocked,
    label: name,
  };
  // What left the page or was decided meanwhile is no longer chosen.
  const chosen = (rows ?? []).filter((row) => selected.has(rowKey(row)) && blocked(row) === undefined);
  const bulk = <BulkBar {...options} chosen={chosen} onClear={() => setSelected(new Set())} />;
  return { selection, bulk };
}

type BarProps<Row> = BulkOptions<Row> & { chosen: readonly Row[]; onClear: () => void };

function BulkBar<Row>(props: BarProps<Row>) {
  const { chosen, amount, onClear, onDone } = props;
  const { t } = useTranslation('shell');
  /** The rows of the open dialog: they stay as they were chosen, whatever the list does meanwhile. */
  const [asked, setAsked] = useState<readonly Row[] | null>(null);
  const close = () => {
    setAsked(null);
    onClear();
    onDone();
  };
  return (
    <Group gap="sm" role="group" aria-label={t(($) => $.bulk.label)}>
      <Text fz="sm" className="num" aria-live="polite">
        <span>{t(($) => $.bulk.chosen, { count: chosen.length })}</span>
        {' · '}
        <Money value={sum(chosen, amount)} />
      </Text>
      <Button
        size="compact-sm"
        leftSection={<IconChecks size={16} aria-hidden />}
        disabled={chosen.length === 0}
        onClick={() => setAsked(chosen)}
      >
        {t(($) => $.bulk.approve)}
      </Button>
      <Button size="compact-sm" variant="subtle" color="gray" onClick={onClear}>
        {t(($) => $.bulk.clear)}
      </Button>
      {asked && <BulkDialog {...props} rows={asked} onCancel={() => setAsked(null)} onClose={close} />}
    </Group>
  );
}

const sum = <Row,>(rows: readonly Row[], amount: (row: Row) => string) =>
  rows.reduce((total, row) => add(total, amount(row)), '0');

type Outcome = BulkResult | { error: unknown };

type DialogProps<Row> = Omit<BulkOptions<Row>, 'rows'> & {
  rows: readonly Row[];
  onCancel: () => void;
  onClose: () => void;
};

function BulkDialog<Row>({ rows, rowKey, name, amount, approve, onCancel, onClose }: DialogProps<Row>) {
  const { t } = useTranslation('shell');
  const { t: common } = useTranslation();
  const errorText = useErrorText();
  const offline = useOffline();
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const keyOf = useKeys();
  const left = useRef(true);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
    };
  }, []);
  const refused = rows.filter((row) => isRefused(outcomes.get(rowKey(row))));
  const count = (result: BulkResult) => rows.filter((row) => outcomes.get(rowKey(row)) === result).length;
  // What is refused stops nothing: it stands beside its row.
  const { busy: running, run } = useSubmit(async (some: readonly Row[]) => {
    for (const row of some) {
      const key = rowKey(row);
      let outcome: Outcome;
      try {
        outcome = await approve(row, keyOf(key));
      } catch (error) {
        outcome = { error };
      }
      if (left.current) return;
      setOutcomes((before) => new Map(before).set(key, outcome));
    }
  });
  const finished = !running && outcomes.size > 0;

  return (
    <Modal
      opened
      onClose={running ? () => {} : finished ? onClose : onCancel}
      title={finished ? t(($) => $.bulk.doneTitle) : t(($) => $.bulk.title)}
      centered
      withCloseButton={false}
      closeOnClickOutside={!running}
      closeOnEscape={!running}
    >
      <Stack gap="md">
        {!finished && (
          <>
            <Table variant="vertical" layout="fixed">
              <Table.Tbody>
                <Fact label={t(($) => $.bulk.count)}>{rows.length}</Fact>
                <Fact label={t(($) => $.bulk.sum)}>
                  <Money value={sum(rows, amount)} digits={6} />
                </Fact>
              </Table.Tbody>
            </Table>
            <List fz="sm" spacing={2} mah={180} style={{ overflowY: 'auto' }} tabIndex={0}>
              {rows.map((row) => (
                <List.Item key={rowKey(row)}>{name(row)}</List.Item>
              ))}
            </List>
            <Text fz="sm" c="dimmed">
              {t(($) => $.bulk.consequence)}
            </Text>
          </>
        )}
        {running && (
          <div role="status">
            <Progress
              value={(outcomes.size / rows.length) * 100}
              aria-label={t(($) => $.bulk.running, { done: outcomes.size, total: rows.length })}
              mb={6}
            />
            <Text fz="sm" c="dimmed" className="num">
              {t(($) => $.bulk.running, { done: outcomes.size, total: rows.length })}
            </Text>
          </div>
        )}
        {finished && (
          <Stack gap="sm" role="status">
            {count('approved') > 0 && (
              <Alert color="mint" variant="light">
                {t(($) => $.bulk.approved, { count: count('approved') })}
              </Alert>
            )}
            {count('half') > 0 && (
              <Alert color="blue" variant="light">
                {t(($) => $.bulk.half, { count: count('half') })}
              </Alert>
            )}
            {refused.length > 0 && (
              <Alert color="red" variant="light" title={t(($) => $.bulk.refused, { count: refused.length })}>
                <List fz="sm" spacing={4}>
                  {refused.map((row) => (
                    <List.Item key={rowKey(row)}>
                      <b>{name(row)}</b>: <span>{errorText(causeOf(outcomes.get(rowKey(row))))}</span>
                    </List.Item>
                  ))}
                </List>
              </Alert>
            )}
          </Stack>
        )}
        {offline && (
          <Text fz="sm" c="dimmed" role="status">
            {common(($) => $.guard.offline)}
          </Text>
        )}
        <Group justify="flex-end" gap="sm">
          {finished ? (
            <>
              {refused.length > 0 && (
                <Button variant="default" disabled={offline} onClick={() => void run(refused)}>
                  {t(($) => $.bulk.again)}
                </Button>
              )}
              <Button onClick={onClose} data-autofocus>
                {common(($) => $.actions.close)}
              </Button>
            </>
          ) : (
            <>
              <Button variant="default" onClick={onCancel} disabled={running} data-autofocus>
                {common(($) => $.actions.cancel)}
              </Button>
              <Button onClick={() => void run(rows)} loading={running} disabled={offline}>
                {t(($) => $.bulk.confirm, { count: rows.length })}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

const isRefused = (outcome: Outcome | undefined): outcome is { error: unknown } =>
  typeof outcome === 'object';
const causeOf = (outcome: Outcome | undefined): unknown => (isRefused(outcome) ? outcome.error : null);

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w="50%" fw={500} c="dimmed" bg="transparent">
        {label}
      </Table.Th>
      <Table.Td ta="right" fw={600} className="num">
        {children}
      </Table.Td>
    </Table.Tr>
  );
}
