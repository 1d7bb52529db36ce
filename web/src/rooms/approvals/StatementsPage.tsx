import { Anchor, Badge, Card, Stack, Text } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import type { Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';
import { upload } from '@/api/upload';
import { PersonLink } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FileDrop } from '@/ui/FileDrop';
import { GuardedButton } from '@/ui/GuardedButton';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { PageHeader } from '@/ui/PageHeader';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useList } from '@/ui/useList';
import { useSubmit } from '@/ui/useSubmit';
import { When } from '@/ui/When';

type Statement = Schemas['PixStatement'];
type Line = Schemas['PixStatementLine'];
type Outcome = Line['outcome'];

const CSV_TYPES = { 'text/csv': ['.csv'], 'application/vnd.ms-excel': ['.csv'] };
const MAX_BYTES = 5 * 1024 * 1024;
const OUTCOMES: readonly Outcome[] = [
  'matched',
  'missing_approval',
  'reopened',
  'amount_differs',
  'unknown',
  'duplicate',
  'without_line',
  'reversed',
];
const COLOR: Record<Outcome, string> = {
  matched: 'mint',
  missing_approval: 'gold',
  reopened: 'blue',
  amount_differs: 'red',
  unknown: 'gold',
  duplicate: 'red',
  without_line: 'red',
  reversed: 'gray',
};

const sendStatement = mutation({
  send: ({ file, onProgress }: { file: File; onProgress: (part: number) => void }) => {
    const form = new FormData();
    form.append('file', file);
    return upload<Statement>({ path: '/admin/pix/statements', form, onProgress });
  },
  changes: ['/admin/pix/statements'],
});

/** A day as the bank wrote it, in the order that Brazilian and Spanish readers expect; ISO days sort by themselves elsewhere. */
const dayOf = (day: string) => day.split('-').reverse().join('/');

/** /pix-statements: the bank's statement beside what was approved. */
export default function StatementsPage() {
  const { t } = useTranslation('approvals');
  const [search, setSearch] = useSearchParams();
  const chosen = search.get('statement');
  const choose = (id: string | null) => setSearch(id ? { statement: id } : {}, { preventScrollReset: true });
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.statement.title)} subtitle={t(($) => $.statement.subtitle)} />
      <Text fz="sm">
        <Anchor component={Link} to={QUEUES.pixDeposits.screen}>
          {t(($) => $.statement.back)}
        </Anchor>
      </Text>
      <Send onSent={(statement) => choose(statement._id)} />
      <Statements onOpen={(statement) => choose(statement._id)} />
      {chosen && <Findings key={chosen} id={chosen} />}
    </Stack>
  );
}

function Send({ onSent }: { onSent: (statement: Statement) => void }) {
  const { t } = useTranslation('approvals');
  const errorText = useErrorText();
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const { busy, failure, run, changed } = useSubmit(sendStatement, (statement) => {
    setFile(null);
    toast.success(t(($) => $.statement.done, { lines: statement.lines }));
    onSent(statement);
  });
  const send = async () => {
    if (!file) return;
    setProgress(0);
    await run({ file, onProgress: setProgress });
    setProgress(null);
  };
  return (
    <Card component="section">
      <Stack gap="sm">
        <FileDrop
          label={t(($) => $.statement.upload)}
          value={file}
          onChange={(next) => {
            setFile(next);
            changed();
          }}
          accept={CSV_TYPES}
          maxBytes={MAX_BYTES}
          progress={progress}
          error={failure ? errorText(failure.error) : undefined}
        />
        <Text fz="xs" c="dimmed">
          {t(($) => $.statement.columns)}
        </Text>
        <GuardedButton
          allowed={file !== null}
          reason={t(($) => $.statement.choose)}
          loading={busy}
          onClick={() => void send()}
        >
          {t(($) => $.statement.send)}
        </GuardedButton>
      </Stack>
    </Card>
  );
}

function Statements({ onOpen }: { onOpen: (statement: Statement) => void }) {
  const { t } = useTranslation('approvals');
  const list = useList('/admin/pix/statements', { sorts: 'never', prefix: 'f' });
  const columns: Column<Statement>[] = [
    {
      key: 'name',
      label: t(($) => $.statement.name),
      fixed: true,
      render: (row) => (
        <Text fz="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {row.name}
        </Text>
      ),
    },
    {
      key: 'period',
      label: t(($) => $.statement.period),
      render: (row) => `${dayOf(row.firstDay)} – ${dayOf(row.lastDay)}`,
    },
    { key: 'at', label: t(($) => $.statement.at), render: (row) => <When at={row.created_at} /> },
    { key: 'by', label: t(($) => $.statement.by), render: (row) => row.by },
    { key: 'lines', label: t(($) => $.statement.lines), align: 'right', render: (row) => row.lines },
    {
      key: 'open',
      label: t(($) => $.statement.open_),
      align: 'right',
      render: (row) => (
        <Badge color={row.open > 0 ? 'gold' : 'mint'} variant="light" className="num">
          {row.open}
        </Badge>
      ),
    },
  ];
  return (
    <List
      list={list}
      name="extratos-pix"
      label={t(($) => $.statement.files)}
      what={t(($) => $.statement.filesWhat)}
      columns={columns}
      onOpen={onOpen}
      empty={
        <EmptyState
          icon={<IconFileSpreadsheet size={26} stroke={1.5} />}
          title={t(($) => $.statement.noFiles)}
          hint={t(($) => $.statement.noFilesHint)}
        />
      }
    />
  );
}

function Findings({ id }: { id: string }) {
  const { t } = useTranslation('approvals');
  const { t: lists } = useTranslation('lists');
  const list = useList('/admin/pix/statements/{id}/lines', {
    path: { id },
    filters: ['search', 'status'],
    sorts: 'never',
    prefix: 'l',
    file: true,
  });
  const columns: Column<Line>[] = [
    {
      key: 'number',
      label: t(($) => $.statement.number),
      align: 'right',
      render: (row) => row.number ?? '–',
    },
    {
      key: 'outcome',
      label: t(($) => $.statement.outcome),
      fixed: true,
      render: (row) => (
        <Stack gap={2} align="flex-start">
          <Badge color={COLOR[row.outcome]} variant="light">
            {t(($) => $.statement.outcomes[row.outcome])}
          </Badge>
          {row.depositStatus && row.outcome !== 'matched' && (
            <StatusBadge status={row.depositStatus} size="xs" />
          )}
        </Stack>
      ),
    },
    {
      key: 'day',
      label: t(($) => $.statement.day),
      render: (row) => dayOf(row.day),
    },
    {
      key: 'brl',
      label: t(($) => $.statement.brl),
      align: 'right',
      render: (row) => <Money value={row.brl} currency="BRL" />,
    },
    {
      key: 'booked',
      label: t(($) => $.statement.booked),
      align: 'right',
      render: (row) => (row.booked ? <Money value={row.booked} currency="BRL" /> : '–'),
    },
    {
      key: 'user',
      label: t(($) => $.statement.user),
      render: (row) => (row.username ? <PersonLink id={null} username={row.username} /> : '–'),
    },
    {
      key: 'payer',
      label: t(($) => $.statement.payer),
      render: (row) => row.payerName ?? '–',
    },
    {
      key: 'bank',
      label: 'EndToEndId',
      render: (row) => (
        <Text fz="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }} maw={220}>
          {row.endToEndId ?? row.txid ?? '–'}
        </Text>
      ),
    },
  ];
  return (
    <List
      list={list}
      name="conciliacao-pix"
      label={t(($) => $.statement.foundWhat)}
      what={t(($) => $.statement.foundWhat)}
      columns={columns}
      fields={[
        { kind: 'search', name: 'search', label: lists(($) => $.filter.search) },
        {
          kind: 'select',
          name: 'status',
          label: t(($) => $.statement.filter),
          options: OUTCOMES.map((value) => ({ value, label: t(($) => $.statement.outcomes[value]) })),
        },
      ]}
      empty={<EmptyState title={t(($) => $.statement.none)} />}
    />
  );
}
