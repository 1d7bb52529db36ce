import { Card, Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { QUEUES } from '@/api/queues';
import { ErrorCard } from '@/ui/ErrorCard';
import { PageHeader } from '@/ui/PageHeader';
import { ScreenTabs } from '@/ui/ScreenTabs';
import { Together } from '@/ui/Together';
import { useTableQuery } from '@/ui/useTableQuery';
import { Freezes } from './Freezes';
import { Matrix } from './Matrix';
import { People } from './People';
import { Requests } from './Requests';

const TABS = ['people', 'requests', 'freezes', 'roles'] as const;
type Tab = (typeof TABS)[number];

/** /administrator/set-permissions: who may what; who decides is decided by two. */
export default function PermissionsPage() {
  const { t } = useTranslation('permissions');
  const table = useTableQuery({ filters: ['tab'] });
  const tab = TABS.find((name) => name === table.filters.tab) ?? 'people';
  const grants = $api.useQuery('get', QUEUES.grants.list);
  const counts: Partial<Record<Tab, number | undefined>> = {
    requests: grants.data?.requests.filter(({ status }) => status === 'waiting').length,
    freezes: grants.data?.freezes.filter(({ endedAt }) => !endedAt).length,
  };
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live />
      {grants.error && !grants.data && (
        <ErrorCard what={t(($) => $.what)} error={grants.error} onRetry={grants.refetch} />
      )}
      <Together>
        <ScreenTabs
          label={t(($) => $.tabs.label)}
          tabs={TABS.map((name) => ({ name, text: t(($) => $.tabs[name]), count: counts[name] }))}
          shown={tab}
          onShow={(next) => table.setFilter('tab', next === 'people' ? null : next)}
        >
          <Card component="section" aria-labelledby="permissions-part">
            <Title order={2} fz={17} mb="md" id="permissions-part">
              {t(($) => $.tabs[tab])}
            </Title>
            {tab === 'people' && <People grants={grants.data} />}
            {tab === 'requests' && <Requests grants={grants.data} />}
            {tab === 'freezes' && <Freezes grants={grants.data} />}
            {tab === 'roles' && <Matrix />}
          </Card>
        </ScreenTabs>
      </Together>
    </Stack>
  );
}
