import { Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { type Licence, useLicences } from '@/live/licences';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { type Column, DataTable } from '@/ui/DataTable';
import { FlashValue } from '@/ui/FlashValue';
import { Money } from '@/ui/Money';
import { subtract } from '@/ui/money';
import { Sparkline } from '@/ui/Sparkline';

function Line({ robot }: { robot: Licence }) {
  const spark = useLicences((book) => book.spark[robot._id]);
  const color = robot.today.startsWith('-') ? 'var(--down)' : 'var(--up)';
  return <Sparkline data={spark ?? []} height={28} width={110} color={color} />;
}

function Ticking({ value, sign = false }: { value: string; sign?: boolean }) {
  return (
    <FlashValue value={value}>
      <Money value={value} digits={4} unit={false} sign={sign} />
    </FlashValue>
  );
}

/** The robots at work, each a link to its drawer. */
export function RobotsTable({ robots }: { robots: readonly Licence[] }) {
  const { t } = useTranslation('dashboard');
  const navigate = useNavigate();
  const columns: Column<Licence>[] = [
    {
      key: 'robot',
      label: t(($) => $.robots.robot),
      fixed: true,
      render: (row) => (
        <Group gap={8} wrap="nowrap">
          <span style={{ fontWeight: 600 }}>{t(($) => $.robots.name, { number: row.number })}</span>
          <ModeBadge mode={row.mode} size="xs" />
        </Group>
      ),
    },
    { key: 'line', label: t(($) => $.robots.line), render: (row) => <Line robot={row} /> },
    {
      key: 'allocated',
      label: t(($) => $.robots.allocated),
      align: 'right',
      render: (row) => <Ticking value={row.allocated} />,
    },
    {
      key: 'result',
      label: t(($) => $.robots.result),
      align: 'right',
      render: (row) => <Ticking value={subtract(row.totalGain, row.totalLoss)} sign />,
    },
    {
      key: 'today',
      label: t(($) => $.robots.today),
      align: 'right',
      fixed: true,
      render: (row) => <Ticking value={row.today} sign />,
    },
    {
      key: 'status',
      label: t(($) => $.robots.status),
      render: (row) => <StatusBadge status={row.robotStatus} size="xs" />,
    },
  ];
  return (
    <DataTable
      name="meus-robos"
      label={t(($) => $.robots.title)}
      columns={columns}
      rows={robots}
      rowKey={(row) => row._id}
      onOpen={(row) => navigate(`/robots-in-operation?robot=${row._id}`)}
    />
  );
}
