import { Drawer, Stack, Table, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { came, currencyOf, type Deposit } from '@/live/chain/deposits';
import { Brief } from '@/shared/payments/Brief';
import { PayDeposit } from '@/shared/payments/PayDeposit';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { Money } from '@/ui/Money';
import { When } from '@/ui/When';

interface DepositDetailsProps {
  deposit: Deposit | null;
  onClose: () => void;
}

/** One deposit of the list: what it is, where it stands, what can be done about it. */
export function DepositDetails({ deposit, onClose }: DepositDetailsProps) {
  const { t } = useTranslation('wallet');
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
      {deposit && (
        <Stack gap="lg">
          <Facts deposit={deposit} />
          <PayDeposit key={deposit._id} deposit={deposit} />
        </Stack>
      )}
    </Drawer>
  );
}

/** What is known about a deposit, line by line. */
export function depositFacts(deposit: Deposit, t: ReturnType<typeof useTranslation<'wallet'>>['t']) {
  const coin = currencyOf(deposit.coin);
  const facts: [string, ReactNode][] = [
    [
      t(($) => $.list.status),
      <StatusBadge key="s" status={deposit.reversed ? 'reversed' : deposit.status} />,
    ],
    [t(($) => $.list.product), t(($) => $.products[deposit.product])],
    [
      t(($) => $.list.coin),
      deposit.coin ? t(($) => $.coins[deposit.coin ?? 'usdt']) : t(($) => $.coins.unlisted),
    ],
  ];
  if (deposit.value) facts.push([t(($) => $.list.value), <Money key="v" value={deposit.value} />]);
  facts.push([
    t(($) => $.details.came),
    <Money key="c" value={came(deposit)} currency={coin} digits={deposit.coin === 'bnb' ? 8 : 6} />,
  ]);
  if (deposit.rate) facts.push([t(($) => $.details.rate), <Money key="r" value={deposit.rate} digits={4} />]);
  if (deposit.credited)
    facts.push([t(($) => $.details.credited), <Money key="k" value={deposit.credited} digits={6} />]);
  if (deposit.fee) facts.push([t(($) => $.details.fee), <Money key="f" value={deposit.fee} digits={6} />]);
  facts.push([
    t(($) => $.list.address),
    <Brief key="a" text={deposit.address} label={t(($) => $.list.copyAddress)} />,
  ]);
  if (deposit.contract)
    facts.push([
      t(($) => $.details.contract),
      <Brief key="o" text={deposit.contract} label={t(($) => $.list.copyAddress)} />,
    ]);
  if (deposit.transaction)
    facts.push([
      t(($) => $.list.hash),
      <Brief key="h" text={deposit.transaction} label={t(($) => $.list.copyHash)} />,
    ]);
  if (deposit.refund)
    facts.push([
      t(($) => $.details.refund),
      <Brief key="u" text={deposit.refund} label={t(($) => $.list.copyHash)} />,
    ]);
  if (deposit.reason) facts.push([t(($) => $.details.reason), deposit.reason]);
  facts.push([t(($) => $.details.created), <When key="w" at={deposit.created_at} />]);
  return facts;
}

function Facts({ deposit }: { deposit: Deposit }) {
  const { t } = useTranslation('wallet');
  return (
    <Table variant="vertical" layout="fixed">
      <Table.Tbody>
        {depositFacts(deposit, t).map(([label, value]) => (
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
  );
}
