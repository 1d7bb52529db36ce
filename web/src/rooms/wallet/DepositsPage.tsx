import { Card, Grid, SegmentedControl, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { type Deposit, isOpen } from '@/live/chain/deposits';
import { useLiveEvent } from '@/live/live';
import { NextStep } from '@/shared/payments/NextStep';
import { PayDeposit } from '@/shared/payments/PayDeposit';
import { useFormat } from '@/ui/format';
import { PageHeader } from '@/ui/PageHeader';
import { DepositDetails } from './DepositDetails';
import { DepositList } from './DepositList';
import { NewDeposit } from './NewDeposit';

/** /wallet/my-deposits: put coins in. */
export default function DepositsPage() {
  const { t } = useTranslation('wallet');
  const recent = $api.useQuery('get', '/list-deposits', { params: { query: { limit: 20 } } });
  const [chosen, setChosen] = useState<string | null>(null);
  const [details, setDetails] = useState<Deposit | null>(null);
  const all = recent.data?.data ?? [];
  const open = all.filter(isOpen);
  // One that was being paid stays on screen with how it ended.
  const current = all.find(({ _id }) => _id === chosen) ?? open[0];
  useLiveEvent('crypto_deposit.changed', (event) => {
    const deposit = event.deposit;
    setDetails((shown) => (shown?._id === deposit._id && shown.version < deposit.version ? deposit : shown));
    setChosen((shown) => shown ?? (current?._id === deposit._id ? deposit._id : null));
  });
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live />
      <Grid gap="lg" align="stretch">
        <Grid.Col span={{ base: 12, md: 6 }} order={{ base: current ? 2 : 1, md: 1 }}>
          <NewDeposit onCreated={({ _id }) => setChosen(_id)} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }} order={{ base: current ? 1 : 2, md: 2 }}>
          {current ? <Paying open={open} current={current} onChoose={setChosen} /> : <HowItWorks />}
        </Grid.Col>
      </Grid>
      <DepositList onOpen={setDetails} />
      <DepositDetails deposit={details} onClose={() => setDetails(null)} />
    </Stack>
  );
}

interface PayingProps {
  open: readonly Deposit[];
  current: Deposit;
  onChoose: (id: string | null) => void;
}

function Paying({ open, current, onChoose }: PayingProps) {
  const { t } = useTranslation('wallet');
  const format = useFormat();
  const others = open.some(({ _id }) => _id === current._id) ? open : [current, ...open];
  return (
    <Card component="section" aria-labelledby="pay-crypto-deposit">
      <Stack gap="md">
        <Title order={2} fz={17} id="pay-crypto-deposit">
          {t(($) => $.pay.title)}
        </Title>
        {others.length > 1 && (
          <SegmentedControl
            aria-label={t(($) => $.pay.others)}
            value={current._id}
            onChange={onChoose}
            data={others.map(({ _id, value }) => ({ value: _id, label: format.usdt(value ?? '0') }))}
            fullWidth
          />
        )}
        <PayDeposit key={current._id} deposit={current} onAnother={() => onChoose(null)} />
      </Stack>
    </Card>
  );
}

function HowItWorks() {
  const { t } = useTranslation('wallet');
  return (
    <Card component="section" aria-labelledby="how-crypto-works" h="100%">
      <Stack gap="md">
        <Title order={2} fz={17} id="how-crypto-works">
          {t(($) => $.how.title)}
        </Title>
        <NextStep
          steps={[
            {
              label: t(($) => $.how.create),
              state: 'current',
              actor: t(($) => $.steps.you),
              hint: t(($) => $.how.createHint),
            },
            { label: t(($) => $.how.pay), state: 'todo', hint: t(($) => $.how.payHint) },
            { label: t(($) => $.how.confirm), state: 'todo', hint: t(($) => $.how.confirmHint) },
            { label: t(($) => $.steps.credited), state: 'todo', hint: t(($) => $.how.creditHint) },
          ]}
        />
      </Stack>
    </Card>
  );
}
