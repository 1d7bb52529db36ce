/** All members' robots as staff see them: whose each is, how it stands, what it brings in one mode; filters, order, file; without a server. */

import { expectAccessible, fits, picture, wear } from '../kit';
import { ANSWERS, listed, ROBOTS, robot } from './memberRobotsFixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, type Page, test } from './window';

const PHONE = { width: 390, height: 844 };
const LIST = 'GET /admin/robots';
const PATH = '/administrator/robots';
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');

/** What the list was asked last. */
function asked(page: Page) {
  let last = new URLSearchParams();
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/admin/robots') last = searchParams;
  });
  return (name: string) => last.get(name);
}

test('whose each is, how it stands and what it brings; empty, failing, on a phone', async ({ page }) => {
  test.slow();
  const state = await stub(page, ADMINISTRATOR, ANSWERS);
  await page.goto(PATH);
  await expect(page.getByRole('heading', { level: 1, name: 'Robôs dos membros' })).toBeVisible();
  const rows = page.getByRole('table', { name: 'Robôs dos membros' });
  const first = rows.getByRole('row', { name: /Robô 1/ });
  await expect(first).toContainText('@anaprado21');
  await expect(first).toContainText('Operando');
  await expect(first).toContainText('SIMULADO');
  await expect(first).toContainText('1.200,0000');
  await expect(first.getByRole('link', { name: 'Ana Prado' })).toHaveAttribute(
    'href',
    '/administrator/users/view/u-ana',
  );
  await expect(rows.getByRole('row', { name: /Robô 2/ })).toContainText('Alto risco');
  const sums = page.getByRole('region', { name: 'Somas dos robôs encontrados' });
  await expect(sums).toContainText('de 2 pessoas');
  await expect(sums).toContainText('3.600,00');
  // A result says of which mode it is, in a sum too.
  const today = sums.getByTestId('stat-tile').filter({ hasText: 'Resultado de hoje' });
  await expect(today).toContainText('SIMULADO');
  await page.waitForLoadState('networkidle');
  await picture(page, 'member-robots-dark');
  await expectAccessible(page);
  await wear(page, 'light');
  await picture(page, 'member-robots-light');
  await wear(page, 'dark');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'member-robots-phone');
  await expectAccessible(page, ['dark']);
  await page.setViewportSize({ width: 1280, height: 800 });
  state.answers[LIST] = listed([], {
    sums: { owners: 0, working: 0, allocated: '0.000000', today: '0.000000' },
  });
  await page.reload();
  await expect(page.getByText('Nenhum robô encontrado.')).toBeVisible();
  state.answers[LIST] = DOWN;
  await page.reload();
  await expect(page.getByText('Não foi possível carregar os robôs dos membros.')).toBeVisible();
  // What could not be loaded is no zero.
  await expect(sums.getByTestId('stat-tile').first()).toContainText('–');
});

test('narrowed, put in order and turned over: the address holds it', async ({ page }) => {
  await stub(page, ADMINISTRATOR, {
    [LIST]: listed(ROBOTS, { meta: { page: 1, limit: 10, total: 23, lastPage: 3 } }),
  });
  const last = asked(page);
  await page.goto(`${PATH}?status=working`);
  await expect.poll(() => last('status')).toBe('working');
  expect([last('page'), last('limit'), last('sortby'), last('sortdirection')]).toEqual([
    '1',
    '10',
    'created_at',
    'desc',
  ]);
  await page.getByRole('searchbox').fill('bia');
  await expect.poll(() => last('search')).toBe('bia');
  const pick = async (field: string, option: string) => {
    await page.getByRole('combobox', { name: field }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await pick('Produto', 'Alto risco');
  await expect.poll(() => last('kind')).toBe('high_risk');
  await pick('Modo', 'REAL');
  await expect.poll(() => last('mode')).toBe('live');
  await expect(page).toHaveURL(/mode=live/);
  const rows = page.getByRole('table', { name: 'Robôs dos membros' });
  await rows.getByRole('button', { name: /Resultado de hoje/ }).click();
  await expect.poll(() => last('sortby')).toBe('today');
  await page.reload();
  await expect
    .poll(() => [last('status'), last('kind'), last('mode'), last('sortby')])
    .toEqual(['working', 'high_risk', 'live', 'today']);
});

test('of another mode it says so in each row and in the sum', async ({ page }) => {
  await stub(page, ADMINISTRATOR, {
    [LIST]: listed([robot(1, 'operating', { mode: 'live', today: '70.000000' })], { mode: 'live' }),
  });
  await page.goto(`${PATH}?mode=live&sortby=today`);
  const row = page.getByRole('table', { name: 'Robôs dos membros' }).getByRole('row', { name: /Robô 1/ });
  await expect(row).toContainText('REAL');
  await expect(row).not.toContainText('SIMULADO');
  const sums = page.getByRole('region', { name: 'Somas dos robôs encontrados' });
  await expect(sums.getByTestId('stat-tile').filter({ hasText: 'Resultado de hoje' })).toContainText('REAL');
});
