import { Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowDownLeft, IconArrowsExchange, IconArrowUpRight, IconWallet } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { brief, currencyOf, fromWei } from '@/live/chain/deposits';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { CopyText } from '@/ui/CopyText';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { Facts } from './Facts';
import { digitsOf, KINDS, type Move, STATUSES, type Wallet } from './wallet';

/** How the badges call it: queued and sent are on their way. */
const badgeOf = ({ status }: Move) =>
  status === 'mined' ? 'done' : status === 'queued' ? 'pending' : status;

/** What moved on the wallet, orders under way first. */
export function History({ wallet }: { wallet: Wallet }) {
  const { t } = useTranslation('web3');
  const [opened, setOpened] = useState<Move | null>(null);
  const list = useList('/web3/historic_wallet/{param}', {
    path: { param: wallet.address },
    filters: ['search', 'kind', 'status', 'coin', 'startDate', 'endDate'],
    prefix: 'w_',
    file: true,
  });
  const Icon = { send: IconArrowUpRight, swap: IconArrowsExchange, receive: IconArrowDownLeft };
  const columns: Column<Move>[] = [
    {
      key: 'date',
      label: t(($) => $.list.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'kind',
      label: t(($) => $.list.kind),
      fixed: true,
      render: (row) => {
        const Way = Icon[row.kind];
        return (
          <Group gap={6} wrap="nowrap">
            <Way size={16} aria-hidden />
            <Text span fz="sm">
              {t(($) => $.kinds[row.kind])}
            </Text>
          </Group>
        );
      },
    },
    {
      key: 'amount',
      label: t(($) => $.list.amount),
      align: 'right',
      fixed: true,
      render: (row) => <Amount move={row} />,
    },
    {
      key: 'received',
      label: t(($) => $.list.received),
      align: 'right',
      render: (row) => <Received move={row} />,
    },
    {
      key: 'counterparty',
      label: t(($) => $.list.counterparty),
      render: (row) =>
        row.counterparty ? <Short text={row.counterparty} label={t(($) => $.list.copyAddress)} /> : '–',
    },
    {
      key: 'hash',
      label: t(($) => $.list.hash),
      render: (row) =>
        row.transaction ? <Short text={row.transaction} label={t(($) => $.list.copyHash)} /> : '–',
    },
    {
      key: 'status',
      label: t(($) => $.list.status),
      render: (row) => (
        <div>
          <StatusBadge status={badgeOf(row)} />
          {row.reason && (
            <Text fz="xs" c="dimmed" maw={220}>
              {t(($) => $.reasons[row.reason ?? 'reverted'])}
            </Text>
          )}
        </div>
      ),
    },
  ];
  return (
    <Stack gap="sm" component="section" aria-labelledby="wallet-history">
      <Title order={2} fz={17} id="wallet-history">
        {t(($) => $.list.label)}
      </Title>
      <List
        list={list}
        name="carteira"
        label={t(($) => $.list.label)}
        what={t(($) => $.what.history)}
        columns={columns}
        onOpen={setOpened}
        fields={[
          { kind: 'search', name: 'search', label: t(($) => $.list.search) },
          {
            kind: 'select',
            name: 'kind',
            label: t(($) => $.list.kind),
            options: KINDS.map((value) => ({ value, label: t(($) => $.kinds[value]) })),
          },
          {
            kind: 'select',
            name: 'status',
            label: t(($) => $.list.status),
            options: STATUSES.map((value) => ({ value, label: t(($) => $.statuses[value]) })),
          },
          {
            kind: 'select',
            name: 'coin',
            label: t(($) => $.list.coin),
            options: wallet.coins.map((value) => ({ value, label: currencyOf(value) })),
          },
        ]}
        empty={
          <EmptyState
            icon={<IconWallet size={26} stroke={1.5} />}
            title={t(($) => $.list.empty)}
            hint={t(($) => $.list.emptyHint)}
          />
        }
      />
      <Details
        move={opened && (list.rows?.find(({ _id }) => _id === opened._id) ?? opened)}
        onClose={() => setOpened(null)}
      />
    </Stack>
  );
}

function Short({ text, label }: { text: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Text span fz="xs" ff="monospace" title={text}>
        {brief(text)}
      </Text>
      <CopyText value={text} label={label} />
    </Group>
  );
}

function Amount({ move }: { move: Move }) {
  const value = fromWei(move.wei);
  // What failed has moved nothing.
  if (move.status === 'failed')
    return <Money value={value} currency={currencyOf(move.coin)} digits={digitsOf(move.coin)} />;
  return (
    <Money
      value={move.kind === 'receive' ? value : `-${value}`}
      currency={currencyOf(move.coin)}
      digits={digitsOf(move.coin)}
      sign
    />
  );
}

/** What a swap brought, or at least will bring. */
function Received({ move }: { move: Move }) {
  if (!move.coinOut || move.status === 'failed') return '–';
  const known = move.received ?? move.minimum ?? '0';
  return (
    <>
      {!move.received && '≥ '}
      <Money value={fromWei(known)} currency={currencyOf(move.coinOut)} digits={digitsOf(move.coinOut)} />
    </>
  );
}

function Details({ move, onClose }: { move: Move | null; onClose: () => void }) {
  const { t } = useTranslation('web3');
  const { t: common } = useTranslation();
  return (
    <Drawer
      opened={move !== null}
      onClose={onClose}
      position="right"
      size="min(520px, 100%)"
      title={
        <Title order={2} fz={18}>
          {move ? t(($) => $.kinds[move.kind]) : ''}
        </Title>
      }
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {move && (
        <Stack gap="md">
          <Facts lines={linesOf(move)} />
          {move.reason && (
            <Text fz="sm" c="dimmed">
              {t(($) => $.reasons[move.reason ?? 'reverted'])}
            </Text>
          )}
        </Stack>
      )}
    </Drawer>
  );

  function linesOf(row: Move) {
    const lines: [string, React.ReactNode][] = [
      [t(($) => $.list.status), <StatusBadge key="s" status={badgeOf(row)} />],
      [t(($) => $.list.amount), <Amount key="a" move={row} />],
    ];
    if (row.coinOut) lines.push([t(($) => $.list.received), <Received key="r" move={row} />]);
    if (row.counterparty)
      lines.push([
        t(($) => $.list.counterparty),
        <Short key="c" text={row.counterparty} label={t(($) => $.list.copyAddress)} />,
      ]);
    if (row.gas)
      lines.push([
        t(($) => $.fee.paid),
        <Money key="g" value={fromWei(row.gas)} currency="BNB" digits={8} />,
      ]);
    if (row.transaction)
      lines.push([
        t(($) => $.list.hash),
        <Short key="h" text={row.transaction} label={t(($) => $.list.copyHash)} />,
      ]);
    if (row.block) lines.push([t(($) => $.list.block), String(row.block)]);
    lines.push([t(($) => $.list.date), <When key="w" at={row.created_at} />]);
    return lines;
  }
}
