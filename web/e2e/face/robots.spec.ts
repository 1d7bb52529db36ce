/** Licences, robots and the dashboard in the built face: pictures and axe in both skins, with data, without, and when calls fail. */

import { address, everywhere, expectAccessible, fits, picture } from '../kit';
import { AT_WORK, FRESH, LICENCES, licence, page as list, ORDERS } from './fixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { afterPauses, idle, walk } from './walk';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
const FAILING = {
  'GET /get-user-licenses': DOWN,
  'GET /licences/plans': DOWN,
  'GET /dashboard/my-results': DOWN,
};

const SCREENS = [
  ['dashboard', '/', /^Olá/],
  ['licences', '/licences', 'Licenças'],
  ['plans', '/licences?tab=plans', 'Licenças'],
  ['robots-on', '/robots-in-operation', 'Robôs em operação'],
  ['robots-off', '/robots-without-operation', 'Robôs sem operação'],
] as const;
const STATES = [
  ['data', AT_WORK],
  ['empty', FRESH],
  ['error', FAILING],
] as const;

for (const [state, answers] of STATES)
  test(`each screen, ${state}`, async ({ page }) => {
    test.slow();
    await stub(page, CUSTOMER, answers);
    for (const [name, path, title] of SCREENS)
      await test.step(name, async () => {
        await walk(page, path);
        await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
        await expect(page.getByText('Ao vivo').first()).toBeVisible();
        if (state === 'error')
          await afterPauses(page, page.getByRole('button', { name: 'Tentar de novo' }).first());
        await idle(page);
        await everywhere(page, `${name}-${state}`);
      });
  });

test('a desk that stands still is said where robots are', async ({ page }) => {
  const deskPause = { reason: 'Troca de corretora', reviewAt: '2026-11-25T03:00:00Z' };
  await stub(page, { ...CUSTOMER, deskPause }, AT_WORK);
  for (const path of ['/robots-in-operation', '/robots-without-operation']) {
    await page.goto(path);
    await expect(page.getByTestId('desk-notice')).toContainText('Troca de corretora');
    await expectAccessible(page);
  }
});

test('a robot at its goal, or paused, is at rest: said so, and nobody is told to allocate more', async ({
  page,
}) => {
  const state = await stub(page, CUSTOMER, {
    ...AT_WORK,
    'GET /get-user-licenses': list([licence(1, { robotStatus: 'goal_reached' })]),
  });
  await page.goto('/robots-without-operation');
  await expect(page.getByText('Volta amanhã.')).toBeVisible();
  await expect(page.getByText('Todos estão operando.')).toBeHidden();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Mudar a meta' }).click();
  await expect(page.getByRole('dialog').getByRole('tab', { name: 'Ajustes', selected: true })).toBeVisible();
  state.answers['GET /get-user-licenses'] = list([licence(1, { robotStatus: 'paused', paused: true })]);
  await page.goto('/robots-in-operation');
  await expect(page.getByText('Aloque em uma licença para começar.')).toBeHidden();
  await page.getByRole('link', { name: /robôs com capital descansam/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Robôs sem operação' })).toBeVisible();
});

test('a robot’s drawer: operations with their legs and modes, its settings', async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto(`/robots-in-operation?robot=${LICENCES[0]?._id}`);
  const drawer = page.getByRole('dialog');
  for (const mode of ['SIMULADO', 'PAPEL', 'REAL'])
    await expect(drawer.getByRole('table').getByText(mode, { exact: true }).first()).toBeVisible();
  await expect(drawer.getByText('Compra 0,00123 BTC/USDT @ 97.213,41 (Aurora)').first()).toBeVisible();
  await picture(page, 'robot-orders');
  await expectAccessible(page);
  await drawer.getByRole('tab', { name: 'Ajustes' }).click();
  await expect(drawer.getByRole('switch', { name: 'Pausar' })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await drawer.getByRole('tab', { name: 'Ordens' }).click();
  await picture(page, 'robot-orders-phone');
  await expectAccessible(page, ['dark']);
});

test('today’s line begins with the operations that were before one looked', async ({ page }) => {
  const { calls } = await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/robots-in-operation');
  const line = page
    .locator(`[data-robot="${LICENCES[0]?._id}"]`)
    .getByRole('cell')
    .nth(1)
    .locator('path')
    .last();
  await expect(line).toHaveAttribute('d', new RegExp(`^M[^L]+(L[^L]+){${ORDERS.length - 1}}$`));
  // Of the robots at work, and of no other.
  expect(new Set(calls.filter((call) => call.includes('orders-history'))).size).toBe(2);
});

test('a desk that has stopped says why', async ({ page }) => {
  const state = await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/robots-in-operation');
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  const figures = (halted: 'daily_loss' | null) => ({
    kind: 'desk.stats',
    feed: 'live: binance',
    mode: 'paper',
    running: true,
    quotesPerSecond: 120,
    opportunitiesPerMinute: 4,
    operationsPerMinute: 0,
    robots: 2,
    halted,
  });
  const say = (halted: 'daily_loss' | null) =>
    state.say({ type: 'glimpse', key: 'desk.stats', glimpse: figures(halted) });
  await say('daily_loss');
  await expect(page.getByRole('status').filter({ hasText: 'Mesa parada' })).toBeVisible();
  await picture(page, 'robots-on-halted');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'robots-on-halted-phone');
  await say(null);
  await expect(page.getByText('Mesa parada')).toBeHidden();
});

test('buying, step by step', async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/licences?tab=plans');
  await page.getByRole('article').first().getByRole('button', { name: 'Comprar licença' }).click();
  const dialog = page.getByRole('dialog');
  for (const step of [
    dialog.getByText('Escolha o plano').first(),
    dialog.getByRole('radiogroup', { name: 'Fonte' }),
  ]) {
    await expect(step).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Continuar' }).click();
  }
  await expectAccessible(page);
  await picture(page, 'buy-risks');
  await dialog.getByLabel('Li e aceito os riscos.').check();
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await expect(dialog.getByRole('button', { name: 'Pagar agora' })).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'buy-review');
});

test('the network ceiling stands on the card of a licence, and of a plan before one buys', async ({
  page,
}) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/licences');
  const licenceCard = page.getByRole('article', { name: 'Licença 1', exact: true });
  const gauge = licenceCard.getByRole('progressbar', { name: 'Teto da rede' });
  await expect(gauge).toHaveAttribute('aria-valuetext', '3%');
  await expect(licenceCard).toContainText(/Teto da rede\s*3%\s*30,00\s*\/\s*1\.000,00/);
  await page.goto('/licences?tab=plans');
  const planCard = page.getByRole('article').first();
  await expect(planCard).toContainText(/Teto da rede\s*400%/);
});

test('moving money in a licence: the dialog and the menu', async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/licences');
  const card = page.getByRole('article', { name: 'Licença 1', exact: true });
  await card.getByRole('button', { name: 'Aportar' }).click();
  await expectAccessible(page);
  await picture(page, 'topup');
  const topup = page.getByRole('dialog');
  await topup.getByLabel('Valor').fill('0,00');
  await expect(topup.getByText('Informe um valor maior que zero')).toHaveCount(0);
  await page.keyboard.press('Tab');
  await expect(topup.getByText('Informe um valor maior que zero')).toBeVisible();
  await topup.getByRole('button', { name: 'Cancelar' }).click();
  await card.getByRole('button', { name: 'Mais' }).click();
  await expect(page.getByRole('menuitem', { name: 'Realocar' })).toBeVisible();
  await expectAccessible(page);
});

test('a licence that has ended says how, and offers no more than the way out of what is in it', async ({
  page,
}) => {
  const empty = { topup: '0.000000', allocated: '0.000000', yield: '0.000000' };
  const ended = (n: number, state: string, more: object) =>
    licence(n, { state, robotStatus: state, ...more });
  const shown = [
    ended(1, 'cancelled', empty),
    ended(2, 'reversed', { ...empty, yield: '3.000000' }),
    ended(3, 'ceiling_reached', { ...empty, topup: '40.000000' }),
  ];
  await stub(page, CUSTOMER, { ...AT_WORK, 'GET /get-user-licenses': list(shown) });
  await page.goto('/licences');
  const card = (n: number) => page.getByRole('article', { name: `Licença ${n}`, exact: true });
  await expect(card(1)).toContainText('Cancelado');
  await expect(card(1)).toContainText('Cancelada: o preço e os aportes voltaram para onde vieram.');
  await expect(card(1).getByRole('button')).toHaveCount(0);
  await expect(card(1).getByRole('switch')).toHaveCount(0);
  await expect(card(2)).toContainText('Estornado');
  await expect(card(2)).toContainText('Estornada: o pagamento desta licença foi desfeito.');
  await expect(card(2).getByRole('button')).toHaveText(['Sacar rendimento']);
  await expect(card(3)).toContainText('Teto atingido');
  await expect(card(3)).toContainText('O que ainda está aqui continua seu.');
  await expect(card(3).getByRole('button')).toHaveText(['Resgatar']);
  await expect(card(3).getByRole('switch')).toHaveCount(0);
  await expectAccessible(page);
  await picture(page, 'licences-ended');
  await card(3).getByRole('button', { name: 'Resgatar' }).click();
  await expect(page.getByRole('dialog', { name: 'Resgatar da licença 3' })).toBeVisible();
});

test('what an account lacks is given before anything else', async ({ page }) => {
  const incomplete = {
    ...CUSTOMER,
    address: null,
    sponsor: null,
    missing: ['terms', 'risk', 'adult', 'address', 'upline'],
    termsBefore: false,
  };
  const sent: unknown[] = [];
  const state = await stub(page, incomplete, {
    ...AT_WORK,
    'POST /me/complete': async (route: Route) => {
      sent.push(route.request().postDataJSON());
      state.answers['GET /me'] = { user: CUSTOMER };
      await route.fulfill({ status: 204 });
    },
  });
  await page.goto('/licences');
  await expect(page.getByRole('heading', { level: 1, name: 'Complete o seu cadastro' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Menu principal' })).toBeHidden();
  await page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page.getByText('Preencha este campo.').first()).toBeVisible();
  await expect(page.getByText('Você precisa aceitar os termos de uso!')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'complete');
  await address(page);
  for (const name of ['Li e aceito os termos', 'Li o aviso de risco', 'Tenho 18 anos'])
    await page.getByRole('checkbox', { name }).check();
  await page.getByRole('radio', { name: 'Um membro' }).check();
  await page.getByRole('button', { name: 'Continuar' }).click();
  expect(sent).toEqual([]);
  await page.getByRole('textbox', { name: 'Usuário de quem indicou' }).fill('ana21');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Licenças' })).toBeVisible();
  expect(sent).toMatchObject([
    {
      terms: true,
      riskNotice: true,
      adult: true,
      upline: 'ana21',
      address: { city: 'São Paulo', complement: null },
    },
  ]);
});

test('newer terms stand before everything but one’s own money', async ({ page }) => {
  await stub(page, { ...CUSTOMER, missing: ['terms', 'risk'] }, AT_WORK);
  await page.goto('/licences');
  await expect(page.getByRole('heading', { level: 1, name: 'Os termos mudaram' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Rua' })).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Ir para os saques' }).click();
  await expect(page.getByRole('navigation', { name: 'Menu principal' })).toBeVisible();
});

test('an answer of operations without rows says so, with a way to try again', async ({ page }) => {
  await stub(page, CUSTOMER, {
    ...AT_WORK,
    [`GET /trader/orders-history/${LICENCES[0]?._id}`]: {},
  });
  await page.goto(`/robots-in-operation?robot=${LICENCES[0]?._id}`);
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByRole('alert')).toContainText('Invalid response format');
  await expect(drawer.getByRole('button', { name: 'Tentar de novo' })).toBeVisible();
  await expectAccessible(page);
});
