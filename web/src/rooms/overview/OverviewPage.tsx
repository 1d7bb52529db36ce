import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PageHeader } from '@/ui/PageHeader';
import { Together } from '@/ui/Together';
import { House } from './House';
import { Queues } from './Queues';
import { SolvencyPanel } from './SolvencyPanel';
import { Sources } from './Sources';

/** /administrator/dashboard: are we solvent, what waits. */
export default function OverviewPage() {
  const { t } = useTranslation('overview');
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} />
      <Together>
        <Queues />
        <House />
        <SolvencyPanel />
        <Sources />
      </Together>
    </Stack>
  );
}
