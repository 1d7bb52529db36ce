import {
  Button,
  Card,
  Grid,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';
import { useUser } from '@/api/session';
import { WAITING } from '@/live/waiting';
import { ApprovalEffect } from '@/shared/decisions/ApprovalEffect';
import { OwnWord } from '@/shared/decisions/TakeBack';
import { MemberName } from '@/shared/network/MemberName';
import { PersonCell, PersonHandle } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { add, isPositive, subtract } from '@/ui/money';
import { PageHeader } from '@/ui/PageHeader';
import { StatTile } from '@/ui/StatTile';
import { Together } from '@/ui/Together';
import { toast } from '@/ui/toast';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { FinancialSummary } from './FinancialSummary';

type Person = Schemas['BalanceRow'];
type Request = Schemas['SponsorshipView'];
type Operation = Request['operation'];
const NONE = 'none';
const SUMS = ['balance', 'held', 'bonus', 'sponsored'] as const;

const CHANGES = [
  '/admin/balance-manager',
  QUEUES.sponsorship.list,
  WAITING,
  '/admin/balance-manager/get-user-licenses/{id}',
] as const;

const order = mutation({
  send: (asked: Schemas['SponsorshipOrder'], key) =>
    body(
      api.POST('/admin/balance-manager/add-remove-balance', {
        params: { header: { 'Idempotency-Key': key } },
        body: asked,
      }),
    ),
  changes: CHANGES,
});

const decide = mutation({
  send: (decision: { id: string; approve: boolean; reason: string }, key) =>
    body(
      api.PATCH('/admin/balance-manager/approve-reject', {
        params: { header: { 'Idempotency-Key': key } },
        body: decision,
      }),
    ),
  changes: CHANGES,
});

/** /add-remove-balance: sponsorship, openly. */
export default function SponsorshipPage() {
  const { t } = useTranslation('sponsorship');
  const [person, setPerson] = useState<Person | null>(null);
  const [summed, setSummed] = useState<Person | null>(null);
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} />
      <Together>
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, lg: 7 }}>
            <People onChoose={setPerson} onSum={setSummed} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 5 }}>
            {person ? (
              <OrderForm key={person._id} person={person} onDone={() => setPerson(null)} />
            ) : (
              <Card>
                <EmptyState
                  icon={<IconCoins size={26} stroke={1.5} />}
                  title={t(($) => $.choose)}
                  hint={t(($) => $.chooseHint)}
                />
              </Card>
            )}
          </Grid.Col>
        </Grid>
        <Requests />
      </Together>
      <FinancialSummary person={summed} onClose={() => setSummed(null)} />
    </Stack>
  );
}

interface PeopleProps {
  onChoose: (person: Person) => void;
  onSum: (person: Person) => void;
}

function People({ onChoose, onSum }: PeopleProps) {
  const { t } = useTranslation('sponsorship');
  const list = useList('/admin/balance-manager', { filters: ['search'], limit: 100, file: true });
  const columns: Column<Person>[] = [
    {
      key: 'user',
      label: t(($) => $.user),
      sort: 'username',
      fixed: true,
      render: (row) => <PersonCell person={row} width={200} />,
    },
    {
      key: 'balance',
      label: t(($) => $.balance),
      align: 'right',
      sort: 'balance',
      render: (row) => <Money value={row.balance} digits={4} unit={false} />,
    },
    {
      key: 'sponsored',
      label: t(($) => $.sponsored),
      align: 'right',
      sort: 'sponsored',
      render: (row) => <Money value={row.sponsored} digits={4} unit={false} />,
    },
    {
      key: 'licences',
      label: t(($) => $.licences),
      align: 'right',
      render: (row) => row.licences,
    },
    { key: 'status', label: t(($) => $.status), render: (row) => <StatusBadge status={row.status} /> },
    {
      key: 'summary',
      label: t(($) => $.summary.column),
      render: (row) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t(($) => $.summary.title, { name: row.fullName })}
          onClick={() => onSum(row)}
        >
          {t(($) => $.summary.open)}
        </Button>
      ),
    },
  ];
  return (
    <Stack gap="md">
      <SimpleGrid cols={2}>
        {SUMS.map((name) => (
          <StatTile
            key={name}
            label={t(($) => $.sums[name])}
            value={<Money value={list.data?.sums?.[name]} />}
            loading={list.isPending}
          />
        ))}
      </SimpleGrid>
      <List
        list={list}
        name="saldos"
        label={t(($) => $.people)}
        what={t(($) => $.what)}
        columns={columns}
        onOpen={onChoose}
        fields={[{ kind: 'search', name: 'search', label: t(($) => $.search) }]}
        empty={<EmptyState title={t(($) => $.nobody)} />}
      />
    </Stack>
  );
}

function OrderForm({ person, onDone }: { person: Person; onDone: () => void }) {
  const { t } = useTranslation('sponsorship');
  const [operation, setOperation] = useState<Operation>('add');
  const [licence, setLicence] = useState(NONE);
  const [value, setValue] = useState('');
  const [asking, setAsking] = useState(false);
  const licences = $api.useQuery('get', '/admin/balance-manager/get-user-licenses/{id}', {
    params: { path: { id: person._id } },
  });
  const active = (licences.data ?? []).filter((one) => one.state === 'active');
  const chosen = active.find((one) => one._id === licence);
  const after = () => {
    if (operation === 'add') return chosen ? person.sponsored : add(person.sponsored, value || '0');
    const left = subtract(person.sponsored, value || '0');
    return isPositive(left) ? left : '0';
  };
  return (
    <Card component="section" aria-labelledby="order">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} fz={17} id="order">
            {person.fullName}
          </Title>
          <Text fz="sm" c="dimmed">
            <PersonHandle id={person._id} username={person.username} />
          </Text>
        </Group>
        <SegmentedControl
          aria-label={t(($) => $.operation)}
          value={operation}
          onChange={(next) => setOperation(next as Operation)}
          data={[
            { value: 'add', label: t(($) => $.add) },
            { value: 'remove', label: t(($) => $.remove) },
          ]}
          fullWidth
        />
        <Select
          label={t(($) => $.licence)}
          description={t(($) => $.licenceHint[operation])}
          value={licence}
          onChange={(next) => setLicence(next ?? NONE)}
          allowDeselect={false}
          data={[
            { value: NONE, label: t(($) => $.noLicence) },
            ...active.map((one) => ({
              value: one._id,
              label: t(($) => $.licenceName, { number: one.number, value: one.value }),
            })),
          ]}
        />
        <MoneyInput label={t(($) => $.value)} value={value} onChange={setValue} positive required />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t(($) => $.close)}
          </Button>
          <Button disabled={!isPositive(value || '0')} onClick={() => setAsking(true)}>
            {t(($) => $[operation])}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.confirm[operation])}
        facts={[
          { label: t(($) => $.user), value: `${person.fullName} (@${person.username})` },
          { label: t(($) => $.value), value: <Money value={value || '0'} digits={6} /> },
          {
            label: t(($) => $.licence),
            value: chosen
              ? t(($) => $.licenceName, { number: chosen.number, value: chosen.value })
              : t(($) => $.noLicence),
          },
          { label: t(($) => $.before), value: <Money value={person.sponsored} /> },
          { label: t(($) => $.after), value: <Money value={after()} /> },
        ]}
        consequence={
          <ApprovalEffect
            subject={{ kind: 'sponsorship', customer: person._id, usdt: value || '0' }}
            once={t(($) => $.consequence)}
          />
        }
        confirmLabel={t(($) => $[operation])}
        danger={operation === 'remove'}
        reason={{ label: t(($) => $.reasonTold), required: true }}
        onConfirm={async ({ idempotencyKey, reason }) => {
          const made = await order(
            {
              userId: person._id,
              operation,
              value,
              reason,
              ...(licence !== NONE && { licenceId: licence }),
            },
            idempotencyKey,
          );
          toast.success(made.status === 'pending' ? t(($) => $.waits) : t(($) => $.done));
          onDone();
        }}
      />
    </Card>
  );
}

function Requests() {
  const { t } = useTranslation('sponsorship');
  const me = useUser()?.username;
  const list = useList(QUEUES.sponsorship.list, { sorts: 'never', prefix: 'r_' });
  const [open, setOpen] = useState<{ row: Request; approve: boolean } | null>(null);
  const columns: Column<Request>[] = [
    { key: 'date', label: t(($) => $.date), fixed: true, render: (row) => <When at={row.created_at} /> },
    {
      key: 'user',
      label: t(($) => $.user),
      fixed: true,
      render: (row) => <PersonHandle id={row.userId} username={row.username} />,
    },
    {
      key: 'operation',
      label: t(($) => $.operation),
      render: (row) =>
        row.licence === null
          ? t(($) => $[row.operation])
          : `${t(($) => $[row.operation])} · ${t(($) => $.licence)} #${row.licence}`,
    },
    {
      key: 'value',
      label: t(($) => $.value),
      align: 'right',
      fixed: true,
      render: (row) => <Money value={row.value} digits={4} unit={false} />,
    },
    { key: 'reason', label: t(($) => $.reason), render: (row) => row.rejectedReason ?? row.reason },
    { key: 'by', label: t(($) => $.by), render: (row) => <PersonHandle username={row.orderedBy} /> },
    {
      key: 'status',
      label: t(($) => $.status),
      render: (row) => (
        <div>
          <StatusBadge status={row.status === 'pending' ? 'pending_approval' : row.status} />
          {row.status === 'pending' && (
            <Text fz="xs" c="dimmed">
              {t(($) => $.standing, { given: row.approvals, needed: row.approvalsNeeded })}
            </Text>
          )}
          {row.status === 'pending' && row.approvals > 0 && row.orderedBy !== me && (
            <OwnWord subject={{ kind: 'sponsorship', id: row._id }} />
          )}
        </div>
      ),
    },
    {
      key: 'decide',
      label: t(($) => $.decide),
      render: (row) =>
        row.status === 'pending' ? (
          <Group gap={6} wrap="nowrap">
            {row.orderedBy !== me && (
              <Button size="compact-sm" onClick={() => setOpen({ row, approve: true })}>
                {t(($) => $.agree)}
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={() => setOpen({ row, approve: false })}>
              {t(($) => $.turnDown)}
            </Button>
          </Group>
        ) : null,
    },
  ];
  return (
    <>
      <Title order={2} fz={17}>
        {t(($) => $.requests)}
      </Title>
      <List
        list={list}
        name="patrocinios"
        label={t(($) => $.requests)}
        what={t(($) => $.what)}
        columns={columns}
        empty={<EmptyState title={t(($) => $.noRequests)} />}
      />
      {open && (
        <ConfirmDialog
          opened
          onClose={() => setOpen(null)}
          title={t(($) => $.confirm[open.approve ? 'agree' : 'turnDown'])}
          facts={[
            { label: t(($) => $.user), value: <MemberName username={open.row.username} /> },
            { label: t(($) => $.operation), value: t(($) => $[open.row.operation]) },
            { label: t(($) => $.value), value: <Money value={open.row.value} digits={6} /> },
            { label: t(($) => $.reason), value: open.row.reason },
            {
              label: t(($) => $.approvals),
              value: t(($) => $.standing, { given: open.row.approvals, needed: open.row.approvalsNeeded }),
            },
          ]}
          consequence={
            open.approve && (
              <ApprovalEffect
                subject={{ kind: 'sponsorship', id: open.row._id }}
                once={t(($) => $.consequence)}
              />
            )
          }
          confirmLabel={t(($) => $[open.approve ? 'agree' : 'turnDown'])}
          danger={!open.approve}
          {...(!open.approve && { reason: { label: t(($) => $.reason), required: true } })}
          onConfirm={async ({ idempotencyKey, reason }) => {
            const decided = await decide({ id: open.row._id, approve: open.approve, reason }, idempotencyKey);
            toast.success(
              t(
                ($) =>
                  $[
                    decided.status === 'pending'
                      ? 'waits'
                      : decided.status === 'complete'
                        ? 'done'
                        : 'decided'
                  ],
              ),
            );
            setOpen(null);
          }}
        />
      )}
    </>
  );
}
