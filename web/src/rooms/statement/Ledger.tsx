import { SimpleGrid, Stack } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas } from '@/api/client';
import { offer } from '@/api/download';
import { useOrigin } from '@/shared/origin/origin';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { type Currency, Money } from '@/ui/Money';
import { StatTile } from '@/ui/StatTile';
import { Together } from '@/ui/Together';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { About, Files, OtherFlows } from './parts';

type Row = Schemas['StatementRow'];

const ACCOUNTS = [
  'available',
  'held',
  'bonus',
  'sponsored',
  'debt',
  'pool_principal',
  'price',
  'topup',
  'allocated',
  'yield',
  'loan',
  'pyx',
  'pyx_locked',
  'pyx_held',
] as const;
type Account = (typeof ACCOUNTS)[number];
type Kind = keyof typeof import('@/i18n/pt/statement.json')['kinds'];

/** Every movement of the books, to the last digit. */
export function Ledger() {
  const { t } = useTranslation('statement');
  const list = useList('/statement', {
    filters: ['account', 'kind', 'startDate', 'endDate'],
    sorts: 'direction',
    live: ['balance.changed'],
  });
  const params = { query: list.state.filters };
  const { data } = list;
  const currency = (data?.currency ?? 'USDT') as Currency;
  const money = (value: string | null | undefined) =>
    value === null || value === undefined ? (
      '–'
    ) : (
      <Money value={value} currency={currency} digits={4} unit={false} />
    );
  const account = (row: Row) =>
    `${t(($) => $.accounts[row.account as Account])}${row.licence === null ? '' : ` #${row.licence}`}`;
  const columns: Column<Row>[] = [
    {
      key: 'date',
      label: t(($) => $.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.at} />,
    },
    {
      key: 'kind',
      label: t(($) => $.description),
      fixed: true,
      render: (row) => <About mode={row.mode}>{t(($) => $.kinds[row.kind as Kind])}</About>,
    },
    { key: 'account', label: t(($) => $.account), render: account },
    {
      key: 'credit',
      label: t(($) => $.credit),
      align: 'right',
      render: (row) => <span style={{ color: 'var(--up)' }}>{money(row.credit)}</span>,
    },
    { key: 'debit', label: t(($) => $.debit), align: 'right', render: (row) => money(row.debit) },
    {
      key: 'balance',
      label: t(($) => $.balance),
      align: 'right',
      fixed: true,
      render: (row) => money(row.balance),
    },
  ];
  const tile = (label: string, value: string | undefined, hint?: string) => (
    <StatTile
      label={label}
      value={<Money value={value} currency={currency} />}
      hint={hint}
      loading={list.isPending}
    />
  );
  // One account has credits and debits; in all of them together most of what moves goes from one to another.
  const single = list.state.filters.account !== undefined;
  return (
    <Stack gap="lg">
      <Files
        csv={() => offer(api.GET('/statement.csv', { params, parseAs: 'blob' }), 'extrato.csv')}
        pdf={() => offer(api.GET('/statement.pdf', { params, parseAs: 'blob' }), 'extrato.pdf')}
      />
      <Together>
        <SimpleGrid cols={{ base: 2, md: 4 }}>
          {tile(
            t(($) => $.opening),
            data?.opening,
          )}
          {single
            ? tile(
                t(($) => $.credits),
                data?.credits ?? undefined,
              )
            : tile(
                t(($) => $.entries),
                data?.flows.entries,
                t(($) => $.entriesHint),
              )}
          {single
            ? tile(
                t(($) => $.debits),
                data?.debits ?? undefined,
              )
            : tile(
                t(($) => $.exits),
                data?.flows.exits,
                t(($) => $.exitsHint),
              )}
          {tile(
            t(($) => $.closing),
            data?.closing,
          )}
        </SimpleGrid>
        {data && !single && <OtherFlows flows={data.flows} />}
        <List
          list={list}
          name="extrato"
          label={t(($) => $.title)}
          what={t(($) => $.what)}
          columns={columns}
          onOpen={(row) => useOrigin.getState().open({ transfer: row.transfer })}
          fields={[
            {
              kind: 'select',
              name: 'account',
              label: t(($) => $.account),
              options: ACCOUNTS.map((value) => ({ value, label: t(($) => $.accounts[value]) })),
            },
            {
              kind: 'select',
              name: 'kind',
              label: t(($) => $.kind),
              options: (Object.keys(t(($) => $.kinds, { returnObjects: true })) as Kind[]).map((value) => ({
                value,
                label: t(($) => $.kinds[value]),
              })),
            },
          ]}
          empty={
            <EmptyState
              icon={<IconListDetails size={26} stroke={1.5} />}
              title={t(($) => $.empty)}
              hint={t(($) => $.emptyHint)}
            />
          }
        />
      </Together>
    </Stack>
  );
}
