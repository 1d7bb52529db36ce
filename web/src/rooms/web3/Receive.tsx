import { Card, Stack, Text, Title } from '@mantine/core';
import { IconDroplet } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { useConfig } from '@/api/config';
import type { Coin } from '@/live/chain/deposits';
import { QrPay } from '@/shared/payments/QrPay';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { usePress } from '@/ui/usePress';
import type { Wallet } from './wallet';

/** Where coins for this wallet go. */
export function Receive({ wallet }: { wallet: Wallet }) {
  const { t } = useTranslation('web3');
  return (
    <Card component="section" aria-labelledby="wallet-receive" h="100%">
      <Stack gap="md">
        <Title order={2} fz={17} id="wallet-receive">
          {t(($) => $.receive.title)}
        </Title>
        <QrPay
          text={wallet.address}
          label={t(($) => $.receive.qr)}
          copyLabel={t(($) => $.receive.copy)}
          size={168}
        />
        <Text fz="sm" c="dimmed">
          {t(($) => $.receive.hint)}
        </Text>
        <Faucet wallet={wallet} />
      </Stack>
    </Card>
  );
}

const PLAY: readonly (readonly [Coin, string])[] = [
  ['bnb', '0.2'],
  ['usdt', '250'],
];

/** Play money, where the demo has a chain of its own. */
function Faucet({ wallet }: { wallet: Wallet }) {
  const { t } = useTranslation('web3');
  const faucet = useConfig((state) => state.config?.faucet);
  const { busy, run: fill } = usePress(
    async (address: string) => {
      for (const [coin, value] of PLAY)
        await body(api.POST('/dev/faucet', { body: { address, coin, value } }));
    },
    () => toast.success(t(($) => $.faucet.sent)),
  );
  if (!faucet) return null;
  return (
    <Stack gap={4}>
      <GuardedButton
        variant="light"
        allowed={!busy}
        loading={busy}
        onClick={() => void fill(wallet.address)}
        leftSection={<IconDroplet size={17} aria-hidden />}
      >
        {t(($) => $.faucet.fill)}
      </GuardedButton>
      <Text fz="xs" c="dimmed" ta="center">
        {t(($) => $.faucet.hint)}
      </Text>
    </Stack>
  );
}
