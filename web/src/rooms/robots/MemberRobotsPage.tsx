import { SimpleGrid, Stack, Text } from '@mantine/core';
import { IconRobot } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import type { Schemas } from '@/api/client';
import { useCan } from '@/api/session';
import { PersonCell, personPath } from '@/shared/people/PersonCell';
import { type Mode, ModeBadge } from '@/shared/results/ModeBadge';
import { meaningOf, StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { PageHeader } from '@/ui/PageHeader';
import { StatTile } from '@/ui/StatTile';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';

type Robot = Schemas['MemberRobot'];

const MODES: readonly Mode[] = ['simulated', 'paper', 'live'];
const STATES = [
  'operating',
  'joining',
  'manual',
  'paused',
  'goal_reached',
  'below_minimum',
  'idle',
  'ceiling_reached',
  'cancelled',
  'reversed',
] as const;

/** /administrator/robots: all members' robots, whose each is, how it stands and what it brings in one mode. */
export default function MemberRobotsPage() {
  const { t } = useTranslation('robots');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const navigate = useNavigate();
  const views = useCan('customer-service_user-view');
  const list = useList('/admin/robots', {
    filters: ['search', 'kind', 'mode', 'status', 'startDate', 'endDate'],
    file: true,
  });
  const money = (key: 'allocated' | 'today' | 'total', sort?: string, sign = false): Column<Robot> => ({
    key,
    label: t(($) => $.members[key]),
    align: 'right',
    ...(sort !== undefined && { sort }),
    render: (row) => <Money value={row[key]} digits={4} unit={false} sign={sign} />,
  });
  const columns: Column<Robot>[] = [
    {
      key: 'user',
      label: t(($) => $.members.owner),
      sort: 'username',
      fixed: true,
      render: (row) => <PersonCell person={row} width={170} />,
    },
    {
      key: 'robot',
      label: t(($) => $.robot),
      sort: 'value',
      fixed: true,
      render: (row) => (
        <>
          <Text fz="sm">{t(($) => $.name, { number: row.number })}</Text>
          <Text fz="xs" c="dimmed">
            <span>{t(($) => $.members[row.isHighRisk ? 'highRisk' : 'standard'])}</span>{' '}
            <Money value={row.value} />
          </Text>
        </>
      ),
    },
    {
      key: 'status',
      label: t(($) => $.status),
      sort: 'status',
      render: (row) => <StatusBadge status={row.status} size="sm" />,
    },
    {
      key: 'mode',
      label: t(($) => $.mode),
      render: (row) => <ModeBadge mode={row.mode} size="xs" />,
    },
    money('allocated', 'allocated'),
    money('today', 'today', true),
    money('total', undefined, true),
    {
      key: 'since',
      label: t(($) => $.members.since),
      sort: 'created_at',
      render: (row) => <When at={row.created_at} />,
    },
  ];
  const sums = list.data?.sums;
  const mode = list.data?.mode && <ModeBadge mode={list.data.mode} size="xs" />;
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.members.title)} subtitle={t(($) => $.members.subtitle)} />
      <SimpleGrid cols={{ base: 2, lg: 4 }} component="section" aria-label={t(($) => $.members.sums)}>
        <StatTile
          label={t(($) => $.members.found)}
          value={list.meta ? format.count(list.meta.total) : '–'}
          hint={sums && t(($) => $.members.owners, { count: sums.owners, number: format.count(sums.owners) })}
          loading={list.isPending}
        />
        <StatTile
          label={t(($) => $.members.working)}
          value={sums ? format.count(sums.working) : '–'}
          loading={list.isPending}
        />
        <StatTile
          label={t(($) => $.members.allocated)}
          value={<Money value={sums?.allocated} />}
          loading={list.isPending}
        />
        <StatTile
          label={t(($) => $.members.today)}
          value={<Money value={sums?.today} sign />}
          badge={mode}
          loading={list.isPending}
        />
      </SimpleGrid>
      <List
        list={list}
        name="robos-dos-membros"
        label={t(($) => $.members.title)}
        what={t(($) => $.members.what)}
        columns={columns}
        {...(views && { onOpen: (row: Robot) => void navigate(`${personPath(row.user)}?tab=licences`) })}
        fields={[
          { kind: 'search', name: 'search', label: t(($) => $.members.search) },
          {
            kind: 'select',
            name: 'kind',
            label: t(($) => $.members.product),
            options: [
              { value: 'standard', label: t(($) => $.members.standard) },
              { value: 'high_risk', label: t(($) => $.members.highRisk) },
            ],
          },
          {
            kind: 'select',
            name: 'mode',
            label: t(($) => $.mode),
            options: MODES.map((value) => ({ value, label: shell(($) => $.mode.name[value]) })),
          },
          {
            kind: 'select',
            name: 'status',
            label: t(($) => $.status),
            options: [
              { value: 'working', label: t(($) => $.members.working) },
              ...STATES.map((value) => ({ value, label: shell(($) => $.status[meaningOf(value)]) })),
            ],
          },
        ]}
        empty={
          <EmptyState
            icon={<IconRobot size={26} stroke={1.5} />}
            title={t(($) => $.members.empty)}
            hint={t(($) => $.members.emptyHint)}
          />
        }
      />
    </Stack>
  );
}
