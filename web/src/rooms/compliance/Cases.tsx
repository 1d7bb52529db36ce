import { Anchor, Badge, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api, body } from '@/api/client';
import { $api } from '@/api/hooks';
import { useLiveEvent } from '@/live/live';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FilterBar } from '@/ui/FilterBar';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { StatusBadge } from '@/ui/StatusBadge';
import type { TableQuery } from '@/ui/useTableQuery';
import { When } from '@/ui/When';
import { CaseDrawer } from './CaseDrawer';
import { type Case, isDecidedHere, screenOf } from './cases';

interface CasesProps {
  table: TableQuery<'tab' | 'search' | 'startDate' | 'endDate'>;
  status: string;
}

/** Cases: open ones first, oldest first. */
export function Cases({ table, status }: CasesProps) {
  const { t } = useTranslation('compliance');
  const { t: common } = useTranslation();
  const format = useFormat();
  const { page, limit, search, startDate, endDate } = table.query;
  const query = {
    page,
    limit,
    ...(status && { status }),
    ...(search && { search }),
    ...(startDate && { startDate }),
    ...(endDate && { endDate }),
  };
  const list = $api.useQuery('get', '/admin/compliance/cases', { params: { query } });
  const [open, setOpen] = useState<Case | null>(null);
  useLiveEvent('compliance_case.changed', (event) => {
    const fresh = event.case as unknown as Case;
    setOpen((shown) => (shown?._id === fresh._id && shown.version < fresh.version ? fresh : shown));
  });
  const flow = (row: Case) => t(($) => $.flow[row.flow as 'transfer']);
  const reason = (name: string) => t(($) => $.reason[name as 'amount']);
  const columns: Column<Case>[] = [
    {
      key: 'opened',
      label: status === 'open' ? t(($) => $.age) : t(($) => $.opened),
      fixed: true,
      render: (row) => <When at={row.openedAt} relative={row.status === 'open'} />,
      csv: (row) => format.dateTime(row.openedAt),
    },
    {
      key: 'user',
      label: t(($) => $.user),
      fixed: true,
      render: (row) => (
        <div>
          <Text fz="sm" fw={600}>
            @{row.username}
          </Text>
          {row.counterparty && (
            <Text fz="xs" c="dimmed">
              {t(($) => $.with, { name: row.counterparty })}
            </Text>
          )}
        </div>
      ),
      csv: (row) => row.username,
    },
    { key: 'flow', label: t(($) => $.movement), render: flow, csv: flow },
    {
      key: 'value',
      label: t(($) => $.value),
      align: 'right',
      render: (row) => <Money value={row.value} digits={4} unit={false} />,
      csv: (row) => row.value,
    },
    {
      key: 'reasons',
      label: t(($) => $.why),
      render: (row) => (
        <Group gap={4}>
          {row.reasons.map((name) => (
            <Badge key={name} size="sm" variant="light" color="gold">
              {reason(name)}
            </Badge>
          ))}
        </Group>
      ),
      csv: (row) => row.reasons.map(reason).join(', '),
    },
    {
      key: 'status',
      label: t(($) => $.status),
      render: (row) => (
        <div>
          <StatusBadge status={row.status} />
          {row.decidedBy && (
            <Text fz="xs" c="dimmed">
              @{row.decidedBy}
            </Text>
          )}
        </div>
      ),
      csv: (row) => row.status,
    },
    {
      key: 'waits',
      label: t(($) => $.waits),
      render: (row) => {
        const screen = screenOf(row);
        if (row.status !== 'open' || !screen) return '–';
        return (
          <Anchor component={Link} to={screen} fz="sm">
            {isDecidedHere(row) ? t(($) => $.see) : t(($) => $.decideThere)}
          </Anchor>
        );
      },
    },
  ];
  const everything = async () => {
    const answer = await body(
      api.GET('/admin/compliance/cases', { params: { query: { ...query, page: 1, limit: 500 } } }),
    );
    return answer.data;
  };
  const filtered = Object.keys(table.filters).some((name) => name !== 'tab');
  return (
    <>
      <DataTable
        name="conformidade"
        label={t(($) => $.title)}
        what={t(($) => $.what)}
        columns={columns}
        rows={list.data?.data}
        meta={list.data?.meta}
        rowKey={(row) => row._id}
        query={{ ...table, filtered }}
        error={list.data ? undefined : list.error}
        onRetry={list.refetch}
        fetchAll={everything}
        onOpen={setOpen}
        dim={(row) => status === 'open' && row.status !== 'open'}
        filterBar={
          <FilterBar
            query={table}
            fields={[
              { kind: 'search', name: 'search', label: t(($) => $.search) },
              { kind: 'date', name: 'startDate', label: common(($) => $.filter.from) },
              { kind: 'date', name: 'endDate', label: common(($) => $.filter.to) },
            ]}
          />
        }
        empty={
          status === 'open' ? (
            <EmptyState title={t(($) => $.emptyOpen)} hint={t(($) => $.emptyOpenHint)} />
          ) : (
            <EmptyState title={t(($) => $.empty)} />
          )
        }
      />
      <CaseDrawer row={open} onClose={() => setOpen(null)} />
    </>
  );
}
