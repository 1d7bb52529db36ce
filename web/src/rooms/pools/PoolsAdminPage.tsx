import { Badge, Button, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { QUEUES } from '@/api/queues';
import { useUser } from '@/api/session';
import { ApprovalEffect } from '@/shared/decisions/ApprovalEffect';
import { DecisionDrawer } from '@/shared/decisions/DecisionDrawer';
import { ProofViewer } from '@/shared/payments/ProofViewer';
import { PersonHandle } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { CopyText } from '@/ui/CopyText';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { subtract } from '@/ui/money';
import { PageHeader } from '@/ui/PageHeader';
import { Together } from '@/ui/Together';
import { toast } from '@/ui/toast';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { PoolForm } from './PoolForm';
import { decideRevenue } from './pools';
import { RevenueForm } from './RevenueForm';

type Pool = Schemas['PoolView'];
type Revenue = Schemas['PoolRevenueView'];

/** Pools as staff keep them: plans, revenue with its proof, the queue of what waits for the second person. */
export default function PoolsAdminPage() {
  const { t } = useTranslation('pools');
  const pools = $api.useQuery('get', '/admin/pools');
  const [editing, setEditing] = useState<Pool | 'new' | null>(null);
  const [recording, setRecording] = useState<Pool | null>(null);
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.title)}
        subtitle={t(($) => $.subtitle)}
        action={<Button onClick={() => setEditing('new')}>{t(($) => $.plan.create)}</Button>}
      />
      <Together>
        {pools.error && !pools.data ? (
          <ErrorCard what={t(($) => $.what)} error={pools.error} onRetry={pools.refetch} />
        ) : (
          <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
            {pools.data?.map((pool) => (
              <PoolCard
                key={pool._id}
                pool={pool}
                onEdit={() => setEditing(pool)}
                onRecord={() => setRecording(pool)}
              />
            )) ?? Array.from({ length: 3 }, (_, n) => <Skeleton key={String(n)} h={210} radius="md" />)}
          </SimpleGrid>
        )}
        <RevenueQueue />
      </Together>
      {editing && (
        <PoolForm
          pool={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
          onSaved={() => setEditing(null)}
        />
      )}
      {recording && <RevenueForm pool={recording} onClose={() => setRecording(null)} />}
    </Stack>
  );
}

function PoolCard({ pool, onEdit, onRecord }: { pool: Pool; onEdit: () => void; onRecord: () => void }) {
  const { t } = useTranslation('pools');
  const lines: [string, React.ReactNode][] = [
    [t(($) => $.plan.term), t(($) => $.plan.days, { count: pool.termDays })],
    [t(($) => $.plan.minimum), <Money key="m" value={pool.minimum} />],
    [t(($) => $.plan.principal), <Money key="p" value={pool.principal} />],
    [t(($) => $.plan.booked), <Money key="b" value={pool.booked} />],
  ];
  return (
    <Card component="article" aria-label={pool.name}>
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={2} fz={17}>
          {pool.name}
        </Title>
        <Badge size="sm" variant="light" color={pool.open ? 'mint' : 'gray'}>
          {pool.open ? t(($) => $.plan.isOpen) : t(($) => $.plan.isClosed)}
        </Badge>
      </Group>
      <Stack gap={6} mb="md">
        {lines.map(([label, value]) => (
          <Group key={label} justify="space-between" gap="2px 10px">
            <Text span fz="sm" c="dimmed">
              {label}
            </Text>
            <Text span fz="sm" className="num">
              {value}
            </Text>
          </Group>
        ))}
      </Stack>
      <Group gap="xs" grow mt="auto">
        <Button variant="light" onClick={onRecord}>
          {t(($) => $.revenue.record)}
        </Button>
        <Button variant="default" onClick={onEdit}>
          {t(($) => $.plan.edit)}
        </Button>
      </Group>
    </Card>
  );
}

function RevenueQueue() {
  const { t } = useTranslation('pools');
  const { date } = useFormat();
  const me = useUser()?.username;
  const list = useList(QUEUES.poolRevenue.list, { sorts: 'never', prefix: 'r_' });
  const [openId, setOpenId] = useState<string | null>(null);
  const [deciding, setDeciding] = useState<'approve' | 'reject' | null>(null);
  const open = list.rows?.find((row) => row._id === openId) ?? null;
  const period = (row: Revenue) => `${date(row.fromDay)} – ${date(row.toDay)}`;
  const columns: Column<Revenue>[] = [
    {
      key: 'date',
      label: t(($) => $.revenue.date),
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    { key: 'pool', label: t(($) => $.revenue.pool), fixed: true, render: (row) => row.poolName },
    { key: 'period', label: t(($) => $.revenue.period), render: period },
    {
      key: 'value',
      label: t(($) => $.revenue.value),
      align: 'right',
      fixed: true,
      render: (row) => <Money value={row.value} digits={4} unit={false} />,
    },
    {
      key: 'source',
      label: t(($) => $.revenue.source),
      render: (row) => t(($) => $.revenue.sources[row.source]),
    },
    { key: 'by', label: t(($) => $.revenue.by), render: (row) => <PersonHandle username={row.orderedBy} /> },
    {
      key: 'shared',
      label: t(($) => $.revenue.shared),
      align: 'right',
      render: (row) => (row.sharedOut ? <Money value={row.shared} digits={4} unit={false} /> : '—'),
    },
    {
      key: 'status',
      label: t(($) => $.revenue.status),
      fixed: true,
      render: (row) => <Status row={row} />,
    },
    {
      key: 'open',
      label: t(($) => $.revenue.decide),
      render: (row) => (
        <Button size="compact-sm" variant="light" onClick={() => setOpenId(row._id)}>
          {row.status === 'pending' ? t(($) => $.revenue.decide) : t(($) => $.revenue.look)}
        </Button>
      ),
    },
  ];
  const pending = open?.status === 'pending';
  const facts = open
    ? [
        { label: t(($) => $.revenue.pool), value: open.poolName },
        { label: t(($) => $.revenue.value), value: <Money value={open.value} digits={6} /> },
        { label: t(($) => $.revenue.period), value: period(open) },
        { label: t(($) => $.revenue.source), value: t(($) => $.revenue.sources[open.source]) },
        { label: t(($) => $.revenue.note), value: open.note },
        { label: t(($) => $.revenue.by), value: <PersonHandle username={open.orderedBy} /> },
      ]
    : [];
  return (
    <>
      <Title order={2} fz={17}>
        {t(($) => $.revenue.title)}
      </Title>
      <List
        list={list}
        name="pool-revenue"
        label={t(($) => $.revenue.title)}
        what={t(($) => $.revenue.what)}
        columns={columns}
        onOpen={(row) => setOpenId(row._id)}
        empty={<EmptyState title={t(($) => $.revenue.empty)} />}
      />
      {open && (
        <DecisionDrawer
          opened
          onClose={() => setOpenId(null)}
          title={t(($) => $.revenue.of, { pool: open.poolName })}
          notice={
            pending
              ? t(($) => $.revenue.standing, { given: open.approvals, needed: open.approvalsNeeded })
              : undefined
          }
          word={
            pending && open.approvals > 0 && open.orderedBy !== me
              ? { kind: 'pool_revenue', id: open._id }
              : null
          }
          evidence={
            open.proof && open.proofMime ? (
              <ProofViewer file={open.proof} kind={open.proofMime} />
            ) : (
              open.txHash && (
                <Group gap={6} wrap="nowrap">
                  <Text fz="sm" style={{ overflowWrap: 'anywhere' }} ff="monospace">
                    {open.txHash}
                  </Text>
                  <CopyText value={open.txHash} label={t(($) => $.revenue.txHash)} />
                </Group>
              )
            )
          }
          facts={facts}
          signals={open.proofSeen ? [t(($) => $.revenue.proofSeen)] : []}
          effect={
            open.status === 'rejected' ? (
              open.rejectedReason
            ) : open.sharedOut ? (
              <>
                <span>{t(($) => $.revenue.rest)}</span>{' '}
                <Money value={subtract(open.value, open.shared)} digits={6} />
              </>
            ) : (
              t(($) => $.revenue.effect)
            )
          }
          approve={{
            label: t(($) => $.revenue.approve),
            allowed: pending && open.orderedBy !== me,
            reason: pending ? t(($) => $.revenue.own) : t(($) => $.revenue.decidedAlready),
            onClick: () => setDeciding('approve'),
          }}
          reject={{
            label: t(($) => $.revenue.reject),
            allowed: pending,
            reason: t(($) => $.revenue.decidedAlready),
            onClick: () => setDeciding('reject'),
          }}
        />
      )}
      {open && deciding && (
        <ConfirmDialog
          opened
          onClose={() => setDeciding(null)}
          title={t(($) => $.revenue[deciding])}
          facts={facts.slice(0, 3)}
          consequence={
            deciding === 'approve' && (
              <ApprovalEffect
                subject={{ kind: 'pool_revenue', id: open._id }}
                once={t(($) => $.revenue.effect)}
              />
            )
          }
          confirmLabel={t(($) => $.revenue[deciding])}
          danger={deciding === 'reject'}
          {...(deciding === 'reject' && { reason: { label: t(($) => $.revenue.reason), required: true } })}
          onConfirm={async ({ idempotencyKey, reason }) => {
            const approve = deciding === 'approve';
            await decideRevenue({ id: open._id, approve, reason }, idempotencyKey);
            toast.success(t(($) => $.revenue.decided));
            setOpenId(null);
          }}
        />
      )}
    </>
  );
}

function Status({ row }: { row: Revenue }) {
  const { t } = useTranslation('pools');
  if (row.status === 'booked')
    return (
      <Badge size="sm" variant="light" color="mint">
        {row.sharedOut ? t(($) => $.revenue.sharedOut) : t(($) => $.revenue.booked)}
      </Badge>
    );
  return (
    <div>
      <StatusBadge status={row.status === 'pending' ? 'pending_approval' : row.status} />
      {row.status === 'pending' && (
        <Text fz="xs" c="dimmed">
          {t(($) => $.revenue.standing, { given: row.approvals, needed: row.approvalsNeeded })}
        </Text>
      )}
    </div>
  );
}
