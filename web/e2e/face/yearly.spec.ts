/** A year of one's money, as a tax return asks for it: a tab of the statement. */

import { expectAccessible, picture } from '../kit';
import { AT_WORK } from './fixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, type Route, test } from './window';
import { NOTHING, OVER, YEAR } from './yearlyFixtures';

const PHONE = { width: 390, height: 844 };

test('the year: where it stands, what led there, each mode by its name', async ({ page }) => {
  await stub(page, CUSTOMER, {
    ...AT_WORK,
    'GET /yearly-statement': (route: Route) =>
      route.fulfill({ json: route.request().url().includes('year=2025') ? OVER : YEAR }),
  });
  await page.goto('/customer/extrato');
  await page.getByRole('tab', { name: 'Informe anual' }).click();
  await expect(page).toHaveURL('/customer/extrato?view=year');
  await expect(page.getByText('Ano em curso: posição até 20/11/2026.')).toBeVisible();
  await expect(page.getByText(/não é orientação tributária/)).toBeVisible();
  const goods = page.getByRole('region', { name: 'Bens e Direitos' });
  await expect(goods.getByRole('row', { name: /Grupo 08, código 03: USDT/ })).toContainText('3.345,60');
  const paid = page.getByRole('region', { name: 'Entradas e saídas por mês' });
  await expect(paid.getByRole('row', { name: /10\/2026 · Entrada · PIX/ })).toContainText('13.750,00');
  const robots = page.getByRole('region', { name: /Resultado dos robôs/ });
  await expect(robots).toContainText('SIMULADO');
  await picture(page, 'yearly-dark');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await picture(page, 'yearly-phone');
  await expectAccessible(page, ['dark']);
  await page.setViewportSize({ width: 1440, height: 1000 });
  // Another year, by the keys.
  await page.getByRole('combobox', { name: 'Ano' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('option', { name: '2025' }).click();
  await expect(page).toHaveURL('/customer/extrato?view=year&year=2025');
  await expect(page.getByText(/Ano em curso/)).toHaveCount(0);
});

test('a year without anything says so, and one that is refused leaves a way out', async ({ page }) => {
  const state = await stub(page, CUSTOMER, { ...AT_WORK, 'GET /yearly-statement': NOTHING });
  await page.goto('/customer/extrato?view=year');
  await expect(page.getByText('Nada aconteceu neste ano.')).toBeVisible();
  await expectAccessible(page);
  state.answers['GET /yearly-statement'] = (route: Route) =>
    route.request().url().includes('year=1999')
      ? refuse(422, 'request.invalid', 'Verifique os dados.')(route)
      : route.fulfill({ json: YEAR });
  await page.goto('/customer/extrato?view=year&year=1999');
  await expect(page.getByRole('alert').getByText('Verifique os dados.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Ano' }).click();
  await page.getByRole('option', { name: '2026' }).click();
  await expect(page.getByRole('region', { name: 'Bens e Direitos' })).toBeVisible();
});
