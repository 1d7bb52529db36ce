/** The browser's Back: one step back in what one is doing, never out of it with all that is typed (docs/rules/web.md#routing). */

import { address } from '../kit';
import { AT_WORK } from './fixtures';
import { CUSTOMER, stub } from './stub';
import { expect, test } from './window';

const UPLINE = { 'GET /affiliates/verify-upline/ana21': { username: 'ana21', firstName: 'Ana' } };

test('registration: Back leads to the step before, with what is typed; after it, to the question who one is', async ({
  page,
}) => {
  const { answers } = await stub(page, null, {
    ...UPLINE,
    'POST /auth/password-strength': { score: 4, acceptable: true },
    'POST /auth/register/ana21': { token: 'access' },
  });
  await page.goto('/forgot-password');
  await page.goto('/ref/ana21');
  const next = page.getByRole('button', { name: 'Continuar' });
  await page.getByLabel('Nome completo').fill('João Silva');
  await page.getByLabel('E-mail').fill('joao@exemplo.com.br');
  await page.getByRole('textbox', { name: 'Senha', exact: true }).fill('cavalo-bateria-grampo');
  await page.getByRole('textbox', { name: 'Repita a senha' }).fill('cavalo-bateria-grampo');
  await next.click();
  await address(page);
  await page.goBack();
  await expect(page.getByLabel('Nome completo')).toHaveValue('João Silva');
  await expect(page.getByRole('textbox', { name: 'Senha', exact: true })).toHaveValue(
    'cavalo-bateria-grampo',
  );
  await page.goForward();
  await expect(page.getByRole('textbox', { name: 'CEP' })).toHaveValue('01304-001');
  // The button does the same as the browser's.
  await page.getByRole('button', { name: 'Voltar' }).click();
  await expect(page.getByLabel('Nome completo')).toBeVisible();
  await next.click();
  await next.click();
  await page.getByLabel('Li e aceito os termos de uso.').check();
  await page.getByLabel('Li o aviso de risco').check();
  await page.getByLabel('Tenho 18 anos').check();
  answers['GET /me'] = { user: CUSTOMER };
  await page.getByRole('button', { name: 'Criar conta' }).click();
  await expect(page).toHaveURL('/');
  await page.goBack();
  await expect(page.getByText(`Neste navegador está Marina Duarte (${CUSTOMER.email}).`)).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await page.getByRole('link', { name: 'Continuar como Marina Duarte' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Olá, Marina');
});

test('Back closes what lies over the page, one after the other, and only then leaves it', async ({
  page,
}) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/');
  await page.getByRole('link', { name: 'Licenças' }).first().click();
  await page.getByRole('tab', { name: 'Planos' }).click();
  await expect(page).toHaveURL('/licences?tab=plans');
  await page.getByRole('article').first().getByRole('button', { name: 'Comprar licença' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await page.goBack();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL('/licences?tab=plans');
  await page.goBack();
  await expect(page).toHaveURL('/licences');
});
