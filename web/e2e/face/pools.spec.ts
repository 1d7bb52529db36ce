/** Pools: the tab on /licences, joining step by step, and the staff's page with its revenue queue. */

import { expectAccessible, fits, picture } from '../kit';
import { AT_WORK, page as list } from './fixtures';
import { POOLS, REVENUE, STAFF } from './poolsFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub } from './stub';
import { expect, test } from './window';

const PHONE = { width: 390, height: 844 };
const T = '01990000-0000-7000-8000-00000000000b';
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
const ENTRY = {
  _id: '0190b000-0000-7000-8000-0000000000e1',
  pool: POOLS[0]?._id,
  poolName: 'Liquidez 90',
  value: '400.000000',
  taken: '0.000000',
  state: 'active',
  termDays: 90,
  firstDay: '2026-11-02',
  lastDay: '2027-01-30',
  endsAt: '2027-01-31T03:00:00Z',
  endedAt: null,
  received: '6.120000',
  created_at: '2026-11-01T12:00:00Z',
  version: 3,
};
const ANSWERS = { ...AT_WORK, 'GET /pools': POOLS, 'GET /pools/mine': list([ENTRY]) };

for (const [name, path, user, answers] of [
  ['pools', '/licences?tab=pools', CUSTOMER, ANSWERS],
  ['pools-admin', '/administrator/pools', ADMINISTRATOR, STAFF],
] as const)
  test(`screen: ${name}`, async ({ page }) => {
    const state = await stub(page, user, answers);
    await page.goto(path);
    await expect(page.getByRole('article', { name: 'Liquidez 90' })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await picture(page, `${name}-dark`);
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await fits(page);
    await picture(page, `${name}-phone`);
    await expectAccessible(page, ['dark']);
    for (const call of Object.keys(answers)) if (call.includes('pools')) state.answers[call] = DOWN;
    await page.reload();
    await expect(page.getByRole('button', { name: 'Tentar de novo' }).first()).toBeVisible();
    for (const call of Object.keys(answers))
      if (call.includes('pools')) state.answers[call] = call.endsWith('pools') ? [] : list([]);
    await page.reload();
    await expect(
      page.getByText(name === 'pools' ? 'Nenhum pool aberto.' : 'Nenhuma receita registrada.'),
    ).toBeVisible();
  });

test('what a reversed deposit took of an entry is shown with it', async ({ page }) => {
  const cut = { ...ENTRY, value: '150.000000', taken: '250.000000' };
  await stub(page, CUSTOMER, { ...ANSWERS, 'GET /pools/mine': list([cut]) });
  await page.goto('/licences?tab=pools');
  await expect(page.getByRole('row', { name: /Liquidez 90/ })).toContainText(
    'Retomado por estorno de depósito: 250,0000',
  );
  await expectAccessible(page, ['dark']);
});

test('joining, step by step, to the receipt', async ({ page }) => {
  await stub(page, CUSTOMER, {
    ...ANSWERS,
    [`GET /trader/get-deposit-intent/liquidity_for_pools/150/${POOLS[1]?._id}`]: {
      kind: 'liquidity_for_pools',
      planId: POOLS[1]?._id,
      isHighRisk: false,
      value: '150.000000',
      fee: '1.000000',
      feePercent: '4.00',
      total: '157.000000',
      minutes: 60,
      open: null,
    },
    'POST /pools/join': { ...ENTRY, transfers: [T] },
    [`GET /statement/${T}`]: {
      transfer: T,
      at: '2026-11-20T14:32:00Z',
      kind: 'pool_entry',
      mode: null,
      reverses: null,
      reversedBy: null,
      event: { kind: 'pool_entry', amount: '0.000000', moved: '150.000000', pyx: null, licence: null },
      postings: [
        { account: 'available', licence: null, currency: 'USDT', amount: '-150.000000', balance: '1.000000' },
        {
          account: 'pool_principal',
          licence: null,
          currency: 'USDT',
          amount: '150.000000',
          balance: '150.000000',
        },
      ],
      fact: { type: 'pool', pool: 'Liquidez 180', value: '150.000000', lastDay: '2027-05-19' },
    },
  });
  await page.goto('/licences?tab=pools');
  await page.getByRole('article', { name: 'Liquidez 180' }).getByRole('button', { name: 'Entrar' }).click();
  const dialog = page.getByRole('dialog');
  const next = dialog.getByRole('button', { name: 'Continuar' });
  await dialog.getByRole('textbox', { name: 'Valor' }).fill('99');
  await expect(next).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByRole('textbox', { name: 'Valor' }).fill('150');
  await expectAccessible(page);
  await next.click();
  await next.click();
  await expect(dialog.getByText('180 dias', { exact: false }).first()).toBeVisible();
  await dialog.getByLabel('Li e aceito os riscos.').check();
  await picture(page, 'pool-risks');
  await next.click();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Entrar no pool' }).click();
  await expect(dialog.getByText('Entrada feita.')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'pool-receipt');
});

test('staff record revenue and another person decides', async ({ page }) => {
  const { calls } = await stub(page, ADMINISTRATOR, {
    ...STAFF,
    [`POST /admin/pools/${POOLS[0]?._id}/revenue`]: REVENUE,
    'PATCH /admin/pools/revenue-approve-reject': { ...REVENUE, status: 'booked', approvals: 2 },
  });
  await page.goto('/administrator/pools');
  await page
    .getByRole('article', { name: 'Liquidez 90' })
    .getByRole('button', { name: 'Registrar receita' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Valor' }).fill('42,10');
  await dialog.getByRole('textbox', { name: 'Descrição' }).fill('Taxas da semana');
  await dialog.getByText('Transação na rede').click();
  await dialog.getByRole('textbox', { name: 'Hash da transação' }).fill(`0x${'ab'.repeat(32)}`);
  await expectAccessible(page);
  await picture(page, 'pool-revenue-form');
  await dialog.getByRole('button', { name: 'Registrar receita' }).click();
  await expect(page.getByText('aguarda a segunda aprovação', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Decidir' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Receita de Liquidez 90' });
  await expect(drawer.getByText('1 de 2 aprovações')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'pool-revenue-decision');
  await drawer.getByRole('button', { name: 'Aprovar' }).click();
  await page
    .getByRole('dialog', { name: 'Aprovar', exact: true })
    .getByRole('button', { name: 'Aprovar' })
    .click();
  await expect(page.getByTestId('toast').getByText('Decisão registrada.')).toBeVisible();
  expect(calls).toContain('PATCH /admin/pools/revenue-approve-reject');
});
