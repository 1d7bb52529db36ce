import { Card, Grid, Skeleton, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { OutboundNotice } from '@/shared/payments/OutboundNotice';
import { ErrorCard } from '@/ui/ErrorCard';
import { Together } from '@/ui/Together';
import { Balances } from './Balances';
import { History } from './History';
import { Receive } from './Receive';
import { RevealPhrase } from './RevealPhrase';
import { useWallet } from './useWallet';
import { Whitelist } from './Whitelist';
import type { Wallet } from './wallet';

/** The tab "Carteiras cripto": one's own wallet on the chain, and where money may go. */
export function WalletTab() {
  const { t } = useTranslation('web3');
  const wallet = useWallet();
  const state = $api.useQuery('get', '/outbound-state');
  return (
    <Stack gap="lg">
      <Together>
        <OutboundNotice state={state.data} />
        {wallet.data ? (
          <Opened wallet={wallet.data} state={state.data} />
        ) : wallet.error ? (
          <ErrorCard what={t(($) => $.what.wallet)} error={wallet.error} onRetry={wallet.refetch} />
        ) : (
          <Card aria-busy>
            <Skeleton height={360} />
          </Card>
        )}
        <Whitelist app={state.data?.factor === 'app'} />
      </Together>
    </Stack>
  );
}

function Opened({ wallet, state }: { wallet: Wallet; state: Parameters<typeof Balances>[0]['state'] }) {
  return (
    <>
      <Grid gap="lg" align="stretch">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Balances wallet={wallet} state={state} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Receive wallet={wallet} />
        </Grid.Col>
      </Grid>
      <History wallet={wallet} />
      <RevealPhrase app={state?.factor === 'app'} />
    </>
  );
}
