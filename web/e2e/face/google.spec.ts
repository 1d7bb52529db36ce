/** Signing in with Google: the button where it is offered, the way there, and the page where a visit ends. */

import { expectAccessible, fits, picture } from '../kit';
import { CONFIG, CUSTOMER, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const GOOGLE = { ...CONFIG, google: true };
const TOKEN = 'GET /oauth/callback/token/c0de';
const PAGE = '/oauth/callback/token/c0de';

test('the sign-in offers Google where the house does, and the browser goes there', async ({ page }) => {
  const { answers } = await stub(page, null, { 'GET /config': GOOGLE });
  await page.goto('/login');
  const google = page.getByRole('button', { name: 'Entrar com Google' });
  await expect(google).toBeVisible();
  await picture(page, 'login-google-dark');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await expectAccessible(page);
  answers['POST /oauth/google'] = refuse(503, 'service.unavailable', 'Serviço indisponível.');
  await google.click();
  await expect(page.getByRole('alert')).toBeVisible();
  // The page that it leads to is one of our own here: what is looked at is that the browser goes.
  answers['POST /oauth/google'] = { url: '/error-404' };
  await google.click();
  await expect(page).toHaveURL('/error-404');
});

test('without it nothing is offered', async ({ page }) => {
  await stub(page);
  await page.goto('/login');
  await expect(page.getByRole('button', { name: 'Entrar', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Entrar com Google' })).toHaveCount(0);
});

test('a visit ends inside', async ({ page }) => {
  let held: Route | null = null;
  const { answers, calls } = await stub(page, null, {
    'GET /config': GOOGLE,
    [TOKEN]: (route: Route) => {
      held = route;
    },
  });
  await page.goto(PAGE);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Entrando com Google…');
  await expectAccessible(page);
  await expect.poll(() => held !== null).toBe(true);
  answers['GET /me'] = { user: CUSTOMER };
  await (held as Route | null)?.fulfill({ json: { token: 'access', linked: false } });
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Olá, Marina');
  expect(calls.filter((call) => call === TOKEN)).toHaveLength(1);
});

test('a refused visit says why, and leads back to the sign-in', async ({ page }) => {
  const text = 'Esta entrada com o Google expirou ou começou em outro navegador. Comece de novo.';
  await stub(page, null, { 'GET /config': GOOGLE, [TOKEN]: refuse(422, 'google.expired', text) });
  await page.goto(PAGE);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Não foi possível entrar com o Google');
  await expect(page.getByRole('alert')).toHaveText(text);
  await picture(page, 'google-refused-dark');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Voltar para a entrada' }).click();
  await expect(page).toHaveURL('/login');
});

test('the second step follows, as after a password', async ({ page }) => {
  await stub(page, null, {
    'GET /config': GOOGLE,
    [TOKEN]: { twoFactor: { challenge: 'c1', methods: ['app'] }, linked: false },
  });
  await page.goto(PAGE);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirme que é você');
  await expectAccessible(page);
});

test('a Google account is linked under security, and shown there', async ({ page }) => {
  const person = { ...CUSTOMER, google: null, hasPassword: true };
  const { answers } = await stub(page, person, {
    'GET /config': GOOGLE,
    [TOKEN]: { linked: true },
  });
  await page.goto('/account-setting?tab=security');
  const card = page.getByRole('region', { name: 'Entrar com Google' });
  await expect(card.getByText('Não vinculada')).toBeVisible();
  await expect(card.getByRole('button', { name: 'Vincular' })).toBeVisible();
  await expectAccessible(page);
  answers['GET /me'] = {
    user: { ...person, google: { email: 'm***@gmail.com', linkedAt: '2026-11-27T12:00:00Z' } },
  };
  await page.goto(PAGE);
  await expect(page).toHaveURL('/account-setting?tab=security');
  await expect(card.getByText('m***@gmail.com')).toBeVisible();
  await expect(card.getByRole('button', { name: 'Desvincular' })).toBeVisible();
  // Who has no other way in makes one first.
  answers['GET /me'] = {
    user: {
      ...person,
      hasPassword: false,
      google: { email: 'm***@gmail.com', linkedAt: '2026-11-27T12:00:00Z' },
    },
  };
  await page.reload();
  await expect(card.getByRole('button', { name: 'Receber link para criar senha' })).toBeVisible();
  await expect(card.getByRole('button', { name: 'Desvincular' })).toHaveCount(0);
  await expectAccessible(page);
});
