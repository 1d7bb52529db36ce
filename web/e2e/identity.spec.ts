/** People come in, prove who they are and leave, against the real server. */
import { expect, type Page } from '@playwright/test';
import {
  addressAndTerms,
  confirmationIn,
  demo,
  expectAccessible,
  mailAfter,
  newestMail,
  picture,
  signIn,
  signOut,
  tellDatabase,
  test,
  totp,
  typeCode,
} from './kit';

/** The browser itself complains of whatever the content security policy blocks. */
function complaints(page: Page): string[] {
  const heard: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) heard.push(message.text());
  });
  return heard;
}

test('a trader signs in, sees the devices, reloads and signs out', async ({ page }) => {
  const heard = complaints(page);
  await signIn(page, demo('trader1'));
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Olá');
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  await page.getByRole('button', { name: 'Buscar' }).first().click();
  await page.keyboard.press('Escape');
  await page.goto('/account-setting?tab=security');
  await expect(page.getByText('Este dispositivo')).toBeVisible();
  await page.reload();
  await expect(page.getByText('Este dispositivo')).toBeVisible();
  await signOut(page);
  await page.goto('/account-setting');
  await expect(page).toHaveURL(/\/login\?to=/);
  expect(heard).toEqual([]);
});

test('the account screen is accessible in both skins', async ({ page }) => {
  await signIn(page, demo('trader2'));
  await page.goto('/account-setting?tab=security');
  await expect(page.getByText('Este dispositivo')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'real-account');
});

test('staff see their groups, customers do not', async ({ page }) => {
  await signIn(page, demo('admin1'));
  const menu = page.getByRole('navigation', { name: 'Menu principal' });
  await expect(menu.getByRole('link', { name: 'Chamados' })).toBeVisible();
  await signOut(page);
  await signIn(page, demo('sales'));
  await expect(menu.getByRole('link', { name: 'Chamados' })).toBeHidden();
  await page.goto('/customer-service/tickets-list');
  await expect(page).toHaveURL('/not-authorized');
});

test('a wrong password is refused in the language of the page', async ({ page }) => {
  await page.goto('/login/es');
  await page.getByLabel('Correo').fill(demo('trader2').email);
  await page.getByRole('textbox', { name: 'Contraseña' }).fill('no-es-esta-clave');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByRole('alert')).toContainText('Error de autenticación');
});

test('registration by a referral, a mistyped address, confirmation by the mail, an authenticator, and back in with it', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const stamp = Date.now().toString(36);
  const mistyped = `nvo-${stamp}@arbora.example`;
  const person = { email: `novo-${stamp}@arbora.example`, password: `cavalo-bateria-${stamp}-grampo` };

  await signIn(page, demo('trader1'));
  await page.goto('/account-setting');
  const handle = (await page.getByText(/^@\S+ · /).innerText()).split(' ')[0]?.slice(1) ?? '';
  await signOut(page);

  await page.goto(`/ref/${handle}`);
  await expect(page.getByText(`(@${handle})`)).toBeVisible();
  await page.getByLabel('Nome completo').fill('Nova Pessoa');
  await page.getByLabel('E-mail').fill(mistyped);
  const password = page.getByRole('textbox', { name: 'Senha', exact: true });
  await password.fill('12345678');
  await page.getByRole('textbox', { name: 'Repita a senha' }).fill('12345678');
  await expect(page.getByText('Força da senha: fraca')).toBeVisible();
  await page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page.getByText('Ainda é fácil de adivinhar')).toBeVisible();
  await password.fill(person.password);
  await page.getByRole('textbox', { name: 'Repita a senha' }).fill(person.password);
  await page.getByRole('button', { name: 'Continuar' }).click();
  await addressAndTerms(page);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText(`Confirme ${mistyped}`, { timeout: 30_000 });
  await expectAccessible(page);
  await picture(page, 'real-confirm');

  // The address was mistyped: help first, then the right one.
  await page.getByRole('link', { name: 'Falar com o suporte' }).click();
  await page.getByRole('link', { name: 'Novo chamado' }).first().click();
  await page.getByRole('textbox', { name: 'Assunto' }).fill('O e-mail não chega');
  await page.getByRole('combobox', { name: 'Categoria' }).click();
  await page.getByRole('option', { name: 'Dados da conta' }).click();
  await page.getByRole('textbox', { name: 'Descrição' }).fill('Errei uma letra no endereço.');
  await page.getByRole('button', { name: 'Abrir chamado' }).click();
  await expect(heading).toHaveText('O e-mail não chega');
  await expect(page.getByText('Errei uma letra no endereço.')).toBeVisible();
  await page.getByRole('link', { name: 'Confirmar o e-mail' }).click();
  await page.getByRole('button', { name: 'Corrigir o e-mail' }).click();
  await page.getByLabel('E-mail certo').fill(person.email);
  await page.getByRole('textbox', { name: 'Senha' }).fill(person.password);
  await page.getByRole('button', { name: 'Corrigir e enviar o link' }).click();
  await expect(heading).toHaveText(`Confirme ${person.email}`);

  // The link in another tab: the first one goes on by itself. What was mailed to the wrong address confirms nothing.
  const old = await newestMail(page, mistyped, /e-mail/i);
  const mail = await newestMail(page, person.email, /e-mail/i);
  const other = await page.context().newPage();
  await other.goto(confirmationIn(old));
  await expect(other.getByRole('alert')).toContainText('Link de confirmação inválido!');
  await other.goto(confirmationIn(mail));
  await other.getByRole('button', { name: 'Confirmar meu e-mail' }).click();
  await expect(other.getByText('E-mail confirmado')).toBeVisible();
  await other.close();
  await expect(heading).toContainText('Olá, Nova');

  await page.goto('/account-setting?tab=security');
  await page.getByRole('button', { name: 'Ativar Aplicativo autenticador' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Senha atual' }).fill(person.password);
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  const secret = await dialog.getByTestId('qr-text').inputValue();
  await dialog.getByLabel('Dígito 1 de 6').first().click();
  await page.keyboard.type(totp(secret));
  if ((await dialog.getByLabel('Dígito 1 de 6').count()) > 1) {
    const code = (await newestMail(page, person.email, /\b\d{6}\b/)).match(/\b\d{6}\b/)?.[0] ?? '';
    await dialog.getByLabel('Dígito 1 de 6').last().click();
    await page.keyboard.type(code);
  }
  await expect(page.getByRole('heading', { name: 'Guarde seus códigos de recuperação' })).toBeVisible();
  const recovery = await page.getByRole('dialog').locator('pre').first().innerText();
  await page.getByLabel('Guardei os códigos').check();
  await page.getByRole('button', { name: 'Concluir' }).click();
  await expect(page.getByText('Saques e transferências esperam')).toBeVisible();
  await signOut(page);

  // A code is good once, so the next sign-in needs the next step of the clock.
  await signIn(page, person, () => totp(secret, Date.now() + 30_000));
  await signOut(page);
  await page.goto('/login');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('textbox', { name: 'Senha' }).fill(person.password);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await typeCode(page, '000000');
  await expect(page.getByRole('alert')).toContainText('Erro na autenticação');
  await page.getByRole('button', { name: 'Usar um código de recuperação' }).click();
  await page.getByLabel('Código de recuperação').fill(recovery);
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Olá, Nova');
});

test('a forgotten password: never told whether the address is known; the link works once', async ({
  page,
}) => {
  await page.goto('/forgot-password');
  await page.getByLabel('E-mail').fill('ninguem@arbora.example');
  await page.getByRole('button', { name: 'Enviar link' }).click();
  await expect(page.getByText('Se o e-mail existir, enviaremos um link.')).toBeVisible();

  // Of somebody as whom no other flow signs in: after this the password that the demo drew is not theirs any more.
  const { email } = demo('employee');
  // A link that a former try asked for keeps the next one back for a quarter of an hour, which passes here.
  tellDatabase(`DELETE FROM identity.failure WHERE scope LIKE 'reset:%'`);
  await page.goto('/forgot-password');
  await page.getByLabel('E-mail').fill(email);
  const mail = await mailAfter(page, email, /\/reset-password\//, async () => {
    await page.getByRole('button', { name: 'Enviar link' }).click();
    await expect(page.getByText('Se o e-mail existir, enviaremos um link.')).toBeVisible();
  });
  const path = new URL(mail.match(/https?:\/\/\S+\/reset-password\/\S+/)?.[0] ?? 'http://x').pathname;
  await page.goto(path);
  const fresh = `outra-senha-${Date.now().toString(36)}-longa`;
  await page.getByRole('textbox', { name: 'Nova senha' }).fill(fresh);
  await page.getByRole('textbox', { name: 'Repita a senha' }).fill(fresh);
  await page.getByRole('button', { name: 'Salvar nova senha' }).click();
  await expect(page.getByText('Senha alterada.')).toBeVisible();
  await signIn(page, { email, password: fresh });
  await page.goto(path);
  await expect(page.getByRole('alert')).toContainText('Link para alteração de senha inválido!');
});
