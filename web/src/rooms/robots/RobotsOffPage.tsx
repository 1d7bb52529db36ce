import { Badge, Button, Stack, Text } from '@mantine/core';
import { IconHandClick, IconPlayerPlay } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { api, body } from '@/api/client';
import { type Licence, put, resting, useLicences } from '@/live/licences';
import { useOwnLicences } from '@/live/useOwnLicences';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { Money } from '@/ui/Money';
import { PageHeader } from '@/ui/PageHeader';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { RobotDrawer } from './RobotDrawer';

/** Why each robot rests, and the one cure. */
export default function RobotsOffPage() {
  const { t } = useTranslation('robots');
  const errorText = useErrorText();
  const [search, setSearch] = useSearchParams();
  const open = (id: string | null) => setSearch(id === null ? {} : { robot: id }, { replace: true });
  const own = useOwnLicences();
  const robots = resting(useLicences((book) => book.byId));
  const resume = async (licence: Licence) => {
    try {
      const change = { licence: licence._id, paused: false };
      put([await body(api.PATCH('/trader/config-robot-trader', { body: change }))]);
      toast.success(t(($) => $.settings.saved));
    } catch (failure) {
      toast.danger(errorText(failure));
    }
  };
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
      csv: (row) => String(row.number),
    },
    {
      key: 'reason',
      label: t(($) => $.off.reason),
      render: (row) => <Badge color="gray">{t(($) => $.off.reasons[reasonOf(row)])}</Badge>,
      csv: (row) => reasonOf(row),
    },
    {
      key: 'free',
      label: t(($) => $.off.free),
      align: 'right',
      render: (row) => <Money value={row.topup} digits={4} unit={false} />,
      csv: (row) => row.topup,
    },
    {
      key: 'cure',
      label: t(($) => $.off.cure),
      align: 'right',
      fixed: true,
      render: (row) => {
        const reason = reasonOf(row);
        if (reason === 'manual')
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
        if (reason === 'loan' || reason === 'paused')
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
        return (
          <Button
            size="xs"
            variant="light"
            component={Link}
            to={reason === 'ceiling' ? '/licences?tab=plans' : '/licences'}
          >
            {reason === 'ceiling' ? t(($) => $.off.another) : t(($) => $.off.allocate)}
          </Button>
        );
      },
    },
  ];
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.off.title)} subtitle={t(($) => $.off.subtitle)} live />
      <DataTable
        name="robots-off"
        label={t(($) => $.off.title)}
        columns={columns}
        rows={own.isPending ? undefined : robots}
        rowKey={(row) => row._id}
        error={own.error}
        onRetry={own.refetch}
        what={t(($) => $.what)}
        empty={<EmptyState title={t(($) => $.off.empty)} />}
      />
      <RobotDrawer id={search.get('robot')} tab="manual" onClose={() => open(null)} />
    </Stack>
  );
}

function reasonOf(licence: Licence): 'ceiling' | 'loan' | 'paused' | 'manual' | 'idle' {
  if (licence.robotStatus === 'ceiling_reached') return 'ceiling';
  if (licence.stoppedByLoan) return 'loan';
  if (licence.robotStatus === 'paused') return 'paused';
  return licence.manualKey ? 'manual' : 'idle';
}
