/** The frame around the screens: search, keys, notifications, connection, phone. */

import { expectAccessible, fits, picture } from '../kit';
import { holdTime, JUST_NOW, MINUTE, NOON } from './clock';
import { AT_WORK, page as list } from './fixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const down = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');

const home = async (page: import('@playwright/test').Page) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Olá, Marina');
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
};

test('the first Tab is the skip link', async ({ page }) => {
  await stub(page, CUSTOMER);
  await home(page);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Pular para o conteúdo' })).toBeFocused();
});

test('Ctrl K finds a screen', async ({ page }) => {
  await stub(page, CUSTOMER);
  await home(page);
  await page.keyboard.press('Control+k');
  const field = page.getByPlaceholder('Buscar uma tela');
  await field.fill('conta');
  await picture(page, 'search-dark');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/account-setting');
});

test('? lists the keys, g and a letter goes, and both keep out of fields', async ({ page }) => {
  await stub(page, CUSTOMER);
  await page.goto('/account-setting');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.getByLabel('Nome completo').focus();
  await page.keyboard.type('?gr');
  await expect(page.getByLabel('Nome completo')).toHaveValue(/\?gr/);
  await expect(page.getByRole('dialog')).toBeHidden();
  // Else leaving would ask about it.
  await page.getByRole('button', { name: 'Descartar' }).click();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Atalhos do teclado' })).toBeVisible();
  await picture(page, 'keys-dark');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  // The two keys belong together when they follow each other quickly, which busy cores do not promise.
  await page.clock.setFixedTime(NOON + MINUTE);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expect(page).toHaveURL('/');
});

test('the bell and its panel tell the same number', async ({ page }) => {
  const state = await stub(page, CUSTOMER, { 'POST /notifications/read-all': null });
  await home(page);
  await page.getByRole('button', { name: 'Notificações, 2 não lidas' }).click();
  const panel = page.getByRole('dialog', { name: 'Notificações' });
  await expect(panel.getByRole('listitem')).toHaveCount(3);
  await picture(page, 'notifications-dark');
  await expectAccessible(page);
  state.answers['GET /notifications'] = {
    unread: 0,
    data: [],
    meta: { page: 1, limit: 30, total: 0, lastPage: 1 },
  };
  await panel.getByRole('button', { name: 'Marcar todas como lidas' }).click();
  await expect(panel.getByText('Nenhuma notificação')).toBeVisible();
});

test('a fact becomes a toast for 3 s, paused under the pointer, kept in the panel', async ({ page }) => {
  const state = await stub(page, CUSTOMER);
  await home(page);
  // From here on time passes only when it is told to.
  await holdTime(page);
  await state.fact(`user:${CUSTOMER._id}`, 1, {
    kind: 'notification',
    id: 'n9',
    code: 'welcome',
    params: {},
    at: JUST_NOW,
  });
  const toast = page.getByTestId('toast');
  await expect(async () => {
    await page.clock.runFor(20);
    await expect(toast).toHaveText('Boas-vindas à Arbora.', { timeout: 1 });
  }).toPass({ intervals: [100], timeout: 60_000 });
  await page.clock.runFor(2_000);
  await toast.hover();
  await page.clock.runFor(3_500);
  await expect(toast).toBeVisible();
  await picture(page, 'toast-dark');
  await page.mouse.move(10, 10);
  await page.clock.runFor(2_900);
  await expect(toast).toBeVisible();
  await page.clock.runFor(200);
  await expect(toast).toBeHidden();
});

test('a lost connection is said with the age of what is shown, and comes back by itself', async ({
  page,
}) => {
  const state = await stub(page, CUSTOMER);
  await home(page);
  await page.context().setOffline(true);
  await expect(page.getByText('Conexão perdida!')).toBeVisible();
  await expect(page.getByText(/^Dados de \d{2}:\d{2}, /)).toBeVisible();
  await picture(page, 'offline-dark');
  await expectAccessible(page);
  await page.context().setOffline(false);
  await expect(page.getByText('Conexão perdida!')).toBeHidden();
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  expect(state.opened).toBeGreaterThan(1);
});

test('a piece that does not come for want of a connection takes nothing down, and comes later', async ({
  page,
}) => {
  await stub(page, CUSTOMER);
  let loads = 0;
  page.on('load', () => loads++);
  let lost = 0;
  await page.route(/OfflineBanner.*\.js/, (route) => {
    lost += 1;
    return lost < 3 ? route.abort('internetdisconnected') : route.continue();
  });
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect.poll(() => lost).toBe(3);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(loads).toBe(1);
});

test('what could not be loaded comes by itself once the connection is back', async ({ page }) => {
  const state = await stub(page, CUSTOMER, { ...AT_WORK, 'GET /pools': down, 'GET /pools/mine': list([]) });
  await page.goto('/licences?tab=pools');
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Tentar de novo' }).first()).toBeVisible();
  state.answers['GET /pools'] = [];
  await state.cut();
  await expect(page.getByText('Nenhum pool aberto.')).toBeVisible();
});

test('a reset refetches what is on screen', async ({ page }) => {
  const state = await stub(page, CUSTOMER);
  await home(page);
  const count = () => state.calls.filter((call) => call === 'GET /notifications').length;
  const before = count();
  await state.say({ type: 'reset', stream: `user:${CUSTOMER._id}`, epoch: 2, seq: 9 });
  await expect.poll(count).toBeGreaterThan(before);
});

test('revoked: out, at once', async ({ page }) => {
  const state = await stub(page, CUSTOMER);
  await home(page);
  await state.cut({ code: 4002, reason: 'revoked' });
  const gate = page.getByRole('dialog', { name: 'Sua sessão terminou' });
  await gate.getByRole('button', { name: 'Ir para a entrada' }).click();
  await expect(page).toHaveURL('/login');
});

test('a permission that is taken away takes its screen away', async ({ page }) => {
  const state = await stub(page, CUSTOMER);
  await home(page);
  state.answers['GET /me'] = { user: { ...CUSTOMER, roles: [] } };
  await state.cut({ code: 4003, reason: 'scope' });
  await expect(page).toHaveURL('/not-authorized');
});

test('the eye hides amounts', async ({ page }) => {
  await stub(page, CUSTOMER);
  await home(page);
  await page.getByRole('button', { name: 'Ocultar valores' }).click();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Ocultar valores' })).toHaveAttribute('aria-pressed', 'true');
});

test('on a phone the menu is a drawer that closes after a choice', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await stub(page, CUSTOMER);
  await page.goto('/account-setting');
  await page.getByRole('button', { name: 'Abrir menu' }).click();
  const menu = page.getByRole('navigation', { name: 'Menu principal' });
  await expect(menu.getByRole('button', { name: 'Buscar' })).toBeVisible();
  await picture(page, 'menu-phone');
  await expectAccessible(page);
  await menu.getByRole('link', { name: 'Meus resultados' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('button', { name: 'Abrir menu' })).toBeVisible();
  await fits(page);
});

test('two-factor with an authenticator: password, QR, code, recovery codes', async ({ page }) => {
  let asked = 0;
  await stub(page, CUSTOMER, {
    'POST /security-code': null,
    'POST /setup-2fa': (route: Route) =>
      route.fulfill({
        json:
          asked++ === 0
            ? {
                secret: 'JBSWY3DPEHPK3PXP',
                otpauthUrl: 'otpauth://totp/Arbora:m?secret=JBSWY3DPEHPK3PXP&issuer=Arbora',
              }
            : { recoveryCodes: Array.from({ length: 10 }, (_, i) => `k${i}fq-8w2m-zt4p-h7x${i}`) },
      }),
  });
  await page.goto('/account-setting?tab=security');
  await page.getByRole('button', { name: 'Ativar Aplicativo autenticador' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Senha atual' }).fill('segredo-bem-longo');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await expect(dialog.getByRole('img', { name: 'Chave do autenticador' })).toBeVisible();
  await picture(page, 'authenticator-dark');
  await expectAccessible(page);
  await dialog.getByLabel('Dígito 1 de 6').first().click();
  await page.keyboard.type('123456');
  await dialog.getByLabel('Dígito 1 de 6').last().click();
  await page.keyboard.type('654321');
  await expect(page.getByRole('heading', { name: 'Guarde seus códigos de recuperação' })).toBeVisible();
  await picture(page, 'recovery-dark');
  await expectAccessible(page);
  await page.getByLabel('Guardei os códigos').check();
  await page.getByRole('button', { name: 'Concluir' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('in a low window the menu scrolls between the logo and the account, which stay whole', async ({
  page,
}) => {
  await stub(page, ADMINISTRATOR);
  await page.setViewportSize({ width: 1440, height: 600 });
  await page.goto('/administrator/dashboard');
  const menu = page.getByRole('navigation', { name: 'Menu principal' });
  const logo = menu.getByText('Arbora').first();
  await expect(logo).toBeVisible();
  const [top, brand] = await Promise.all([
    logo.evaluate((one) => one.getBoundingClientRect().top),
    logo.evaluate((one) => one.closest('nav')?.firstElementChild?.getBoundingClientRect().height),
  ]);
  expect(top).toBeGreaterThan(12);
  expect(brand).toBe(64);
  await expect(menu.getByRole('button', { name: /^Conta de/ })).toBeInViewport({ ratio: 1 });
  await picture(page, 'menu-low');
});

test('a load warns of nothing', async ({ page }) => {
  const said: string[] = [];
  page.on('console', (message) => {
    // Of the browser's tools, which keep the service worker away.
    const tools = message.text() === 'Service Worker registration blocked by Playwright';
    if (message.type() === 'warning' && !tools) said.push(message.text());
  });
  await stub(page, CUSTOMER, AT_WORK);
  for (const path of ['/', '/account-setting', '/no/such/place']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  }
  expect(said).toEqual([]);
});
