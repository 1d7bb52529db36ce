import { Badge, Button, Stack, Text } from '@mantine/core';
import { IconHandClick, IconPlayerPlay } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { configure, type Licence, resting, useLicences } from '@/live/licences';
import { useOwnLicences } from '@/live/useOwnLicences';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { Money } from '@/ui/Money';
import { PageHeader } from '@/ui/PageHeader';
import { toast } from '@/ui/toast';
import { usePress } from '@/ui/usePress';
import { DeskNotice } from './DeskNotice';
import { RobotDrawer } from './RobotDrawer';

/** Why each robot rests, and the one cure. */
export default function RobotsOffPage() {
  const { t } = useTranslation('robots');
  const [search, setSearch] = useSearchParams();
  const shown = search.get('robot');
  const open = (id: string | null) => setSearch(id === null ? {} : { robot: id }, { replace: true });
  const own = useOwnLicences();
  const byId = useLicences((book) => book.byId);
  const robots = resting(byId);
  const none = Object.keys(byId).length === 0;
  const { run: resume } = usePress(
    ({ _id }: Licence) => configure({ licence: _id, paused: false }),
    () => toast.success(t(($) => $.settings.saved)),
  );
  const columns: Column<Licence>[] = [
    {
      key: 'robot',
      label: t(($) => $.robot),
      fixed: true,
      render: (row) => (
        <Text fw={600} fz="sm">
          {t(($) => $.name, { number: row.number })}
        </Text>
      ),
    },
    {
      key: 'reason',
      label: t(($) => $.off.reason),
      render: (row) =>
        row.stoppedByLoan ? (
          <Badge color="gold">{t(($) => $.off.loan)}</Badge>
        ) : (
          <StatusBadge status={row.robotStatus} size="sm" />
        ),
    },
    {
      key: 'free',
      label: t(($) => $.off.free),
      align: 'right',
      render: (row) => <Money value={row.topup} digits={4} unit={false} />,
    },
    {
      key: 'cure',
      label: t(($) => $.off.cure),
      align: 'right',
      fixed: true,
      render: (row) => {
        if (row.robotStatus === 'manual')
          return (
            <Button
              size="xs"
              variant="light"
              leftSection={<IconHandClick size={15} aria-hidden />}
              onClick={() => open(row._id)}
            >
              {t(($) => $.off.operate)}
            </Button>
          );
        if (row.robotStatus === 'paused')
          return (
            <Button
              size="xs"
              variant="light"
              leftSection={<IconPlayerPlay size={15} aria-hidden />}
              onClick={() => void resume(row)}
            >
              {t(($) => $.off.resume)}
            </Button>
          );
        if (row.robotStatus === 'goal_reached')
          return (
            <Stack gap={4} align="flex-end">
              <Text fz="xs" c="dimmed">
                {t(($) => $.off.tomorrow)}
              </Text>
              <Button size="xs" variant="light" onClick={() => open(row._id)}>
                {t(($) => $.off.goal)}
              </Button>
            </Stack>
          );
        return (
          <Button
            size="xs"
            variant="light"
            component={Link}
            to={row.robotStatus === 'ceiling_reached' ? '/licences?tab=plans' : '/licences'}
          >
            {row.robotStatus === 'ceiling_reached' ? t(($) => $.off.another) : t(($) => $.off.allocate)}
          </Button>
        );
      },
    },
  ];
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.off.title)} subtitle={t(($) => $.off.subtitle)} live />
      <DeskNotice />
      <DataTable
        name="robots-off"
        label={t(($) => $.off.title)}
        columns={columns}
        rows={own.isPending ? undefined : robots}
        rowKey={(row) => row._id}
        error={own.error}
        onRetry={own.refetch}
        what={t(($) => $.what)}
        empty={
          none ? (
            <EmptyState
              title={t(($) => $.off.none)}
              hint={<Link to="/licences?tab=plans">{t(($) => $.off.another)}</Link>}
            />
          ) : (
            <EmptyState title={t(($) => $.off.empty)} />
          )
        }
      />
      <RobotDrawer
        id={shown}
        tab={shown !== null && byId[shown]?.robotStatus === 'goal_reached' ? 'settings' : 'manual'}
        onClose={() => open(null)}
      />
    </Stack>
  );
}
