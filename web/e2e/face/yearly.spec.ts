/** A year of one's money, as a tax return asks for it: a tab of the statement. */

import { expectAccessible, picture } from '../kit';
import { AT_WORK } from './fixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const month = (n: number, more: object = {}) => ({
  month: `2026-${String(n).padStart(2, '0')}-01`,
  paidIn: '0.000000',
  paidOut: '0.000000',
  pools: '0.000000',
  bonus: '0.000000',
  rankBonus: '0.000000',
  ...more,
});
const YEAR = {
  year: 2026,
  running: true,
  lastDay: '2026-11-20',
  years: [2026, 2025],
  opening: '1000.000000',
  closing: '3345.600000',
  accounts: [
    { account: 'available', before: '1000.000000', after: '2400.000000' },
    { account: 'allocated', before: '0.000000', after: '940.000000' },
    { account: 'yield', before: '0.000000', after: '5.600000' },
  ],
  goods: [
    { group: '08', code: '03', coin: 'USDT', before: '1000.000000', after: '3345.600000' },
    { group: '08', code: '99', coin: 'PYX', before: '0.000000', after: '120.500000' },
  ],
  changes: {
    paidIn: '2500.000000',
    paidOut: '70.000000',
    pools: '2.000000',
    bonus: '8.000000',
    licences: '-100.000000',
    exchange: '0.000000',
    sponsorship: '0.000000',
    loans: '0.000000',
    corrections: '0.000000',
  },
  results: [
    {
      mode: 'simulated',
      total: '5.600000',
      months: [
        { month: '2026-10-01', net: '6.600000' },
        { month: '2026-11-01', net: '-1.000000' },
      ],
    },
  ],
  months: [month(10, { paidIn: '2500.000000', pools: '2.000000' }), month(11, { bonus: '8.000000' })],
  crossings: [
    {
      month: '2026-10-01',
      crossed: 'in',
      way: 'pix',
      count: 2,
      usdt: '2500.000000',
      brl: '13750.00',
      coins: null,
    },
    { month: '2026-11-01', crossed: 'out', way: 'bnb', count: 1, usdt: '50.000000', brl: null, coins: '0.08' },
    {
      month: '2026-11-01',
      crossed: 'out',
      way: 'transfer',
      count: 1,
      usdt: '20.000000',
      brl: null,
      coins: null,
    },
  ],
  licences: [
    {
      number: 1,
      value: '100.000000',
      isHighRisk: false,
      source: 'available',
      state: 'active',
      bought: '2026-10-03',
      ended: null,
    },
  ],
  pyx: { before: '0.000000', after: '120.500000', came: '120.500000', left: '0.000000' },
  rankBonus: '0.000000',
};
const OVER = { ...YEAR, year: 2025, running: false, lastDay: '2025-12-31', closing: '1000.000000' };
const NOTHING = {
  ...YEAR,
  opening: '0.000000',
  closing: '0.000000',
  accounts: [],
  results: [],
  months: [],
  crossings: [],
  licences: [],
};

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
