/** The first minutes: an address to confirm, a password that the server judges, and both codes where the authenticator is on. */

import { expectAccessible, fits, picture } from '../kit';
import { CUSTOMER, refuse, stub } from './stub';
import { ANSWERS, T } from './supportFixtures';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 1000 };
const NEW = { ...CUSTOMER, emailConfirmed: false, missing: ['email'] };
/** All that may be asked for somebody whose address is not confirmed. */
const OPEN =
  /^(GET \/(config|me|files\/f1)|POST \/(auth\/(refresh|logout)|email\/(verification-notification|correction))|(GET|POST|PATCH) \/support\/(?!subjects).*)$/;

const heading = (page: Page) => page.getByRole('heading', { level: 1 });

for (const [locale, title, help] of [
  ['pt', 'Confirme marina@exemplo.com.br', 'Falar com o suporte'],
  ['en', 'Confirm marina@exemplo.com.br', 'Talk to support'],
  ['es', 'Confirme marina@exemplo.com.br', 'Hablar con el soporte'],
] as const)
  test(`${locale}: whoever has not confirmed the address sees one screen, and nothing is refused`, async ({
    page,
  }) => {
    const { calls } = await stub(page, NEW);
    await page.addInitScript((language) => localStorage.setItem('locale', language), locale);
    await page.goto('/');
    await expect(heading(page)).toHaveText(title);
    await expect(page.getByRole('link', { name: help })).toBeVisible();
    await expect(page.getByRole('navigation')).toHaveCount(0);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await picture(page, `confirm-${locale}-dark`);
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await fits(page);
    await picture(page, `confirm-${locale}-phone`);
    await expectAccessible(page);
    // Every other screen leads here, too.
    await page.setViewportSize(DESK);
    await page.goto('/licences');
    await expect(heading(page)).toHaveText(title);
    expect(calls.filter((call) => !OPEN.test(call))).toEqual([]);
  });

test('another link, as often as the server lets it go', async ({ page }) => {
  const { answers } = await stub(page, NEW, { 'POST /email/verification-notification': null });
  await page.goto('/');
  await page.getByRole('button', { name: 'Enviar outro link' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Enviamos outro link.' })).toBeVisible();
  await expect(page.getByText(/Outro link em (1:00|0:\d\d)/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Enviar outro link' })).toBeDisabled();
  answers['POST /email/verification-notification'] = refuse(
    429,
    'request.rate_limited',
    'Muitas tentativas. Tente de novo em 42 min.',
    { 'Retry-After': '2500' },
  );
  await page.reload();
  await page.getByRole('button', { name: 'Enviar outro link' }).click();
  await expect(page.getByRole('alert')).toContainText('Tente de novo em 42 min.');
  await expect(page.getByText(/Outro link em 41:\d\d/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Enviar outro link' })).toBeDisabled();
});

test('a mistyped address is corrected with the password', async ({ page }) => {
  const sent: unknown[] = [];
  const { answers } = await stub(page, NEW, {
    'POST /email/correction': refuse(422, 'email.taken', 'Este e-mail já está cadastrado.'),
  });
  await page.goto('/');
  await page.getByRole('button', { name: 'Corrigir o e-mail' }).click();
  await expect(page.getByLabel('E-mail certo')).toBeFocused();
  await page.getByRole('button', { name: 'Corrigir e enviar o link' }).click();
  await expect(page.getByText('É o endereço de agora.')).toBeVisible();
  await page.getByLabel('E-mail certo').fill('marina@exemplo.com');
  await page.getByRole('textbox', { name: 'Senha' }).fill('cavalo-bateria-grampo');
  await page.getByRole('button', { name: 'Corrigir e enviar o link' }).click();
  await expect(page.getByText('Este e-mail já está cadastrado.')).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'confirm-correct-phone');
  answers['POST /email/correction'] = (route: Route) => {
    sent.push(route.request().postDataJSON());
    answers['GET /me'] = { user: { ...NEW, email: 'marina@exemplo.com' } };
    return route.fulfill({ status: 204 });
  };
  await page.getByRole('button', { name: 'Corrigir e enviar o link' }).click();
  await expect(heading(page)).toHaveText('Confirme marina@exemplo.com');
  await expect(page.getByRole('status').filter({ hasText: 'E-mail corrigido.' })).toBeVisible();
  expect(sent).toEqual([{ email: 'marina@exemplo.com', password: 'cavalo-bateria-grampo' }]);
});

test('confirmed in another tab, the screen goes on by itself', async ({ page }) => {
  const { answers, fact } = await stub(page, NEW);
  await page.goto('/account-setting');
  await expect(heading(page)).toHaveText('Confirme marina@exemplo.com.br');
  answers['GET /me'] = { user: CUSTOMER };
  await fact(`user:${CUSTOMER._id}`, 1, { kind: 'user.changed', reason: 'confirmed' });
  await expect(heading(page)).toHaveText('Minha conta');
  await expect(page.getByRole('navigation', { name: 'Menu principal' })).toBeVisible();
});

test('without a socket the screen goes on when one comes back to it', async ({ page }) => {
  const { answers } = await stub(page, NEW);
  await page.routeWebSocket(/\/api\/ws$/, () => {});
  await page.goto('/account-setting');
  await expect(heading(page)).toHaveText('Confirme marina@exemplo.com.br');
  answers['GET /me'] = { user: CUSTOMER };
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(heading(page)).toHaveText('Minha conta');
});

test('the support is open meanwhile: list, new ticket, conversation', async ({ page }) => {
  const { calls } = await stub(page, NEW, {
    ...ANSWERS,
    'POST /support/open-ticket': refuse(409, 'ticket.one_open', 'Um chamado por vez.'),
  });
  await page.goto('/');
  await page.getByRole('link', { name: 'Falar com o suporte' }).click();
  await expect(heading(page)).toHaveText('Suporte');
  await expect(page.getByRole('link', { name: 'Confirmar o e-mail' })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'confirm-support-phone');
  await page.setViewportSize(DESK);
  await page.goto('/support/new-ticket');
  await expect(page.getByRole('textbox', { name: 'Assunto' })).toBeVisible();
  await expect(page.locator('input[type=file]')).toHaveCount(0);
  await picture(page, 'confirm-new-ticket');
  await page.goto(`/support/ticket/${T}`);
  await expect(page.getByRole('textbox', { name: /mensagem/i })).toBeVisible();
  await expect(page.locator('input[type=file]')).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Confirmar o e-mail' }).click();
  await expect(heading(page)).toHaveText('Confirme marina@exemplo.com.br');
  expect(calls.filter((call) => !OPEN.test(call))).toEqual([]);
});

test('a weak password is told by the server, on the step where it is typed', async ({ page }) => {
  const { answers, calls } = await stub(page, null, {
    'GET /affiliates/verify-upline/ana21': { username: 'ana21', firstName: 'Ana' },
    'POST /auth/password-strength': { score: 0, acceptable: false },
  });
  await page.goto('/ref/ana21');
  await page.getByLabel('Nome completo').fill('João Silva');
  await page.getByLabel('E-mail').fill('joao@exemplo.com.br');
  const password = page.getByRole('textbox', { name: 'Senha', exact: true });
  await password.fill('12345678');
  await page.getByRole('textbox', { name: 'Repita a senha' }).fill('12345678');
  await expect(page.getByRole('status').filter({ hasText: 'Força da senha: fraca' })).toBeVisible();
  await page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page.getByText('Ainda é fácil de adivinhar')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'CEP' })).toBeHidden();
  await expectAccessible(page);
  answers['POST /auth/password-strength'] = { score: 4, acceptable: true };
  await password.fill('cavalo-bateria-grampo');
  await page.getByRole('textbox', { name: 'Repita a senha' }).fill('cavalo-bateria-grampo');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page.getByRole('textbox', { name: 'CEP' })).toBeVisible();
  const asked = calls.filter((call) => call === 'POST /auth/password-strength').length;
  expect(asked).toBeLessThanOrEqual(4);
});

test('with the authenticator on, changing one’s data asks for both codes, each with its own error', async ({
  page,
}) => {
  const sent: unknown[] = [];
  const { answers } = await stub(
    page,
    { ...CUSTOMER, twoFactor: { email: false, app: true, passkey: false, recoveryCodesLeft: 8 } },
    {
      'POST /security-code': { method: 'email' },
      'PATCH /me': (route: Route) => {
        sent.push(route.request().postDataJSON());
        const code = 'code.wrong';
        const message = 'O código está errado.';
        return route.fulfill({ status: 422, json: { code, message, errors: { appCode: [message] } } });
      },
    },
  );
  await page.goto('/account-setting');
  await page.getByLabel('Nome completo').fill('Marina D. Duarte');
  await page.getByRole('button', { name: 'Salvar alterações' }).click();
  const dialog = page.getByRole('dialog');
  const mailed = dialog.getByRole('group', { name: 'Código enviado ao seu e-mail' });
  const app = dialog.getByRole('group', { name: 'Código do aplicativo autenticador' });
  await mailed.getByLabel('Dígito 1 de 6').click();
  await page.keyboard.type('123456');
  await expect(dialog.getByRole('button', { name: 'Confirmar' })).toBeDisabled();
  await app.getByLabel('Dígito 1 de 6').click();
  await page.keyboard.type('654321');
  await expect(app.getByRole('alert')).toHaveText('O código está errado.');
  await expect(mailed.getByRole('alert')).toHaveCount(0);
  await expectAccessible(page);
  await picture(page, 'both-codes');
  answers['PATCH /me'] = { user: CUSTOMER };
  await app.getByLabel('Dígito 1 de 6').click();
  await page.keyboard.type('111111');
  await expect(page.getByTestId('toast').getByText('Dados salvos.')).toBeVisible();
  expect(sent[0]).toMatchObject({ securityCode: '123456', appCode: '654321' });
});
