import { Button, Drawer, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mayRead } from '@/api/session';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { type Column, DataTable } from '@/ui/DataTable';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { type Change, savePlan } from './rules';

type Plan = Schemas['PlanRow'];

interface PlansProps {
  revision: number;
  waiting: readonly Change[];
}

/** What is sold, and on which terms. */
export function Plans({ revision, waiting }: PlansProps) {
  const { t } = useTranslation('rules');
  const format = useFormat();
  const phone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const list = $api.useQuery('get', '/admin/plans');
  const [editing, setEditing] = useState<Plan | 'new' | null>(null);
  const may = mayRead('admin_permissions');
  const waits = new Set(waiting.map(({ plan }) => plan));
  const columns: Column<Plan>[] = [
    {
      key: 'value',
      label: t(($) => $.plan.value),
      align: 'right',
      fixed: true,
      render: (row) => <Money value={row.value} />,
    },
    {
      key: 'risk',
      label: t(($) => $.plan.risk),
      render: (row) => (row.isHighRisk ? t(($) => $.plan.high) : t(($) => $.plan.standard)),
    },
    {
      key: 'return',
      label: t(($) => $.plan.maximumReturn),
      align: 'right',
      render: (row) => <span className="num">{format.percent(row.maximumReturn)}</span>,
    },
    {
      key: 'ceiling',
      label: t(($) => $.plan.networkCeiling),
      align: 'right',
      render: (row) => <span className="num">{format.percent(row.networkCeiling)}</span>,
    },
    {
      key: 'factor',
      label: t(($) => $.plan.allocationFactor),
      align: 'right',
      render: (row) => (
        <span className="num">
          <span>{row.allocationFactor}</span>×
        </span>
      ),
    },
    {
      key: 'licences',
      label: t(($) => $.plan.licences),
      align: 'right',
      render: (row) => <span className="num">{format.count(row.licences)}</span>,
    },
    {
      key: 'status',
      label: t(($) => $.plan.active),
      render: (row) => <StatusBadge status={row.active ? 'active' : 'inactive'} size="xs" />,
    },
    {
      key: 'edit',
      label: t(($) => $.edit),
      render: (row) => (
        <GuardedButton
          size="compact-sm"
          variant="default"
          allowed={may && !waits.has(row._id)}
          reason={may ? t(($) => $.waits) : t(($) => $.mayNot)}
          onClick={() => setEditing(row)}
        >
          {t(($) => $.edit)}
        </GuardedButton>
      ),
    },
  ];
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Text fz="sm" c="dimmed" maw={560}>
          {t(($) => $.plan.hint)}
        </Text>
        <GuardedButton
          allowed={may}
          reason={t(($) => $.mayNot)}
          leftSection={<IconPlus size={17} aria-hidden />}
          onClick={() => setEditing('new')}
        >
          {t(($) => $.plan.new)}
        </GuardedButton>
      </Group>
      <DataTable
        name="planos"
        label={t(($) => $.tabs.plans)}
        what={t(($) => $.plan.what)}
        columns={columns}
        rows={list.data}
        rowKey={(row) => row._id}
        error={list.data ? undefined : list.error}
        onRetry={list.refetch}
      />
      <Drawer
        opened={editing !== null}
        onClose={() => setEditing(null)}
        position="right"
        size={phone ? '100%' : 460}
        title={editing === 'new' ? t(($) => $.plan.new) : t(($) => $.plan.edit)}
      >
        {editing && (
          <PlanForm
            key={editing === 'new' ? 'new' : editing._id}
            plan={editing === 'new' ? null : editing}
            revision={revision}
            onDone={() => setEditing(null)}
          />
        )}
      </Drawer>
    </Stack>
  );
}

const NUMBERS = ['value', 'maximumReturn', 'networkCeiling', 'allocationFactor'] as const;
type Terms = Record<(typeof NUMBERS)[number] | 'isHighRisk' | 'active', string>;

const termsOf = (plan: Plan | null): Terms => ({
  value: plan?.value ?? '',
  maximumReturn: plan?.maximumReturn ?? '300',
  networkCeiling: plan?.networkCeiling ?? '500',
  allocationFactor: String(plan?.allocationFactor ?? 5),
  isHighRisk: String(plan?.isHighRisk ?? false),
  active: String(plan?.active ?? true),
});

interface PlanFormProps {
  plan: Plan | null;
  revision: number;
  onDone: () => void;
}

function PlanForm({ plan, revision, onDone }: PlanFormProps) {
  const { t } = useTranslation('rules');
  const { t: common } = useTranslation();
  const errorText = useErrorText();
  const before = termsOf(plan);
  const [terms, setTerms] = useState(before);
  const [reason, setReason] = useState('');
  const { busy, failure, run, field } = useSubmit(savePlan, () => {
    toast.success(t(($) => $.ordered));
    onDone();
  });
  const set = (key: keyof Terms, value: string) => setTerms((old) => ({ ...old, [key]: value }));
  const changes = Object.fromEntries(
    (Object.entries(terms) as [keyof Terms, string][])
      .map(([key, value]) => [key, value.trim().replace(',', '.')] as const)
      .filter(([key, value]) => (plan ? value !== before[key] : key !== 'active')),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run({ id: plan?._id, revision, changes, reason });
  };
  const named = [...NUMBERS, 'active', 'reason'].some((key) => field(key));
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {NUMBERS.map((key) => (
          <TextInput
            key={key}
            label={t(($) => $.plan[key])}
            value={terms[key]}
            onChange={(event) => set(key, event.currentTarget.value)}
            error={field(key)}
            inputMode="decimal"
            required
          />
        ))}
        <Select
          label={t(($) => $.plan.risk)}
          value={terms.isHighRisk}
          onChange={(next) => next && set('isHighRisk', next)}
          allowDeselect={false}
          data={[
            { value: 'false', label: t(($) => $.plan.standard) },
            { value: 'true', label: t(($) => $.plan.high) },
          ]}
        />
        {plan && (
          <Select
            label={t(($) => $.plan.active)}
            value={terms.active}
            onChange={(next) => next && set('active', next)}
            error={field('active')}
            allowDeselect={false}
            data={[
              { value: 'true', label: t(($) => $.yes) },
              { value: 'false', label: t(($) => $.no) },
            ]}
          />
        )}
        <Text fz="sm" c="dimmed">
          {t(($) => $.plan.keeps)}
        </Text>
        <Textarea
          label={t(($) => $.reason)}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          error={field('reason')}
          maxLength={500}
          minRows={2}
          autosize
          required
        />
        {failure && !named && (
          <Text c="red" fz="sm" role="alert">
            {errorText(failure.error)}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {common(($) => $.actions.cancel)}
          </Button>
          <Button
            type="submit"
            loading={busy}
            disabled={Object.keys(changes).length === 0 || reason.trim() === ''}
          >
            {t(($) => $.order)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
