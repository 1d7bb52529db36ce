// @vitest-environment jsdom
/** How much is to be sent, and what it costs: the server's figures, with all their decimals. */
import { QueryClientProvider } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { queryClient } from '@/api/queryClient';
import { i18n } from '@/i18n';
import type { Deposit } from '@/live/chain/deposits';
import { show } from '@/testing/render';
import { PayDeposit } from './PayDeposit';

const wei = (micro: number) => `${micro}${'0'.repeat(12)}`;
const TUNED = { fee: '2.500000', feePercent: '1.5125' };

async function pay(change: Partial<Deposit>) {
  const deposit = {
    _id: 'd',
    product: 'plain',
    coin: 'usdt',
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    value: '100.000000',
    due: null,
    received: '0',
    seen: '0',
    status: 'waiting_for_buyer_funds',
    expiresAt: '2026-11-20T12:00:00Z',
    created_at: '2026-11-20T11:00:00Z',
    confirmations: 0,
    confirmationsNeeded: 15,
    price: { ...TUNED, total: '104.012500', costs: '4.012500' },
    ...change,
  } as Deposit;
  await show(
    <QueryClientProvider client={queryClient}>
      <PayDeposit deposit={deposit} />
    </QueryClientProvider>,
  );
  await i18n.loadNamespaces('wallet');
}

test('a plain sum costs what the settings of now say', async () => {
  await pay({});
  expect(
    await screen.findByText(
      'Para creditar 100 USDT, envie 104,0125 USDT pela BSC (100 + 4,0125 de taxa). Outro valor também é creditado, menos 2,5 USDT e 1,5125%.',
    ),
  ).toBeVisible();
  expect(screen.getByText('104,0125 USDT')).toBeVisible();
});

test('an intent costs what was agreed', async () => {
  await pay({
    product: 'license',
    due: wei(105_000_000),
    price: { ...TUNED, total: '105.000000', costs: '5.000000' },
  });
  expect(await screen.findByText('Envie exatamente 105,00 USDT (100 + 5,00 de taxa) pela BSC')).toBeVisible();
});

test('what is still missing is never cut off', async () => {
  await pay({
    product: 'license',
    status: 'pending',
    due: wei(105_378_412),
    received: wei(60_000_000),
    price: { ...TUNED, total: '105.378412', costs: '5.378412' },
  });
  expect(await screen.findByText(/Faltam 45,378412/)).toBeVisible();
  expect(screen.getByText('45,378412 USDT')).toBeVisible();
});

test('what was asked for with no value says what is taken off', async () => {
  await pay({ value: null, price: { ...TUNED, total: null, costs: null } });
  expect(
    await screen.findByText('Envie USDT pela BSC. O que chegar é creditado, menos 2,5 USDT e 1,5125%.'),
  ).toBeVisible();
});

test('too little in time: the fee that was taken', async () => {
  await pay({
    status: 'complete',
    outcome: 'underpaid',
    due: wei(105_000_000),
    received: wei(60_000_000),
    credited: '56.645117',
    fee: '3.354883',
    price: null,
  });
  expect(
    await screen.findByText(
      'Recebemos 60 de 105 USDT. 56,64 USDT creditados no saldo, descontada a taxa de 3,354883 USDT.',
    ),
  ).toBeVisible();
});
