import { Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconArrowsExchange, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { currencyOf, fromWei } from '@/live/chain/deposits';
import { isStopped, type OutboundState } from '@/shared/payments/OutboundNotice';
import { ErrorCard } from '@/ui/ErrorCard';
import { GuardedButton } from '@/ui/GuardedButton';
import { LiveBadge } from '@/ui/LiveBadge';
import { Money } from '@/ui/Money';
import { plainList } from '@/ui/plainList';
import { SendDialog } from './SendDialog';
import { SwapDialog } from './SwapDialog';
import { type Balance, digitsOf, type Wallet } from './wallet';

interface BalancesProps {
  wallet: Wallet;
  state: OutboundState | undefined;
}

/** What the wallet holds, and what can be done with it. */
export function Balances({ wallet, state }: BalancesProps) {
  const { t } = useTranslation('web3');
  const [open, setOpen] = useState<'send' | 'swap' | null>(null);
  const balances = $api.useQuery(
    'get',
    '/web3/readWalletBalances/{param}',
    { params: { path: { param: wallet.address } } },
    { refetchInterval: 30_000 },
  );
  const all = balances.data?.data;
  const empty = all?.every(({ wei }) => wei === '0') ?? false;
  const reason = isStopped(state)
    ? t(($) => $.balances.stopped)
    : empty
      ? t(($) => $.balances.empty)
      : undefined;
  return (
    <Card component="section" aria-labelledby="wallet-balances" h="100%">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} fz={17} id="wallet-balances">
            {t(($) => $.balances.title)}
          </Title>
          <LiveBadge />
        </Group>
        {all && balances.data ? (
          <>
            <Text fz={28} fw={680} lts="-0.02em" component="div" data-testid="wallet-total">
              ≈ <Money value={balances.data.total} />
            </Text>
            <Stack gap={0} component="ul" {...plainList}>
              {all.map((balance) => (
                <CoinLine key={balance.coin} balance={balance} />
              ))}
            </Stack>
          </>
        ) : balances.error ? (
          <ErrorCard what={t(($) => $.what.balances)} error={balances.error} onRetry={balances.refetch} />
        ) : (
          <Skeleton height={220} />
        )}
        <Group grow>
          <GuardedButton
            allowed={all !== undefined && !reason}
            reason={reason}
            leftSection={<IconSend size={17} aria-hidden />}
            onClick={() => setOpen('send')}
          >
            {t(($) => $.send.open)}
          </GuardedButton>
          {wallet.swaps && (
            <GuardedButton
              variant="default"
              allowed={all !== undefined && !reason}
              reason={reason}
              leftSection={<IconArrowsExchange size={17} aria-hidden />}
              onClick={() => setOpen('swap')}
            >
              {t(($) => $.swap.open)}
            </GuardedButton>
          )}
        </Group>
      </Stack>
      <SendDialog
        opened={open === 'send'}
        onClose={() => setOpen(null)}
        wallet={wallet}
        balances={all ?? []}
        app={state?.factor === 'app'}
      />
      <SwapDialog
        opened={open === 'swap'}
        onClose={() => setOpen(null)}
        wallet={wallet}
        balances={all ?? []}
        app={state?.factor === 'app'}
      />
    </Card>
  );
}

function CoinLine({ balance }: { balance: Balance }) {
  const { t } = useTranslation('web3');
  const { coin, wei, aside, usdt } = balance;
  return (
    <Group
      component="li"
      justify="space-between"
      wrap="nowrap"
      py="xs"
      style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}
      data-coin={coin}
    >
      <div>
        <Text fw={600}>{t(($) => $.coins[coin])}</Text>
        {aside !== '0' && (
          <Text fz="xs" c="dimmed" component="div">
            <span>{t(($) => $.balances.aside)}</span>{' '}
            <Money value={fromWei(aside)} currency={currencyOf(coin)} digits={digitsOf(coin)} />
          </Text>
        )}
      </div>
      <div style={{ textAlign: 'right' }}>
        <Text fw={600} component="div">
          <Money value={fromWei(wei)} currency={currencyOf(coin)} digits={digitsOf(coin)} />
        </Text>
        <Text fz="xs" c="dimmed" component="div">
          {usdt ? (
            <>
              ≈ <Money value={usdt} />
            </>
          ) : (
            t(($) => $.balances.unpriced)
          )}
        </Text>
      </div>
    </Group>
  );
}
