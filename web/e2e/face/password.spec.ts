/** The password of now, asked for before something of the account changes: one field everywhere, and a wrong one is said at it. */

import { expectAccessible, picture, typeCode } from '../kit';
import { CONFIG, CUSTOMER, stub } from './stub';
import { expect, type Locator, type Page, type Route, test } from './window';

const GOOGLE = { ...CONFIG, google: true };
const WRONG = 'Senha incorreta.';
const wrong =
  (field = 'password') =>
  (route: Route) =>
    route.fulfill({
      status: 422,
      json: { code: 'password.wrong', message: WRONG, errors: { [field]: [WRONG] } },
    });

const field = (within: Page | Locator) => within.getByRole('textbox', { name: 'Senha atual' });

/** As a manager of passwords, the eye and a screen reader meet it. */
async function isTheField(within: Page | Locator) {
  await expect(field(within)).toHaveAttribute('autocomplete', 'current-password');
  await expect(field(within)).toHaveAttribute('name', 'current-password');
  await expect(field(within)).toHaveAttribute('required', '');
  await expect(field(within)).toHaveAttribute('type', 'password');
}

async function saysWrong(within: Page | Locator) {
  await expect(field(within)).toHaveAttribute('aria-invalid', 'true');
  await expect(field(within)).toHaveAccessibleDescription(new RegExp(WRONG));
  await expect(within.getByText(WRONG)).toHaveCount(1);
}

for (const [what, open, name, call] of [
  ['a factor', 'Desativar Código por e-mail', 'Desativar Código por e-mail', 'POST /setup-2fa'],
  ['Google', 'Vincular', 'Vincular conta Google', 'POST /me/google'],
] as const)
  test(`${what}: the password, then a code; the wrong one is said where it was typed, and no second code is mailed`, async ({
    page,
  }) => {
    const sent: unknown[] = [];
    const state = await stub(
      page,
      { ...CUSTOMER, google: null, hasPassword: true },
      { 'GET /config': GOOGLE, 'POST /security-code': {}, [call]: wrong() },
    );
    await page.goto('/account-setting?tab=security');
    await page.getByRole('button', { name: open, exact: true }).click();
    const dialog = page.getByRole('dialog', { name });
    await isTheField(dialog);
    await expect(field(dialog)).toBeFocused();
    await field(dialog).fill('errada');
    await dialog.getByRole('button', { name: 'Continuar' }).click();
    await expect(dialog.getByLabel('Dígito 1 de 6')).toBeFocused();
    await expectAccessible(page);
    await typeCode(page, '123456');
    await saysWrong(dialog);
    await expect(field(dialog)).toBeFocused();
    await picture(page, `password-wrong-${what}`);
    await expectAccessible(page);
    await field(dialog).fill('segredo-bem-longo');
    await expect(dialog.getByText(WRONG)).toHaveCount(0);
    state.answers[call] = async (route: Route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ status: 422, json: { code: 'code.wrong', message: 'Código incorreto.' } });
    };
    await dialog.getByRole('button', { name: 'Continuar' }).click();
    await typeCode(page, '654321');
    await expect(dialog.getByRole('alert')).toContainText('Código incorreto.');
    await expect(dialog.getByLabel('Dígito 1 de 6')).toBeFocused();
    expect(sent).toMatchObject([{ password: 'segredo-bem-longo', code: '654321' }]);
    expect(state.calls.filter((one) => one === 'POST /security-code')).toHaveLength(1);
  });

test('a lost factor is switched off by a recovery code', async ({ page }) => {
  const sent: unknown[] = [];
  const state = await stub(page, CUSTOMER, {
    'POST /security-code': {},
    'POST /setup-2fa': async (route: Route) => {
      sent.push(route.request().postDataJSON());
      state.answers['GET /me'] = {
        user: { ...CUSTOMER, twoFactor: { email: false, app: false, passkey: false, recoveryCodesLeft: 0 } },
      };
      await route.fulfill({ json: {} });
    },
  });
  await page.goto('/account-setting?tab=security');
  await page.getByRole('button', { name: 'Desativar Código por e-mail' }).click();
  const dialog = page.getByRole('dialog', { name: 'Desativar Código por e-mail' });
  await field(dialog).fill('segredo-bem-longo');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByRole('button', { name: 'Usar um código de recuperação' }).click();
  await dialog.getByRole('textbox', { name: 'Código de recuperação' }).fill('VNJIZ-KAZAZ');
  await dialog.getByRole('button', { name: 'Confirmar' }).click();
  await expect(page.getByTestId('toast')).toContainText('Verificação desativada.');
  await expect(dialog).toBeHidden();
  expect(sent).toEqual([
    { method: 'email', enable: false, password: 'segredo-bem-longo', code: 'VNJIZ-KAZAZ' },
  ]);
});

test('pairing an app, and the password itself: the same field, the same word', async ({ page }) => {
  await stub(page, CUSTOMER, {
    'POST /security-code': {},
    'POST /setup-2fa': wrong(),
    'POST /me/change-password': wrong('currentPassword'),
    'POST /auth/password-strength': { score: 4, acceptable: true },
  });
  await page.goto('/account-setting?tab=security');
  await page.getByRole('button', { name: 'Ativar Aplicativo autenticador' }).click();
  const pairing = page.getByRole('dialog');
  await isTheField(pairing);
  await field(pairing).fill('errada');
  await pairing.getByRole('button', { name: 'Continuar' }).click();
  await saysWrong(pairing);
  await page.keyboard.press('Escape');
  await expect(pairing).toBeHidden();
  const card = page.getByRole('region', { name: 'Alterar senha' });
  await isTheField(card);
  await card.getByRole('button', { name: 'Alterar senha' }).click();
  await expect(field(card)).toHaveAccessibleDescription(/Preencha este campo\./);
  await expect(card.getByLabel('Nova senha')).toHaveAttribute('aria-invalid', 'true');
  await field(card).fill('errada');
  await card.getByLabel('Nova senha').fill('cavalo-bateria-grampo');
  await card.getByLabel('Repita a senha').fill('cavalo-bateria-grampo');
  await card.getByRole('button', { name: 'Alterar senha' }).click();
  await typeCode(page, '123456');
  await saysWrong(card);
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(card.getByLabel('Nova senha')).toHaveValue('cavalo-bateria-grampo');
  await picture(page, 'password-wrong');
});

test('whoever corrects a mistyped address meets it, too', async ({ page }) => {
  await stub(
    page,
    { ...CUSTOMER, emailConfirmed: false, missing: ['email'] },
    { 'POST /email/correction': wrong() },
  );
  await page.goto('/');
  await page.getByRole('button', { name: 'Corrigir o e-mail' }).click();
  await isTheField(page);
  await page.getByLabel('E-mail certo').fill('marina@exemplo.com');
  await field(page).fill('errada');
  await page.getByRole('button', { name: 'Corrigir e enviar o link' }).click();
  await saysWrong(page);
});
