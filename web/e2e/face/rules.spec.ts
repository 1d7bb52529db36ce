/** The rulebook's screen: settings, plans, feeds, history; two persons; on a phone; accessible in both skins. */

import { expectAccessible, fits, picture, wear } from '../kit';
import { ago, HOUR } from './clock';
import { ANSWERS, change, FEEDS } from './rulesFixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };

test('a money setting: before, after, effects, reason; then a second person', async ({ page }) => {
  const sent: unknown[] = [];
  await stub(page, ADMINISTRATOR, {
    ...ANSWERS,
    'POST /admin/settings': async (route: Route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ json: change({ status: 'waiting' }) });
    },
    [`POST /admin/settings/changes/${change()._id}/agree`]: change({ status: 'agreed' }),
  });
  await page.goto('/administrator/robot-config');
  await expect(page.getByRole('heading', { level: 1, name: 'Configuração' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Fontes' })).toHaveCount(0);
  await picture(page, 'rules');
  await expectAccessible(page);
  await page.getByRole('searchbox', { name: 'Buscar uma regra' }).fill('taxa de saque');
  await page.getByRole('button', { name: 'Editar Taxa de saque' }).click();
  const drawer = page.getByRole('dialog', { name: 'Taxa de saque' });
  await drawer.getByRole('textbox', { name: 'Novo valor' }).fill('3');
  await expect(drawer.getByText('Um saque de 100 paga 3,00')).toBeVisible();
  await expect(drawer.getByText('Saques em aberto que mantêm a taxa: 4.')).toBeVisible();
  await picture(page, 'rules-edit');
  await expectAccessible(page);
  await drawer.getByRole('textbox', { name: 'Motivo' }).fill('Custos do banco');
  await drawer.getByRole('button', { name: 'Pedir mudança' }).click();
  await expect(drawer).toBeHidden();
  expect(sent).toEqual([{ revision: 7, changes: { withdrawalFee: '3' }, reason: 'Custos do banco' }]);
  const waiting = page.getByRole('region', { name: 'Mudanças em espera' });
  await waiting.getByRole('button', { name: 'Concordar' }).click();
  const dialog = page.getByRole('dialog', { name: 'Concordar com a mudança?' });
  await expect(dialog.getByText('Taxa de transferência')).toBeVisible();
  await expectAccessible(page, ['dark']);
  await dialog.getByRole('button', { name: 'Concordar' }).click();
  await expect(dialog).toBeHidden();
});

test('a refusal points at its field; two at once', async ({ page }) => {
  await stub(page, ADMINISTRATOR, {
    ...ANSWERS,
    'POST /admin/settings/preview': (route: Route) =>
      route.fulfill({
        status: 422,
        json: {
          code: 'rules.out_of_range',
          message: 'Fora.',
          errors: { withdrawalFee: ['Fora dos limites permitidos.'] },
        },
      }),
    'POST /admin/settings': refuse(
      409,
      'rules.moved',
      'As regras mudaram enquanto você editava. Confira e tente de novo.',
    ),
  });
  await page.goto('/administrator/robot-config');
  await page.getByRole('button', { name: 'Editar Taxa de saque' }).click();
  const drawer = page.getByRole('dialog', { name: 'Taxa de saque' });
  await drawer.getByRole('textbox', { name: 'Novo valor' }).fill('99');
  await expect(drawer.getByText('Fora dos limites permitidos.')).toBeVisible();
  await drawer.getByRole('textbox', { name: 'Motivo' }).fill('Teste');
  await drawer.getByRole('button', { name: 'Pedir mudança' }).click();
  await expect(drawer.getByRole('alert').filter({ hasText: 'As regras mudaram' })).toBeVisible();
});

test('plans, history and feeds; on a phone; who may only look', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, {
    ...ANSWERS,
    'GET /admin/feeds': FEEDS,
  });
  await page.goto('/administrator/robot-config?tab=plans');
  await expect(page.getByRole('cell', { name: '100,00 USDT' }).first()).toBeVisible();
  await picture(page, 'rules-plans');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Novo plano' }).click();
  await expectAccessible(page, ['dark']);
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Histórico' }).click();
  await expect(page.getByText('Alto demais')).toBeVisible();
  await expectAccessible(page, ['dark']);
  await page.getByRole('tab', { name: 'Fontes' }).click();
  await expect(page.getByRole('cell', { name: 'OKX' })).toBeVisible();
  await picture(page, 'rules-feeds');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await page.goto('/administrator/robot-config');
  await expect(page.getByText('Taxa de saque').first()).toBeVisible();
  await picture(page, 'rules-phone');
  await expectAccessible(page, ['dark']);
  await fits(page);
  state.answers['GET /me'] = {
    user: {
      ...ADMINISTRATOR,
      roles: [
        {
          _id: 'r2',
          name: 'system_employee',
          permissions: ['registered-user', 'admin_dashboard'].map((subject) => ({ action: 'read', subject })),
        },
      ],
    },
  };
  await page.reload();
  await expect(page.getByText('Taxa de saque').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Concordar' })).toHaveCount(0);
});

const LIVE = {
  on: true,
  missing: [],
  switch: {
    _id: '018f0000-0000-7000-8000-00000000f0a1',
    state: 'on',
    reason: 'Capital da casa',
    askedBy: 'bia22',
    askedUser: '018f0000-0000-7000-8000-00000000f0a2',
    askedAt: '2026-11-20T12:00:00Z',
    confirmedBy: 'caio23',
    confirmedAt: '2026-11-20T12:05:00Z',
    offBy: null,
    offAt: null,
  },
  openOperations: 0,
  openSince: null,
  openCapital: '0.000000',
  stranded: false,
};
const LEFT = {
  assets: [
    { asset: 'BTC', amount: '0.00000123', operations: 41, lastAt: '2026-11-20T14:59:00Z' },
    { asset: 'ETH', amount: '12.5', operations: 3, lastAt: '2026-11-19T10:00:00Z' },
  ],
  operations: 42,
  booked: 380,
};

test('what live operations leave behind, and what waits there without keys', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, {
    ...ANSWERS,
    'GET /admin/trading/live': { ...LIVE, on: false, switch: null },
    'GET /admin/trading/live/residues': { assets: [], operations: 0, booked: 0 },
  });
  await page.goto('/administrator/robot-config');
  const panel = page.getByRole('region', { name: 'Modo das operações' });
  const left = page.getByRole('region', { name: 'Sobras na corretora' });
  await expect(left.getByText('Nenhuma operação real foi lançada ainda.')).toBeVisible();
  await expect(panel.getByRole('alert')).toHaveCount(0);

  state.answers['GET /admin/trading/live/residues'] = { assets: [], operations: 0, booked: 1 };
  await page.reload();
  await expect(left.getByText('Nada ficou para trás em 1 operação lançada.')).toBeVisible();

  state.answers['GET /admin/trading/live/residues'] = refuse(503, 'service.unavailable', 'Indisponível.');
  await page.reload();
  await expect(left.getByRole('button', { name: 'Tentar de novo' })).toBeVisible();
  state.answers['GET /admin/trading/live/residues'] = LEFT;
  state.answers['GET /admin/trading/live'] = {
    ...LIVE,
    on: false,
    missing: ['keys'],
    openOperations: 2,
    openSince: ago(3 * HOUR),
    openCapital: '1500.000000',
    stranded: true,
  };
  await page.reload();
  await expect(left.getByText('42 de 380 operações lançadas deixaram alguma sobra.')).toBeVisible();
  await expect(left.getByRole('row', { name: /^BTC 0,00000123 41/ })).toBeVisible();
  await expect(left.getByRole('row', { name: /^ETH 12,50? 3/ })).toBeVisible();
  const warning = panel.getByRole('alert');
  await expect(warning.getByText('Ninguém pode fechar estas operações')).toBeVisible();
  await expect(warning.getByText(/ponha de volta as chaves/)).toBeVisible();
  await expect(panel.getByRole('status')).toContainText('2 operações na corretora ainda não foram fechadas.');
  await expect(panel.getByRole('status')).toContainText('1.500,00');
  await expect(panel.getByRole('status')).toContainText('há 3 h');
  await picture(page, 'rules-live');
  await expectAccessible(page);
  await wear(page, 'light');
  await picture(page, 'rules-live-light');
  await page.setViewportSize(PHONE);
  await expect(left.getByRole('list')).toContainText('0,00000123');
  await fits(page);
  await picture(page, 'rules-live-phone');
  await expectAccessible(page, ['dark']);

  // The keys are back, and what was open is booked: the panel follows the facts.
  state.answers['GET /admin/trading/live'] = LIVE;
  state.answers['GET /admin/trading/live/residues'] = { ...LEFT, booked: 382 };
  await state.fact('queue:settings', 1, { kind: 'live_operations.changed' });
  await expect(warning).toHaveCount(0);
  await expect(left.getByText('42 de 382 operações lançadas deixaram alguma sobra.')).toBeVisible();
  await expect(panel.getByRole('status')).toHaveCount(0);
});
