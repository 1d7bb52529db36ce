import { Anchor, Badge, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api } from '@/api/client';
import { $api } from '@/api/hooks';
import { useLiveEvent } from '@/live/live';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { FilterBar } from '@/ui/FilterBar';
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
    },
    { key: 'flow', label: t(($) => $.movement), render: flow },
    {
      key: 'value',
      label: t(($) => $.value),
      align: 'right',
      render: (row) => <Money value={row.value} digits={4} unit={false} />,
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
        file={(signal) =>
          api.GET('/admin/compliance/cases', {
            params: { query: { ...query, format: 'csv' } },
            parseAs: 'stream',
            signal,
          })
        }
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
