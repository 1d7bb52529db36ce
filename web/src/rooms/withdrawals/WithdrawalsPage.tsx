import { Card, Grid, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useLiveEvent } from '@/live/live';
import { NextStep } from '@/shared/payments/NextStep';
import { OutboundNotice } from '@/shared/payments/OutboundNotice';
import { PageHeader } from '@/ui/PageHeader';
import { Together } from '@/ui/Together';
import { ConfirmByLink } from './ConfirmByLink';
import { NewWithdrawal } from './NewWithdrawal';
import { useTerms } from './useTerms';
import { WithdrawalDetails } from './WithdrawalDetails';
import { WithdrawalList } from './WithdrawalList';
import type { Withdrawal } from './withdrawals';

/** /wallet/my-withdrawals: take coins out. The mailed link opens here too, and waits for its button. */
export default function WithdrawalsPage() {
  const { t } = useTranslation('withdrawals');
  const outbound = $api.useQuery('get', '/outbound-state');
  const [details, setDetails] = useState<Withdrawal | null>(null);
  useLiveEvent('crypto_withdrawal.changed', (event) => {
    const fresh = event.withdrawal;
    setDetails((shown) => (shown?._id === fresh._id && shown.version < fresh.version ? fresh : shown));
  });
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live />
      <Together>
        <OutboundNotice state={outbound.data} young={false} />
        <Grid gap="lg" align="stretch">
          <Grid.Col span={{ base: 12, md: 6 }}>
            <NewWithdrawal onMade={setDetails} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <HowItWorks />
          </Grid.Col>
        </Grid>
        <WithdrawalList onOpen={setDetails} />
      </Together>
      <WithdrawalDetails withdrawal={details} onClose={() => setDetails(null)} />
      <ConfirmByLink onConfirmed={setDetails} />
    </Stack>
  );
}

function HowItWorks() {
  const { t } = useTranslation('withdrawals');
  const minutes = useTerms().data?.linkMinutes;
  return (
    <Card component="section" aria-labelledby="how-it-works" h="100%">
      <Stack gap="md">
        <Title order={2} fz={17} id="how-it-works">
          {t(($) => $.steps.title)}
        </Title>
        <NextStep
          steps={[
            {
              label: t(($) => $.steps.ask),
              state: 'current',
              actor: t(($) => $.steps.you),
              hint: t(($) => $.steps.askHint),
            },
            {
              label: t(($) => $.steps.mail),
              state: 'todo',
              actor: t(($) => $.steps.you),
              hint: minutes && t(($) => $.steps.mailHint, { minutes }),
            },
            {
              label: t(($) => $.steps.review),
              state: 'todo',
              actor: t(($) => $.steps.team),
              hint: t(($) => $.steps.reviewHint),
            },
            {
              label: t(($) => $.steps.send),
              state: 'todo',
              actor: t(($) => $.steps.network),
              hint: t(($) => $.steps.sendHint),
            },
          ]}
        />
      </Stack>
    </Card>
  );
}
