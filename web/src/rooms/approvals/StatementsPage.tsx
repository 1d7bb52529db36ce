import { Anchor, Badge, Card, Stack, Text } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { api, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { queryClient } from '@/api/queryClient';
import { upload } from '@/api/upload';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FileDrop } from '@/ui/FileDrop';
import { FilterBar } from '@/ui/FilterBar';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { PageHeader } from '@/ui/PageHeader';
import { StatusBadge } from '@/ui/StatusBadge';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useTableQuery } from '@/ui/useTableQuery';
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
];
const COLOR: Record<Outcome, string> = {
  matched: 'mint',
  missing_approval: 'gold',
  reopened: 'blue',
  amount_differs: 'red',
  unknown: 'gold',
  duplicate: 'red',
  without_line: 'red',
};

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
        <Anchor component={Link} to="/deposits-pix-approve-reject">
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
  const [error, setError] = useState<unknown>(null);
  const send = async () => {
    if (!file || progress !== null) return;
    setProgress(0);
    setError(null);
    const form = new FormData();
    form.append('file', file);
    try {
      const statement = await upload<Statement>({
        path: '/admin/pix/statements',
        form,
        onProgress: setProgress,
      });
      setFile(null);
      void queryClient.invalidateQueries({ queryKey: ['get', '/admin/pix/statements'] });
      toast.success(t(($) => $.statement.done, { lines: statement.lines }));
      onSent(statement);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setProgress(null);
    }
  };
  return (
    <Card component="section">
      <Stack gap="sm">
        <FileDrop
          label={t(($) => $.statement.upload)}
          value={file}
          onChange={(next) => {
            setFile(next);
            setError(null);
          }}
          accept={CSV_TYPES}
          maxBytes={MAX_BYTES}
          progress={progress}
          error={error === null ? undefined : errorText(error)}
        />
        <Text fz="xs" c="dimmed">
          {t(($) => $.statement.columns)}
        </Text>
        <GuardedButton
          allowed={file !== null}
          reason={t(($) => $.statement.choose)}
          loading={progress !== null}
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
  const table = useTableQuery({ prefix: 'f' });
  const list = $api.useQuery('get', '/admin/pix/statements', {
    params: { query: { page: table.page, limit: table.limit } },
  });
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
    <DataTable
      name="extratos-pix"
      label={t(($) => $.statement.files)}
      what={t(($) => $.statement.filesWhat)}
      columns={columns}
      rows={list.data?.data}
      meta={list.data?.meta}
      rowKey={(row) => row._id}
      query={table}
      error={list.data ? undefined : list.error}
      onRetry={list.refetch}
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
  const { t: common } = useTranslation();
  const table = useTableQuery({ filters: ['search', 'status'], prefix: 'l', limit: 25 });
  const query = { page: table.page, limit: table.limit, ...table.filters };
  const list = $api.useQuery('get', '/admin/pix/statements/{id}/lines', {
    params: { path: { id }, query },
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
      render: (row) => (row.username ? `@${row.username}` : '–'),
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
    <DataTable
      name="conciliacao-pix"
      label={t(($) => $.statement.foundWhat)}
      what={t(($) => $.statement.foundWhat)}
      columns={columns}
      rows={list.data?.data}
      meta={list.data?.meta}
      rowKey={(row) => row._id}
      query={table}
      error={list.data ? undefined : list.error}
      onRetry={list.refetch}
      file={(signal) =>
        api.GET('/admin/pix/statements/{id}/lines', {
          params: { path: { id }, query: { ...query, format: 'csv' } },
          parseAs: 'stream',
          signal,
        })
      }
      filterBar={
        <FilterBar
          query={table}
          fields={[
            { kind: 'search', name: 'search', label: common(($) => $.filter.search) },
            {
              kind: 'select',
              name: 'status',
              label: t(($) => $.statement.filter),
              options: OUTCOMES.map((value) => ({ value, label: t(($) => $.statement.outcomes[value]) })),
            },
          ]}
        />
      }
      empty={<EmptyState title={t(($) => $.statement.none)} />}
    />
  );
}
