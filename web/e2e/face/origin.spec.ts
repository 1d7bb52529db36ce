/** "De onde vem este valor?": from an amount to its movements, to one of them, to the operations behind it. */

import { expectAccessible, picture } from '../kit';
import { flows } from './analyticsFixtures';
import { AT_WORK, ORDERS } from './fixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, test } from './window';

const T = '01990000-0000-7000-8000-000000000001';
const ROW = {
  _id: `${T}:1`,
  transfer: T,
  at: '2026-11-20T14:32:00Z',
  kind: 'settlement',
  account: 'yield',
  licence: 1,
  credit: '0.412300',
  debit: null,
  balance: '333.651628',
  cause: T,
  mode: 'simulated',
  reversal: false,
};
const LIST = {
  data: [ROW],
  meta: { page: 1, limit: 10, total: 1, pages: 1 },
  currency: 'USDT',
  startDate: '2026-10-22',
  endDate: '2026-11-20',
  opening: '0.000000',
  closing: '333.651628',
  flows: flows({ results: '333.651628' }),
  credits: '333.651628',
  debits: '0.000000',
};
const ORIGIN = {
  transfer: T,
  at: ROW.at,
  kind: 'settlement',
  mode: 'simulated',
  reverses: null,
  reversedBy: null,
  event: { kind: 'robot_results', amount: '0.311100', moved: null, pyx: null, licence: 1 },
  postings: [
    { account: 'yield', licence: 1, currency: 'USDT', amount: '0.412300', balance: '333.651628' },
    { account: 'allocated', licence: 1, currency: 'USDT', amount: '-0.101200', balance: '4200.898800' },
  ],
  fact: { type: 'operations', operations: ORDERS.slice(0, 2), total: 2 },
};

test('from a tile to the legs, and back', async ({ page }) => {
  await stub(page, CUSTOMER, { ...AT_WORK, 'GET /statement': LIST, [`GET /statement/${T}`]: ORIGIN });
  await page.goto('/');
  const bonus = page.locator('main .mantine-Card-root', { hasText: 'Bônus do mês' });
  await bonus.locator('button[aria-description="De onde vem este valor?"]').click();
  const drawer = page.getByRole('dialog', { name: 'De onde vem este valor?' });
  await expectAccessible(page);
  await drawer.getByRole('button', { name: /Resultado da operação/ }).click();
  await expect(drawer.getByText('2 operações, liquidadas de uma vez')).toBeVisible();
  await expect(drawer.getByText('Compra 0,00123 BTC/USDT @ 97.213,41 (Aurora)').first()).toBeVisible();
  await expect(drawer.getByText('SIMULADO').first()).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'origin');
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page, ['dark']);
  await picture(page, 'origin-phone');
  await drawer.getByRole('button', { name: 'Voltar aos movimentos' }).click();
  await drawer.getByRole('link', { name: 'Ver todos no extrato' }).click();
  await expect(page).toHaveURL('/customer/extrato?account=bonus');
  await expect(drawer).toBeHidden();
});

test('nothing moved yet; and what cannot be loaded can be asked for again', async ({ page }) => {
  const state = await stub(page, CUSTOMER, { ...AT_WORK, 'GET /statement': { ...LIST, data: [] } });
  await page.goto('/');
  const amount = page.getByRole('button', { name: '54,50 USDT' });
  await amount.click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('Ainda não há movimentos nesta conta.')).toBeVisible();
  await page.keyboard.press('Escape');
  // Also of the first one, whose program comes with the press.
  await expect(amount).toBeFocused();
  state.answers['GET /statement'] = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
  await page.locator('main button[aria-description="De onde vem este valor?"]').first().click();
  const again = drawer.getByRole('button', { name: 'Tentar de novo' });
  await expect(again).toBeVisible();
  await state.fromClick('GET /statement', LIST);
  await again.click();
  await expect(drawer.getByRole('button', { name: /Resultado da operação/ })).toBeVisible();
});

test('where it does not come the screen stays, and it is asked for again', async ({ page }) => {
  await stub(page, CUSTOMER, { ...AT_WORK, 'GET /statement': LIST });
  const missing = /\/assets\/OriginDrawer-/;
  await page.route(missing, (route) => route.abort());
  await page.goto('/');
  await page.getByRole('button', { name: '54,50 USDT' }).click();
  const dialog = page.getByRole('dialog', { name: 'De onde vem este valor?' });
  await expect(dialog.getByRole('alert')).toContainText('Não foi possível carregar a origem deste valor.');
  await expectAccessible(page);
  await expect(page.getByRole('heading', { level: 1, name: 'Olá, Marina', includeHidden: true })).toHaveCount(
    1,
  );
  await page.unroute(missing);
  await dialog.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(dialog.getByRole('button', { name: /Resultado da operação/ })).toBeVisible();
});
