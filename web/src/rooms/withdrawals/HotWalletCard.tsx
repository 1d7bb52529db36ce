import { Alert, Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { currencyOf, fromWei } from '@/live/chain/deposits';
import { TakeBack } from '@/shared/decisions/TakeBack';
import { Brief } from '@/shared/payments/Brief';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { ShortTable } from '@/ui/ShortTable';
import { toast } from '@/ui/toast';
import { COINS, type HotWallet, resumeHotWallet } from './withdrawals';

/** A wallet with nothing wrong, as most are: its place is kept with all its lines, which on a phone stand below each other. */
const USUAL: HotWallet = {
  address: `0x${'0'.repeat(40)}`,
  alerts: [],
  coins: COINS.map((coin) => ({ coin, balance: '0', waiting: '0', waitingCount: 0, underWay: '0' })),
  foreign: [],
  halted: false,
  version: 0,
};

/** The wallet that pays: what it holds, what waits for it, what is wrong. */
export function HotWalletCard({ wallet }: { wallet: HotWallet | undefined }) {
  if (wallet) return <Shown wallet={wallet} />;
  return (
    <Skeleton radius="md" aria-hidden inert>
      <Shown wallet={USUAL} />
    </Skeleton>
  );
}

function Shown({ wallet }: { wallet: HotWallet }) {
  const { t } = useTranslation('withdrawals');
  const [asking, setAsking] = useState(false);
  /** What stood there when the dialog was opened. */
  const [seen, setSeen] = useState<string[]>([]);
  const me = useUser()?.username;
  const asked = wallet.resumeAskedBy;
  const resume = async ({ reason }: { reason: string }) => {
    const after = await resumeHotWallet({ reason, seen });
    if (after.halted) toast.info(t(($) => $.hot.resumeHalf));
    else toast.success(t(($) => $.hot.resumed));
  };
  const ask = () => {
    setSeen(wallet.foreign.map(({ transaction }) => transaction));
    setAsking(true);
  };
  return (
    <Card component="section" aria-labelledby="hot-wallet">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={2} fz={17} id="hot-wallet">
            {t(($) => $.hot.title)}
          </Title>
          {wallet.address && <Brief text={wallet.address} label={t(($) => $.list.copyAddress)} />}
        </Group>
        <Alerts wallet={wallet} />
        {wallet.coins.length > 0 && <Coins wallet={wallet} />}
        {wallet.halted && (
          <Stack gap="xs">
            {wallet.foreign.map((one) => (
              <Group key={one.transaction} gap="sm">
                <Text fz="sm">{t(($) => $.hot.strange, { nonce: one.nonce, block: one.block })}</Text>
                <Brief text={one.transaction} label={t(($) => $.list.copyHash)} />
                <Brief text={one.to} label={t(($) => $.list.copyAddress)} />
              </Group>
            ))}
            {asked && (
              <Text fz="sm" role="status">
                {t(($) => $.hot.resumeAsked, { username: asked })}
              </Text>
            )}
            {asked && asked === me ? (
              <div>
                <TakeBack kind="hot_wallet" />
              </div>
            ) : (
              <Button variant="default" w="fit-content" onClick={ask}>
                {t(($) => $.hot.resume)}
              </Button>
            )}
          </Stack>
        )}
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.hot.resumeTitle)}
        consequence={t(($) => $.hot.resumeHint)}
        {...(!asked && { reason: { label: t(($) => $.decide.reason), required: true } })}
        confirmLabel={t(($) => $.hot.resume)}
        danger
        onConfirm={resume}
      />
    </Card>
  );
}

/** Stops, which nothing passes; and notes. */
const GRAVE: readonly HotWallet['alerts'][number]['kind'][] = [
  'no_key',
  'absent',
  'low',
  'gas',
  'foreign',
  'refused',
  'unreachable',
  'books',
];

function Alerts({ wallet }: { wallet: HotWallet }) {
  const { t } = useTranslation('withdrawals');
  const format = useFormat();
  if (wallet.alerts.length === 0)
    return (
      <Text fz="sm" c="dimmed">
        {t(($) => $.hot.fine)}
      </Text>
    );
  return (
    <>
      {wallet.alerts.map(({ kind, coin, amount }) => (
        <Alert
          key={`${kind}-${coin ?? ''}`}
          color={GRAVE.includes(kind) ? 'red' : 'gold'}
          variant="light"
          role="alert"
          data-alert={kind}
        >
          {t(($) => $.hot.alert[kind], {
            coin: coin?.toUpperCase() ?? '',
            amount: amount ? format.decimal(fromWei(amount), coin === 'bnb' ? 8 : 2) : '',
          })}
        </Alert>
      ))}
    </>
  );
}

function Coins({ wallet }: { wallet: HotWallet }) {
  const { t } = useTranslation('withdrawals');
  const format = useFormat();
  type Coin = HotWallet['coins'][number];
  const money = ({ coin }: Coin, wei: string) => (
    <Money value={fromWei(wei)} currency={currencyOf(coin)} digits={coin === 'bnb' ? 8 : 2} unit={false} />
  );
  return (
    <ShortTable<Coin>
      label={t(($) => $.hot.title)}
      rows={wallet.coins}
      rowKey={({ coin }) => coin}
      columns={[
        { key: 'coin', label: t(($) => $.list.coin), render: ({ coin }) => coin.toUpperCase() },
        {
          key: 'balance',
          label: t(($) => $.hot.balance),
          figure: true,
          render: (one) => money(one, one.balance),
        },
        {
          key: 'waiting',
          label: t(($) => $.hot.waiting),
          figure: true,
          render: (one) => (
            <>
              <span>{money(one, one.waiting)}</span>
              {one.waitingCount > 0 && (
                <Text span fz="xs" c="dimmed">
                  {` (${format.count(one.waitingCount)})`}
                </Text>
              )}
            </>
          ),
        },
        {
          key: 'underWay',
          label: t(($) => $.hot.underWay),
          figure: true,
          render: (one) => money(one, one.underWay),
        },
      ]}
    />
  );
}
