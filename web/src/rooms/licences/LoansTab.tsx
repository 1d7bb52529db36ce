import { Alert, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import type { Licence } from '@/live/licences';
import { askOrigin } from '@/shared/origin/origin';
import { LimitGauge } from '@/shared/results/LimitGauge';
import { EmptyState } from '@/ui/EmptyState';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { isPositive, subtract } from '@/ui/money';
import { LoanDialog, RepayDialog } from './LoanDialogs';
import { debtOf, owes } from './loans';
import { ReceiptDialog, type ReceiptOf } from './Receipt';

/** Loans by licence: what is owed and repaid, what could be borrowed. */
export function LoansTab({ licences }: { licences: readonly Licence[] }) {
  const { t } = useTranslation('licences');
  const shown = licences.filter((licence) => licence.state === 'active' || owes(licence));
  const open = shown.filter(owes);
  const others = shown.filter((licence) => !owes(licence));
  if (shown.length === 0) return <EmptyState title={t(($) => $.loan.noLicence)} />;
  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed" maw={720}>
        {t(($) => $.loan.how)}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
        {[...open, ...others].map((licence) => (
          <LoanCard key={licence._id} licence={licence} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function LoanCard({ licence }: { licence: Licence }) {
  const { t } = useTranslation('licences');
  const { date, exact } = useFormat();
  const [dialog, setDialog] = useState<'borrow' | 'repay' | null>(null);
  const [receipt, setReceipt] = useState<ReceiptOf | null>(null);
  const open = owes(licence);
  const debt = debtOf(licence);
  const terms = $api.useQuery('get', '/licences/{licence}/loan-terms', {
    params: { path: { licence: licence._id } },
  });
  const { data } = terms;
  return (
    <Card component="article" aria-label={t(($) => $.loan.of, { number: licence.number })}>
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={2} fz={17}>
          {t(($) => $.name, { number: licence.number })}
        </Title>
        <Text fz="sm" c="dimmed" component="div">
          <Money value={licence.value} />
        </Text>
      </Group>
      {open ? (
        <Stack gap="sm" mb="md">
          <LimitGauge
            label={t(($) => $.loan.repaidShare)}
            used={subtract(licence.loanTaken, debt)}
            max={licence.loanTaken}
            good
          />
          <Group justify="space-between" gap={8}>
            <Text fz="sm" c="dimmed">
              {t(($) => $.loan.owed)}
            </Text>
            <FlashValue value={debt}>
              <Money value={debt} digits={4} onOrigin={askOrigin({ account: 'loan' })} />
            </FlashValue>
          </Group>
          {data && (
            <Group justify="space-between" gap={8}>
              <Text fz="sm" c="dimmed">
                {t(($) => $.loan.mayLeave)}
              </Text>
              <Money value={data.mayLeave} digits={4} />
            </Group>
          )}
        </Stack>
      ) : !data && !terms.error ? (
        <Skeleton h={70} radius="md" />
      ) : (
        <Stack gap={6} mb="md">
          <Text fz="sm" c="dimmed">
            {t(($) => $.loan.could)}
          </Text>
          <Text fz={22} fw={700} component="div" className="num">
            {data ? <Money value={data.maximum} /> : '—'}
          </Text>
          <Text fz="sm" c="dimmed">
            {data?.nextFree
              ? t(($) => $.loan.nextFree, { date: date(data.nextFree) })
              : data && t(($) => $.loan.ofFree, { share: exact(data.share) })}
          </Text>
        </Stack>
      )}
      {licence.stoppedByLoan && (
        <Alert color="gold" variant="light" mb="md" p="xs">
          {t(($) => $.loan.stopped)}
        </Alert>
      )}
      {open ? (
        <GuardedButton mt="auto" allowed onClick={() => setDialog('repay')}>
          {t(($) => $.loan.repay)}
        </GuardedButton>
      ) : (
        <GuardedButton
          mt="auto"
          variant="light"
          allowed={data !== undefined && isPositive(data.maximum)}
          reason={t(($) => $.loan.nothing)}
          onClick={() => setDialog('borrow')}
        >
          {t(($) => $.loan.open)}
        </GuardedButton>
      )}
      <Dialogs licence={licence} dialog={dialog} setDialog={setDialog} setReceipt={setReceipt} />
      <ReceiptDialog receipt={receipt} onClose={() => setReceipt(null)} />
    </Card>
  );
}

interface DialogsProps {
  licence: Licence;
  dialog: 'borrow' | 'repay' | null;
  setDialog: (to: null) => void;
  setReceipt: (receipt: ReceiptOf) => void;
}

export function Dialogs({ licence, dialog, setDialog, setReceipt }: DialogsProps) {
  const rest = { licence, onClose: () => setDialog(null), onDone: setReceipt };
  return (
    <>
      <LoanDialog {...rest} opened={dialog === 'borrow'} />
      <RepayDialog {...rest} opened={dialog === 'repay'} />
    </>
  );
}
