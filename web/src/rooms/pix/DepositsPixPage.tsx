import { Card, Grid, SegmentedControl, Stack, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useLiveEvent } from '@/live/live';
import { NextStep } from '@/shared/payments/NextStep';
import { useFormat } from '@/ui/format';
import { PageHeader } from '@/ui/PageHeader';
import { Together } from '@/ui/Together';
import { DepositDetails } from './DepositDetails';
import { DepositList } from './DepositList';
import type { PixDeposit } from './deposits';
import { type Draft, NewDeposit } from './NewDeposit';
import { PayDeposit } from './PayDeposit';
import { SentDeposit } from './SentDeposit';

/** /wallet/my-deposits-pix: put money in. */
export default function DepositsPixPage() {
  const { t } = useTranslation('pix');
  const open = $api.useQuery('get', '/list-deposits-pix', {
    params: { query: { status: 'pending', limit: 10 } },
  });
  const review = $api.useQuery('get', '/list-deposits-pix', {
    params: { query: { status: 'pending_approval', limit: 1 } },
  });
  // The one whose proof was sent here: it stays on screen to its end, whatever list it leaves.
  const [sent, setSent] = useState<PixDeposit | null>(null);
  const [put, setPut] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [details, setDetails] = useState<PixDeposit | null>(null);
  const [draft, setDraft] = useState<Draft | null>(null);
  const waiting = (open.data?.data ?? []).filter(({ status }) => status === 'pending');
  const current = waiting.find(({ _id }) => _id === chosen) ?? waiting[0];
  const inReview = (review.data?.data ?? []).find(
    ({ _id, status }) => status === 'pending_approval' && _id !== put,
  );
  // Not before it is known that none is open: whichever list answers first, the same one is shown.
  const found = current || open.isPending ? undefined : inReview;
  // What a reload finds in review is followed like one that was sent here.
  useEffect(() => {
    if (found) setSent((before) => before ?? found);
  }, [found]);
  // It may leave the review between the list and the fact: then its own list says how it came out.
  const isGone =
    sent?.status === 'pending_approval' && review.data?.data.every(({ _id }) => _id !== sent._id) === true;
  const newest = $api.useQuery(
    'get',
    '/list-deposits-pix',
    { params: { query: { limit: 10 } } },
    { enabled: isGone },
  );
  const ended = newest.data?.data.find(({ _id, version }) => _id === sent?._id && version > sent.version);
  const shown = ended ?? sent ?? found ?? null;
  useLiveEvent('pix_deposit.changed', (event) => {
    const deposit = event.deposit;
    if (shown?._id === deposit._id && shown.version < deposit.version) setSent(deposit);
    setDetails((shown) => (shown?._id === deposit._id && shown.version < deposit.version ? deposit : shown));
  });
  /** Aside, until the next one is sent. */
  const leave = () => {
    setPut(shown?._id ?? null);
    setSent(null);
  };
  const another = ({ brl }: PixDeposit) => {
    setDetails(null);
    setDraft({ brl, at: Date.now() });
    window.scrollTo({ top: 0 });
  };
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.title)} subtitle={t(($) => $.subtitle)} live />
      <Together>
        <Grid gap="lg" align="stretch">
          <Grid.Col span={{ base: 12, md: 6 }} order={{ base: current || shown ? 2 : 1, md: 1 }}>
            <NewDeposit
              draft={draft}
              onCreated={({ _id }) => {
                setChosen(_id);
                leave();
              }}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }} order={{ base: current || shown ? 1 : 2, md: 2 }}>
            {shown ? (
              <SentDeposit deposit={shown} others={current !== undefined} onAnother={leave} />
            ) : current ? (
              <Open waiting={waiting} current={current} onChoose={setChosen} onSent={setSent} />
            ) : (
              <HowItWorks />
            )}
          </Grid.Col>
        </Grid>
        <DepositList onOpen={setDetails} />
      </Together>
      <DepositDetails deposit={details} onClose={() => setDetails(null)} onAnother={another} />
    </Stack>
  );
}

interface OpenProps {
  waiting: readonly PixDeposit[];
  current: PixDeposit;
  onChoose: (id: string) => void;
  onSent: (deposit: PixDeposit) => void;
}

function Open({ waiting, current, onChoose, onSent }: OpenProps) {
  const { t } = useTranslation('pix');
  const format = useFormat();
  return (
    <Card component="section" aria-labelledby="pay-deposit">
      <Stack gap="md">
        <Title order={2} fz={17} id="pay-deposit">
          {t(($) => $.pay.title)}
        </Title>
        {waiting.length > 1 && (
          <SegmentedControl
            aria-label={t(($) => $.pay.others)}
            value={current._id}
            onChange={onChoose}
            data={waiting.map(({ _id, brl }) => ({ value: _id, label: format.brl(brl) }))}
            fullWidth
          />
        )}
        <PayDeposit key={current._id} deposit={current} onSent={onSent} />
      </Stack>
    </Card>
  );
}

function HowItWorks() {
  const { t } = useTranslation('pix');
  return (
    <Card component="section" aria-labelledby="how-it-works" h="100%">
      <Stack gap="md">
        <Title order={2} fz={17} id="how-it-works">
          {t(($) => $.steps.title)}
        </Title>
        <NextStep
          steps={[
            {
              label: t(($) => $.steps.create),
              state: 'current',
              actor: t(($) => $.steps.you),
              hint: t(($) => $.steps.createHint),
            },
            { label: t(($) => $.steps.pay), state: 'todo', hint: t(($) => $.steps.payHint) },
            { label: t(($) => $.steps.review), state: 'todo', hint: t(($) => $.steps.reviewHint) },
            { label: t(($) => $.steps.credit), state: 'todo', hint: t(($) => $.steps.creditHint) },
          ]}
        />
      </Stack>
    </Card>
  );
}
