import { Alert, Button, Drawer, Stack, Table, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { NextStep } from '@/shared/payments/NextStep';
import { ProofViewer } from '@/shared/payments/ProofViewer';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { When } from '@/ui/When';
import { type PixDeposit, statusWord } from './deposits';
import { PayDeposit } from './PayDeposit';
import { SendProof } from './SendProof';

interface DepositDetailsProps {
  deposit: PixDeposit | null;
  onClose: () => void;
  onAnother: (deposit: PixDeposit) => void;
}

/** One deposit of the list: what it is, where it stands, what can be done about it. */
export function DepositDetails({ deposit, onClose, onAnother }: DepositDetailsProps) {
  const { t } = useTranslation('pix');
  const { t: common } = useTranslation();
  return (
    <Drawer
      opened={deposit !== null}
      onClose={onClose}
      position="right"
      size="min(520px, 100%)"
      title={
        <Title order={2} fz={18}>
          {t(($) => $.details.title)}
        </Title>
      }
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {deposit && <Body deposit={deposit} onClose={onClose} onAnother={onAnother} />}
    </Drawer>
  );
}

function Body({ deposit, onClose, onAnother }: DepositDetailsProps & { deposit: PixDeposit }) {
  const { t } = useTranslation('pix');
  const format = useFormat();
  const facts: [string, ReactNode][] = [
    [
      t(($) => $.list.status),
      <StatusBadge key="s" status={deposit.reversed ? 'reversed' : statusWord(deposit.status)} />,
    ],
    [t(($) => $.details.asked), <Money key="a" value={deposit.brl} currency="BRL" />],
    [t(($) => $.list.usdt), <Money key="u" value={deposit.usdt} digits={4} />],
    [t(($) => $.details.rate), `R$\u00a0${format.decimal(deposit.rate, 4)}`],
  ];
  if (deposit.brlReceived)
    facts.push([t(($) => $.details.received), <Money key="r" value={deposit.brlReceived} currency="BRL" />]);
  if (deposit.credited)
    facts.push([t(($) => $.details.credited), <Money key="c" value={deposit.credited} digits={4} />]);
  if (deposit.reason) facts.push([t(($) => $.details.reason), deposit.reason]);
  facts.push(
    [t(($) => $.details.created), <When key="w" at={deposit.created_at} />],
    [t(($) => $.details.code), deposit.txid],
  );
  return (
    <Stack gap="lg">
      <Table variant="vertical" layout="fixed">
        <Table.Tbody>
          {facts.map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Th w="40%" fw={500} c="dimmed" bg="transparent">
                {label}
              </Table.Th>
              <Table.Td className="num" style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {deposit.status === 'pending' && <PayDeposit deposit={deposit} />}
      {deposit.status === 'pending_approval' && <Review deposit={deposit} />}
      {deposit.status === 'cancelled_timed_out' && (
        <>
          <Alert color="gold" variant="light">
            {t(($) => $.details.timedOut)}
          </Alert>
          <SendProof deposit={deposit} onSent={onClose} />
        </>
      )}
      {deposit.reversed && (
        <Alert color="red" variant="light">
          {t(($) => $.details.reversed)}
        </Alert>
      )}
      {deposit.status === 'rejected' && (
        <Button onClick={() => onAnother(deposit)} aria-description={t(($) => $.details.anotherHint)}>
          {t(($) => $.details.another)}
        </Button>
      )}
      {deposit.proof && <ProofViewer file={deposit.proof} kind={deposit.proofKind ?? ''} />}
    </Stack>
  );
}

function Review({ deposit }: { deposit: PixDeposit }) {
  const { t } = useTranslation('pix');
  return (
    <>
      <NextStep
        steps={[
          { label: t(($) => $.steps.pay), state: 'done', at: deposit.waitingSince ?? undefined },
          {
            label: t(($) => $.steps.review),
            state: 'current',
            actor: t(($) => $.steps.team),
            hint:
              deposit.approvalsNeeded > 1
                ? t(($) => $.details.approvals, { given: deposit.approvals, needed: deposit.approvalsNeeded })
                : undefined,
          },
          { label: t(($) => $.steps.credit), state: 'todo' },
        ]}
      />
      <details>
        <summary style={{ cursor: 'pointer' }}>{t(($) => $.pay.replace)}</summary>
        <div style={{ marginTop: 12 }}>
          <SendProof deposit={deposit} />
        </div>
      </details>
    </>
  );
}
