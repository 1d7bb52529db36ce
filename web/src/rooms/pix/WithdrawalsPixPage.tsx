import { Card, Grid, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useLiveEvent } from '@/live/live';
import { NextStep } from '@/shared/payments/NextStep';
import { OutboundNotice } from '@/shared/payments/OutboundNotice';
import { ErrorCard } from '@/ui/ErrorCard';
import { PageHeader } from '@/ui/PageHeader';
import { Together } from '@/ui/Together';
import { HolderForm } from './HolderForm';
import { NewWithdrawal } from './NewWithdrawal';
import { WithdrawalDetails } from './WithdrawalDetails';
import { WithdrawalList } from './WithdrawalList';
import type { PixWithdrawal } from './withdrawals';

/** /wallet/my-withdrawals-pix: take money out. */
export default function WithdrawalsPixPage() {
  const { t } = useTranslation('pix');
  const outbound = $api.useQuery('get', '/outbound-state');
  const holder = $api.useQuery('get', '/pix/holder');
  const failed: unknown = holder.error;
  const [details, setDetails] = useState<PixWithdrawal | null>(null);
  useLiveEvent('pix_withdrawal.changed', (event) => {
    const fresh = event.withdrawal;
    setDetails((shown) => (shown?._id === fresh._id && shown.version < fresh.version ? fresh : shown));
  });
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.withdraw.title)} subtitle={t(($) => $.withdraw.subtitle)} live />
      <Together>
        <OutboundNotice state={outbound.data} young={false} />
        <Grid gap="lg" align="stretch">
          <Grid.Col span={{ base: 12, md: 6 }}>
            {failed && !holder.data ? (
              <ErrorCard what={t(($) => $.withdraw.document.what)} error={failed} onRetry={holder.refetch} />
            ) : holder.data && !holder.data.holder ? (
              <HolderForm />
            ) : (
              <NewWithdrawal holder={holder.data?.holder ?? null} onMade={setDetails} />
            )}
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <HowItWorks />
          </Grid.Col>
        </Grid>
        <WithdrawalList onOpen={setDetails} />
      </Together>
      <WithdrawalDetails withdrawal={details} onClose={() => setDetails(null)} />
    </Stack>
  );
}

function HowItWorks() {
  const { t } = useTranslation('pix');
  return (
    <Card component="section" aria-labelledby="how-it-works" h="100%">
      <Stack gap="md">
        <Title order={2} fz={17} id="how-it-works">
          {t(($) => $.withdraw.steps.title)}
        </Title>
        <NextStep
          steps={[
            {
              label: t(($) => $.withdraw.steps.ask),
              state: 'current',
              actor: t(($) => $.withdraw.steps.you),
              hint: t(($) => $.withdraw.steps.askHint),
            },
            {
              label: t(($) => $.withdraw.steps.review),
              state: 'todo',
              hint: t(($) => $.withdraw.steps.reviewHint),
            },
            {
              label: t(($) => $.withdraw.steps.pay),
              state: 'todo',
              hint: t(($) => $.withdraw.steps.payHint),
            },
          ]}
        />
      </Stack>
    </Card>
  );
}
