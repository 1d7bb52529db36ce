import { Card, SimpleGrid, Stack, Title } from '@mantine/core';
import { IconCertificate, IconReportMoney } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { fromWei } from '@/live/chain/deposits';
import { Brief } from '@/shared/payments/Brief';
import { Days } from '@/shared/payments/Days';
import { PersonCell } from '@/shared/people/PersonCell';
import { meaningOf, StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { sum } from '@/ui/money';
import { PageHeader } from '@/ui/PageHeader';
import { ShortTable } from '@/ui/ShortTable';
import { StatTile } from '@/ui/StatTile';
import { Together } from '@/ui/Together';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';

type Sale = Schemas['SaleRow'];
type Sales = Schemas['SalesPage'];

const METHODS = ['usdt_bep20', 'busd_bep20', 'bnb', 'balance', 'sponsored'] as const;
const STATES = ['active', 'ceiling_reached', 'cancelled', 'reversed'] as const;
const ROLES = ['customer', 'salesperson', 'store_employee', 'system_employee', 'administrator'] as const;

/** /crypto-deposits-list: licence sales by plan, method and day. */
export default function SalesPage() {
  const { t } = useTranslation('wallet');
  const { t: shell } = useTranslation('shell');
  const list = useList('/admin/crypto-deposits-list', {
    filters: ['search', 'status', 'function', 'selectedMethod', 'startDate', 'endDate'],
    file: true,
  });
  const risk = (high: boolean) => (high ? t(($) => $.sales.highRisk) : t(($) => $.sales.standard));
  const columns: Column<Sale>[] = [
    {
      key: 'date',
      label: t(($) => $.list.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'user',
      label: t(($) => $.queue.user),
      sort: 'username',
      fixed: true,
      render: (row) => <PersonCell person={row} />,
    },
    {
      key: 'plan',
      label: t(($) => $.sales.plan),
      render: (row) => risk(row.isHighRisk),
    },
    {
      key: 'method',
      label: t(($) => $.sales.method),
      render: (row) => t(($) => $.sales.methods[row.method]),
    },
    {
      key: 'crypto',
      label: t(($) => $.list.crypto),
      align: 'right',
      render: (row) => (row.wei ? <Money value={fromWei(row.wei)} digits={4} unit={false} /> : '–'),
    },
    {
      key: 'usdt',
      label: t(($) => $.list.usdt),
      align: 'right',
      sort: 'value',
      render: (row) => <Money value={row.value} digits={4} unit={false} />,
    },
    {
      key: 'hash',
      label: t(($) => $.list.hash),
      render: (row) =>
        row.transaction ? <Brief text={row.transaction} label={t(($) => $.list.copyHash)} /> : '–',
    },
    {
      key: 'status',
      label: t(($) => $.list.status),
      render: (row) => <StatusBadge status={row.state} />,
    },
  ];
  const groups = list.data?.groups ?? [];
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.sales.title)} subtitle={t(($) => $.sales.subtitle)} />
      <Together>
        <SimpleGrid cols={{ base: 2 }}>
          <StatTile
            label={t(($) => $.sales.count)}
            value={groups.reduce((all, one) => all + one.count, 0)}
            loading={list.isPending}
            icon={<IconCertificate size={20} />}
          />
          <StatTile
            label={t(($) => $.sales.total)}
            value={<Money value={sum(groups.map(({ total }) => total))} />}
            loading={list.isPending}
            icon={<IconReportMoney size={20} />}
          />
        </SimpleGrid>
        <Days
          title={t(($) => $.sales.perDay)}
          count={t(($) => $.sales.count)}
          total={t(($) => $.sales.total)}
          days={list.data?.days}
        />
        {groups.length > 0 && <Groups groups={groups} risk={risk} />}
        <List
          list={list}
          name="vendas"
          label={t(($) => $.sales.label)}
          what={t(($) => $.sales.what)}
          columns={columns}
          fields={[
            { kind: 'search', name: 'search', label: t(($) => $.sales.search) },
            {
              kind: 'select',
              name: 'selectedMethod',
              label: t(($) => $.sales.method),
              options: METHODS.map((value) => ({ value, label: t(($) => $.sales.methods[value]) })),
            },
            {
              kind: 'select',
              name: 'status',
              label: t(($) => $.list.status),
              options: STATES.map((value) => ({ value, label: shell(($) => $.status[meaningOf(value)]) })),
            },
            {
              kind: 'select',
              name: 'function',
              label: t(($) => $.sales.function),
              options: ROLES.map((value) => ({ value, label: shell(($) => $.roles[value]) })),
            },
          ]}
          empty={<EmptyState title={t(($) => $.sales.empty)} hint={t(($) => $.sales.emptyHint)} />}
        />
      </Together>
    </Stack>
  );
}

function Groups({ groups, risk }: { groups: Sales['groups']; risk: (high: boolean) => string }) {
  const { t } = useTranslation('wallet');
  return (
    <Card component="section" aria-labelledby="sales-per-plan">
      <Title order={2} fz={17} id="sales-per-plan" mb="md">
        {t(($) => $.sales.perPlan)}
      </Title>
      <ShortTable<Sales['groups'][number]>
        label={t(($) => $.sales.perPlan)}
        rows={groups}
        rowKey={(one) => `${one.value}${one.isHighRisk}${one.method}`}
        columns={[
          {
            key: 'plan',
            label: t(($) => $.sales.plan),
            render: (one) => (
              <>
                <Money value={one.value} /> <span>{`· ${risk(one.isHighRisk)}`}</span>
              </>
            ),
          },
          {
            key: 'method',
            label: t(($) => $.sales.method),
            render: (one) => t(($) => $.sales.methods[one.method]),
          },
          {
            key: 'count',
            label: t(($) => $.sales.count),
            figure: true,
            render: (one) => <span className="num">{one.count}</span>,
          },
          {
            key: 'total',
            label: t(($) => $.sales.total),
            figure: true,
            render: (one) => <Money value={one.total} />,
          },
        ]}
      />
    </Card>
  );
}
