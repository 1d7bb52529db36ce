/** The rules of routing and of the session (docs/rules/web.md), in the built face. */

import { address, expectAccessible, picture, typeCode } from '../kit';
import { JUST_NOW } from './clock';
import { ADMINISTRATOR, CONFIG, CUSTOMER, refuse, stub, waiting } from './stub';
import { expect, type Route, test } from './window';

const menu = 'Menu principal';

test('sign-in with a second step, then on to where one wanted to go', async ({ page }) => {
  const { answers, calls } = await stub(page, null, {
    'POST /auth/login': { twoFactor: { challenge: 'c1', methods: ['email', 'recovery'] } },
    'POST /auth/2fa': { token: 'access' },
    'POST /auth/2fa/resend': null,
  });
  await page.goto('/account-setting');
  await expect(page).toHaveURL('/login?to=%2Faccount-setting');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByText('Informe um e-mail válido.')).toBeVisible();
  await page.getByLabel('E-mail').fill('marina@exemplo.com.br');
  await page.getByRole('textbox', { name: 'Senha' }).fill('cavalo-bateria-grampo');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByRole('heading', { name: 'Confirme que é você' })).toBeVisible();
  await picture(page, 'second-step-dark');
  await expectAccessible(page);
  expect(calls).not.toContain('GET /me');
  answers['GET /me'] = { user: CUSTOMER };
  await typeCode(page, '123456');
  await expect(page).toHaveURL('/account-setting');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Minha conta');
});

test('who lost the second factor finds the way to support, by chat or by mail', async ({ page }) => {
  const chat = 'https://wa.me/5511912345678';
  const mail = `mailto:${CONFIG.officer.email}`;
  const { answers } = await stub(page, null, {
    'POST /auth/login': { twoFactor: { challenge: 'c1', methods: ['app', 'recovery'] } },
    'GET /verifySignature/good': { valid: true, purpose: 'reset-password', appCode: true },
  });
  for (const [whatsapp, href] of [
    [chat, chat],
    // Not the chat's own address.
    ['https://evil.example/5511912345678', mail],
    [null, mail],
  ] as const) {
    answers['GET /config'] = { ...CONFIG, whatsapp };
    const support = page.getByRole('main').getByRole('link', { name: 'Fale com o suporte' });
    await page.goto('/login');
    await page.getByLabel('E-mail').fill('marina@exemplo.com.br');
    await page.getByRole('textbox', { name: 'Senha' }).fill('cavalo-bateria-grampo');
    await page.getByRole('button', { name: 'Entrar' }).click();
    await expect(page.getByText('Sem acesso ao segundo fator?')).toBeVisible();
    await expect(support).toHaveAttribute('href', href);
    await page.goto('/reset-password/good');
    await expect(page.getByText('Sem o aplicativo e sem códigos de recuperação?')).toBeVisible();
    await expect(support).toHaveAttribute('href', href);
  }
});

test('a refused sign-in says so, and how long to wait', async ({ page }) => {
  const { answers } = await stub(page, null, {
    'POST /auth/login': refuse(401, 'auth.failed', 'Erro na autenticação'),
  });
  await page.goto('/login');
  await page.getByLabel('E-mail').fill('marina@exemplo.com.br');
  await page.getByRole('textbox', { name: 'Senha' }).fill('errada');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByRole('alert')).toHaveText('Erro na autenticaçãoConfira o e-mail e a senha.');
  answers['POST /auth/login'] = refuse(429, 'too_many', 'Muitas tentativas.', { 'Retry-After': '30' });
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByRole('alert')).toContainText(/Tente de novo em 0:[0-3]\d/);
  await expect(page.getByLabel('E-mail')).toHaveValue('marina@exemplo.com.br');
  // A longer wait stands in the server's own words, and there alone.
  const longer = 'Muitas tentativas. Tente de novo em 15 min.';
  answers['POST /auth/login'] = refuse(429, 'request.rate_limited', longer, { 'Retry-After': '900' });
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByRole('alert')).toHaveText(`Erro na autenticação${longer}`);
  await expect(page.getByText('Com uma nova senha você entra na hora')).toBeVisible();
  // Staff moved the mailbox: the words name the way, which stands below them.
  const ended =
    'A equipe alterou o e-mail da sua conta. Crie uma nova senha em “Esqueci minha senha” para voltar a entrar.';
  answers['POST /auth/login'] = refuse(403, 'auth.password_ended', ended);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByRole('alert')).toContainText(ended);
  await expect(page.getByRole('link', { name: 'Esqueci minha senha' })).toHaveAttribute(
    'href',
    '/forgot-password',
  );
});

test('anonymous goes to the login, without permission to not-authorized, unknown to error-404', async ({
  page,
}) => {
  await stub(page);
  await page.goto('/');
  await expect(page).toHaveURL('/login');
  await page.goto('/no/such/place');
  await expect(page).toHaveURL('/error-404');
  await expect(page.getByText('A URL solicitada não foi encontrada neste servidor.')).toBeVisible();
});

test('signed in without the permission', async ({ page }) => {
  await stub(page, { ...CUSTOMER, roles: [] });
  await page.goto('/account-setting');
  await expect(page).toHaveURL('/not-authorized');
  await expect(page.getByText('Você não está autorizado!')).toBeVisible();
});

test('forgot-password is for who is not signed in', async ({ page }) => {
  await stub(page, CUSTOMER);
  await page.goto('/forgot-password');
  await expect(page).toHaveURL('/');
});

test('the language of the address is taken and kept', async ({ page }) => {
  await stub(page);
  await page.goto('/login/en');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in to your account');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US');
  await page.goto('/login');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in to your account');
  await page.getByLabel('Language').selectOption('Español');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Entrar en su cuenta');
  await picture(page, 'login-es');
  expect(await page.evaluate(() => localStorage.getItem('locale'))).toBe('es');
});

test('the skin is kept', async ({ page }) => {
  await stub(page);
  await page.goto('/login');
  await page.getByRole('button', { name: 'Usar tema claro' }).click();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  await picture(page, 'login-light');
});

test('a refused refresh drops the session at once', async ({ page }) => {
  await stub(page, CUSTOMER, { 'POST /auth/refresh': refuse(401, 'auth.refresh', 'Entre de novo.') });
  await page.goto('/account-setting');
  await expect(page).toHaveURL('/login?to=%2Faccount-setting');
  await expect(page.getByText('Sua sessão terminou. Entre de novo para continuar.')).toBeVisible();
  expect(await page.evaluate(() => document.cookie)).not.toContain('signed_in');
});

test('a server that does not answer is waited for, under the banner', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    'POST /auth/refresh': refuse(503, 'unavailable', 'Indisponível.'),
  });
  await page.goto('/');
  await expect(page.getByText('Conexão perdida!')).toBeVisible();
  state.answers['POST /auth/refresh'] = { token: 'access' };
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Olá, Marina');
  await expect(page.getByText('Conexão perdida!')).toBeHidden();
  expect(state.calls.filter((call) => call === 'POST /auth/refresh').length).toBeGreaterThan(1);
});

test('one 401 is worth one refresh and the same call again', async ({ page }) => {
  const state = await stub(page, CUSTOMER);
  // No socket says hello: a subscription would ask for everything once more, whenever it comes.
  await page.routeWebSocket(/\/api\/ws$/, () => {});
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  let refusals = 0;
  state.answers['GET /sessions'] = async (route: Route) => {
    if (refusals++ === 0) return route.fulfill({ status: 401, json: { code: 'auth.expired', message: '' } });
    return route.fulfill({ json: { data: [] } });
  };
  const before = state.calls.filter((call) => call === 'POST /auth/refresh').length;
  await page.goto('/account-setting?tab=security');
  await expect(page.getByRole('heading', { name: 'Dispositivos' })).toBeVisible();
  await expect.poll(() => state.calls.filter((call) => call === 'GET /sessions').length).toBe(2);
  expect(state.calls.filter((call) => call === 'POST /auth/refresh').length).toBe(before + 2);
});

test('sign-out leads to a fresh login, in every tab', async ({ page, context }) => {
  await stub(page, CUSTOMER, { 'POST /auth/logout': null });
  const other = await context.newPage();
  await stub(other, CUSTOMER);
  await page.goto('/account-setting');
  await other.goto('/');
  await expect(other.getByRole('heading', { level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Conta de Marina Duarte' }).click();
  await page.getByRole('menuitem', { name: 'Sair' }).click();
  await expect(page).toHaveURL('/login');
  await expect(other).toHaveURL('/login');
});

test('registration: while nobody registers the page says so before anything is typed', async ({ page }) => {
  const pause = { reason: 'Cadastros falsos', reviewAt: '2026-11-25T03:00:00Z' };
  await stub(page, null, {
    'GET /affiliates/verify-upline/ana21': { username: 'ana21', firstName: 'Ana', pause },
  });
  await page.goto('/ref/ana21');
  await expect(page.getByRole('alert')).toContainText('Cadastros falsos');
  await expect(page.getByLabel('Nome completo')).toBeHidden();
  await picture(page, 'register-suspended');
  await expectAccessible(page);
});

test('registration: three steps, and what is missing is said where it is missing', async ({ page }) => {
  const { answers, calls } = await stub(page, null, {
    'GET /affiliates/verify-upline/ana21': { username: 'ana21', firstName: 'Ana' },
    'POST /auth/password-strength': { score: 4, acceptable: true },
    'POST /auth/register/ana21': { token: 'access' },
  });
  await page.goto('/ref/ana21');
  await expect(page.getByText('Indicado por Ana (@ana21)')).toBeVisible();
  await page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page.getByText('Informe um e-mail válido.')).toBeVisible();
  await page.getByLabel('Nome completo').fill('João Silva');
  await page.getByLabel('E-mail').fill('joao@exemplo.com.br');
  await page.getByRole('textbox', { name: 'Senha', exact: true }).fill('cavalo-bateria-grampo');
  await page.getByRole('textbox', { name: 'Repita a senha' }).fill('cavalo-bateria-grampo');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await address(page);
  await picture(page, 'register-address');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByRole('button', { name: 'Criar conta' }).click();
  await expect(page.getByText('Você precisa aceitar os termos de uso!')).toBeVisible();
  await picture(page, 'register-terms');
  await expectAccessible(page);
  await page.getByLabel('Li e aceito os termos de uso.').check();
  await page.getByLabel('Li o aviso de risco').check();
  await page.getByLabel('Tenho 18 anos').check();
  answers['GET /me'] = { user: { ...CUSTOMER, emailConfirmed: false } };
  const made = answers['POST /auth/register/ana21'];
  answers['POST /auth/register/ana21'] = refuse(503, 'service.unavailable', 'Serviço indisponível.');
  await page.getByRole('button', { name: 'Criar conta' }).click();
  await expect(page.getByRole('alert')).toHaveText('Erro no cadastroServiço indisponível.');
  answers['POST /auth/register/ana21'] = made;
  await page.getByRole('button', { name: 'Criar conta' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Confirme ${CUSTOMER.email}`);
  expect(calls).toContain('POST /auth/register/ana21');
});

test('an unknown referral is said plainly', async ({ page }) => {
  await stub(page);
  await page.goto('/ref/nobody');
  await expect(page.getByRole('alert')).toHaveText('Indicação não encontrada. Confira o link.');
});

test('opening a confirmation link changes nothing, the button does', async ({ page }) => {
  const sent: (string | undefined)[] = [];
  await stub(page, null, {
    'GET /email/verify/u1/good': (route: Route) => {
      sent.push(route.request().headers()['x-arbora']);
      return route.fulfill({ json: { state: sent.length > 1 ? 'confirmed' : 'pending' } });
    },
  });
  await page.goto('/verify-email/u1/good');
  await page.getByRole('button', { name: 'Confirmar meu e-mail' }).click();
  await expect(page.getByText('E-mail confirmado')).toBeVisible();
  expect(sent).toEqual([undefined, '1']);
});

test('a forgotten password: how long until the link is sent again, and again it is', async ({ page }) => {
  let asked = 0;
  await stub(page, null, {
    'POST /forgot-password': (route: Route) => {
      asked += 1;
      return route.fulfill({ json: { nextIn: 900 } });
    },
  });
  await page.goto('/forgot-password');
  await page.getByLabel('E-mail').fill('marina@exemplo.com.br');
  await page.getByRole('button', { name: 'Enviar link' }).click();
  await expect(page.getByText('Se o e-mail existir, enviaremos um link.')).toBeVisible();
  await expect(page.getByText(/Novo envio em 1[45]:/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Enviar o link de novo' })).toHaveCount(0);
  await page.clock.fastForward('15:01');
  await page.getByRole('button', { name: 'Enviar o link de novo' }).click();
  await expect(page.getByText(/Novo envio em 1[45]:/)).toBeVisible();
  expect(asked).toBe(2);
});

test('with the authenticator on, a new password takes its code or a recovery code', async ({ page }) => {
  const sent: unknown[] = [];
  await stub(page, null, {
    'GET /verifySignature/good': { valid: true, purpose: 'reset-password', appCode: true },
    'POST /auth/password-strength': { score: 4, acceptable: true, hints: [] },
    'POST /redefine-password/good': (route: Route) => {
      sent.push(route.request().postDataJSON());
      return sent.length === 1
        ? refuse(422, 'code.wrong', 'Código errado.')(route)
        : route.fulfill({ status: 204 });
    },
  });
  await page.goto('/reset-password/good');
  const password = 'uma-senha-nova-e-longa-7';
  await page.getByRole('textbox', { name: 'Nova senha' }).fill(password);
  await page.getByRole('textbox', { name: 'Repita a senha' }).fill(password);
  await typeCode(page, '123456');
  await page.getByRole('button', { name: 'Salvar nova senha' }).click();
  await expect(page.getByRole('alert')).toContainText('Código errado.');
  await page.getByRole('button', { name: 'Usar um código de recuperação' }).click();
  await page.getByLabel('Código de recuperação').fill('ABCD-EFGH');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Salvar nova senha' }).click();
  await expect(page.getByText('use o próximo código do aplicativo')).toBeVisible();
  const both = { password, password_confirmation: password };
  expect(sent).toEqual([
    { ...both, appCode: '123456' },
    { ...both, appCode: 'ABCD-EFGH' },
  ]);
});

test('bad links say what to do', async ({ page }) => {
  await stub(page, null, { 'GET /verifySignature/bad': { valid: false } });
  for (const [path, said] of [
    ['/reset-password/bad', 'Link para alteração de senha inválido!'],
    ['/new-password/bad/novo@exemplo.com.br', 'Link para alteração de senha inválido!'],
    ['/verify-email/u1/bad', 'Link de confirmação inválido!'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('alert')).toHaveText(
      `${said}Procure um link mais recente ou fale com o suporte.`,
    );
  }
});

test('an approver has the queue where others have the deposit, and the menu has what exists', async ({
  page,
}) => {
  const since = JUST_NOW;
  await stub(page, ADMINISTRATOR, {
    'GET /admin/waiting': waiting({
      // Approved by this person already: the second one's.
      pix_withdrawals: [1, 0, since],
      sponsorship: [2, 2, since],
      grants: [1, 1, since],
    }),
  });
  await page.goto('/');
  // All that this person may decide on, and the way to where it waits.
  await expect(page.getByRole('link', { name: 'Aprovar (3)' })).toHaveAttribute(
    'href',
    '/add-remove-balance',
  );
  await expect(page.getByRole('navigation', { name: menu })).toBeVisible();
});

test('the sign-in’s outline stands there before the program, in its language, and only for those who need it', async ({
  page,
}) => {
  await page.route(/\/assets\/index-.*\.js/, (route) => route.abort());
  const outline = page.locator('.first-card');
  await page.goto('/login/es');
  await expect(outline.getByText('Entrar en su cuenta')).toBeVisible();
  await expect(outline.locator('span:visible')).toHaveCount(2);
  await page.goto('/login');
  await expect(outline.getByText('Entrar na sua conta')).toBeVisible();
  await stub(page, CUSTOMER);
  await page.goto('/');
  await expect(page.locator('.first-paint')).toBeVisible();
  await expect(outline).toBeHidden();
});

test('the pieces of the sign-in are asked for before the program has come, by those who need it', async ({
  page,
}) => {
  await page.route(/\/assets\/index-.*\.js/, (route) => route.abort());
  const pieces = page.locator('link[rel="modulepreload"][href*="LoginPage"]');
  await page.goto('/login/es');
  await expect(pieces.first()).toBeAttached();
  await expect(page.locator('link[rel="modulepreload"][href*="/login-"]')).toHaveCount(1);
  await stub(page, CUSTOMER);
  await page.goto('/');
  await expect(page.locator('.first-paint')).toBeVisible();
  await expect(pieces).toHaveCount(0);
});
