/** Pictures of every screen for people to look at, and axe on each in both skins. */

import { expectAccessible, picture } from '../kit';
import { ADMINISTRATOR, CUSTOMER, stub } from './stub';
import { expect, test } from './window';

const PHONE = { width: 390, height: 844 };
const UPLINE = { 'GET /affiliates/verify-upline/ana21': { username: 'ana21', firstName: 'Ana' } };

const PUBLIC = [
  ['login', '/login', 'Entrar na sua conta'],
  ['register', '/ref/ana21', 'Criar conta'],
  ['forgot', '/forgot-password', 'Esqueci minha senha'],
  ['reset', '/reset-password/good', 'Criar nova senha'],
  ['reset-bad', '/reset-password/bad', 'Criar nova senha'],
  ['invited', '/new-password/good/novo@exemplo.com.br', 'Boas-vindas'],
  ['verify', '/verify-email/u1/good', 'Confirmar e-mail'],
  ['change-email', '/change-email/good', 'Mudança de e-mail'],
  ['not-found', '/error-404', 'Página não encontrada'],
  ['not-authorized', '/not-authorized', 'Você não está autorizado!'],
] as const;
/** What a signed-in person sees there as well: the others begin a session. */
const WHOEVER: readonly string[] = ['reset-bad', 'verify', 'change-email', 'not-found', 'not-authorized'];
const ANSWERS = {
  ...UPLINE,
  'GET /verifySignature/good': { valid: true },
  'GET /verifySignature/bad': { valid: false },
  'GET /email/change/good': { side: 'old', email: 'm•••@novo.com.br', done: false, changed: false },
  'GET /email/verify/u1/good': { state: 'pending' },
};

for (const [name, path, title] of PUBLIC)
  test(`public: ${name}`, async ({ page }) => {
    await stub(page, null, ANSWERS);
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await picture(page, `${name}-dark`);
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await picture(page, `${name}-phone`);
  });

test('a whole-page screen has no menu, for who has one elsewhere too', async ({ page }) => {
  await stub(page, CUSTOMER, ANSWERS);
  const menu = page.getByRole('navigation', { name: 'Menu principal' });
  await page.goto('/account-setting');
  await expect(menu).toBeVisible();
  for (const [, path, title] of PUBLIC.filter(([name]) => WHOEVER.includes(name))) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(menu).toHaveCount(0);
  }
});

const INSIDE = [
  ['dashboard', '/', CUSTOMER, /^Olá/],
  ['dashboard-admin', '/?view=results', ADMINISTRATOR, /^Olá/],
  ['account', '/account-setting', CUSTOMER, 'Minha conta'],
  ['account-security', '/account-setting?tab=security', CUSTOMER, 'Minha conta'],
] as const;

for (const [name, path, user, title] of INSIDE)
  test(`inside: ${name}`, async ({ page }) => {
    await stub(page, user);
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(page.getByText('Ao vivo').first()).toBeVisible();
    await page.waitForLoadState('networkidle');
    await picture(page, `${name}-dark`);
    await expectAccessible(page);
    await page.evaluate(() => document.documentElement.setAttribute('data-mantine-color-scheme', 'light'));
    await picture(page, `${name}-light`);
    await page.setViewportSize(PHONE);
    await picture(page, `${name}-phone`);
  });
