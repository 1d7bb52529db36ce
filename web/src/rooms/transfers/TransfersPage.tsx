import { Grid, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { OutboundNotice } from '@/shared/payments/OutboundNotice';
import { PageHeader } from '@/ui/PageHeader';
import { SendTransfer } from './SendTransfer';
import { TransferList } from './TransferList';

/** /wallet/transfers: pay a member. */
export default function TransfersPage() {
  const { t } = useTranslation('transfers');
  const state = $api.useQuery('get', '/outbound-state');
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live />
      <OutboundNotice state={state.data} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <SendTransfer state={state.data} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <TransferList />
        </Grid.Col>
      </Grid>
    </Stack>
  );
}
