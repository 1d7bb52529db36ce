import { Alert, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { NextStep, type Step } from '@/shared/payments/NextStep';
import { useFormat } from '@/ui/format';
import type { PixDeposit } from './deposits';

interface SentDepositProps {
  deposit: PixDeposit;
  /** Back to making or paying another one. */
  onAnother: () => void;
  /** Others wait for their payment. */
  others: boolean;
}

/** The last step of a deposit: its proof was sent. What happens next, as it happens. */
export function SentDeposit({ deposit, onAnother, others }: SentDepositProps) {
  const { t } = useTranslation('pix');
  const format = useFormat();
  const credited = deposit.status === 'approved';
  const rejected = deposit.status === 'rejected';
  const amount = format.usdt(deposit.credited ?? deposit.usdt);
  const steps: Step[] = [
    { label: t(($) => $.sent.created), state: 'done', at: deposit.created_at },
    { label: t(($) => $.sent.paid), state: 'done', at: deposit.waitingSince ?? undefined },
    {
      label: t(($) => $.steps.review),
      state: credited ? 'done' : rejected ? 'failed' : 'current',
      actor: t(($) => $.steps.team),
      hint: rejected
        ? deposit.reason
        : !credited && deposit.approvalsNeeded > 1
          ? t(($) => $.details.approvals, { given: deposit.approvals, needed: deposit.approvalsNeeded })
          : undefined,
    },
    { label: t(($) => $.steps.credit), state: credited ? 'done' : 'todo' },
  ];
  return (
    <Card component="section" aria-labelledby="sent-deposit" h="100%">
      <Stack gap="md">
        <Group justify="space-between" gap={8}>
          <Title order={2} fz={17} id="sent-deposit">
            {credited
              ? t(($) => $.sent.credited, { amount })
              : rejected
                ? t(($) => $.sent.rejected)
                : t(($) => $.sent.title)}
          </Title>
          <Text fz="sm" c="dimmed" className="num">
            {format.brl(deposit.brl)}
          </Text>
        </Group>
        {rejected ? (
          <Alert color="red" variant="light" role="status">
            {deposit.reason}
          </Alert>
        ) : (
          <Text fz="sm" role="status">
            {credited ? t(($) => $.sent.creditedText) : t(($) => $.sent.text)}
          </Text>
        )}
        <NextStep steps={steps} />
        <Group gap="xs" mt="auto">
          <Button variant="default" onClick={onAnother}>
            {others ? t(($) => $.sent.other) : t(($) => $.sent.again)}
          </Button>
          {credited && (
            <Button variant="light" component={Link} to="/customer/extrato">
              {t(($) => $.sent.statement)}
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
