/** My results and the analytics: with data, empty, failing, on a phone, accessible in both skins. */

import { expectAccessible, picture } from '../kit';
import { NOTHING, PAID_BY } from './analyticsFixtures';
import { JUST_NOW } from './clock';
import { AT_WORK, FRESH } from './fixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, type Page, test } from './window';

const PHONE = { width: 390, height: 844 };

/** The drawing library is there and has drawn. */
const drawn = (page: Page, count = 1) => expect(page.locator('.recharts-surface')).toHaveCount(count);

test('my results: what I own, what it was, what needs me', async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/');
  await expect(page.getByText('Gold trader')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Evolução patrimonial' })).toBeVisible();
  await drawn(page);
  await expect(page.getByRole('heading', { name: 'Próximo limite' })).toBeVisible();
  await expect(page.getByText('02/12/2026')).toBeVisible();
  await expect(page.getByText('Bônus do mês')).toBeVisible();
  await picture(page, 'dashboard');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Ver como tabela' }).click();
  const table = page.getByRole('table', { name: 'Evolução patrimonial em USDT' });
  await expect(table.getByRole('row')).toHaveCount(31);
  await expect(table.getByText('47.000,0000').first()).toBeVisible();
  await expectAccessible(page, ['dark']);
  await page.setViewportSize(PHONE);
  await page.getByRole('button', { name: 'Ver como gráfico' }).click();
  await picture(page, 'dashboard-phone');
  await expectAccessible(page, ['dark']);
});

test('where it came from follows results, one question for many of them', async ({ page }) => {
  const call = 'GET /dashboard/paid-by';
  const state = await stub(page, CUSTOMER, AT_WORK);
  const stream = `user:${CUSTOMER._id}`;
  const asked = () => state.calls.filter((one) => one === call).length;
  await page.goto('/');
  const line = page.getByRole('region', { name: 'De onde veio o que você recebeu' });
  await expect(line).toContainText('25,00% de operações (250,0000 USDT)');
  await page.waitForLoadState('networkidle');
  expect(asked()).toBe(1);
  state.answers[call] = { ...PAID_BY, trading: '300.000000', tradingShare: '28.57', salesShare: '71.43' };
  for (let seq = 1; seq <= 5; seq++)
    await state.fact(stream, seq, {
      kind: 'robots.settled',
      batch: `b${seq}`,
      mode: 'simulated',
      at: JUST_NOW,
      robots: [],
    });
  await page.clock.runFor(20_000);
  await expect(line).toContainText('28,57% de operações (300,0000 USDT) e 71,43%');
  expect(asked()).toBe(2);
});

test('for who asks for less motion nothing goes on moving', async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/');
  await drawn(page);
  await expect
    .poll(() =>
      page.evaluate(() =>
        document
          .getAnimations()
          .filter(({ playState }) => playState === 'running')
          .map(({ effect }) => effect instanceof KeyframeEffect && effect.target?.className),
      ),
    )
    .toEqual([]);
});

test('somebody who has just come begins in four steps', async ({ page }) => {
  await stub(page, CUSTOMER, FRESH);
  await page.goto('/');
  const steps = page.getByRole('region', { name: 'Comece em 4 passos' });
  await expect(steps.getByRole('listitem')).toHaveCount(4);
  await expect(steps.getByRole('link', { name: 'Ativar' })).toBeVisible();
  await expect(steps.getByText('(feito)')).toHaveCount(1);
  await picture(page, 'dashboard-fresh');
  await expectAccessible(page);
});

test('analytics: where results come from', async ({ page }) => {
  const { calls } = await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/dashboard-analytics');
  await drawn(page, 4);
  await expect(page.getByRole('cell', { name: 'USDT → BTC (Aurora) → USDT (Boreal)' })).toBeVisible();
  await expect(page.getByText('Mais 7 rotas')).toBeVisible();
  await picture(page, 'analytics');
  await expectAccessible(page);
  await page.getByText('90 dias').click();
  await expect(page).toHaveURL(/period=90d/);
  await expect.poll(() => calls.includes('GET /dashboard/analytics/90d')).toBe(true);
  await page.setViewportSize(PHONE);
  await picture(page, 'analytics-phone');
  await expectAccessible(page, ['dark']);
});

test('analytics without operations, and failing', async ({ page }) => {
  const state = await stub(page, CUSTOMER, { ...AT_WORK, 'GET /dashboard/analytics/30d': NOTHING });
  await page.goto('/dashboard-analytics');
  await expect(page.getByText('Sem operações no período.')).toBeVisible();
  await expectAccessible(page, ['dark']);
  state.answers['GET /dashboard/analytics/30d'] = refuse(
    422,
    'request.invalid',
    'Confira os dados informados.',
  );
  await page.reload();
  await expect(page.getByText('Não foi possível carregar as análises.')).toBeVisible();
});
