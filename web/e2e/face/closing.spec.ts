/** Closing one's account: what is in the way, the asking, the banner while it waits, the way back. */

import { expectAccessible, fits, picture, typeCode } from '../kit';
import { ACCOUNT, CLOSING, CLOSING_BLOCKED, CLOSING_LITTLE, CLOSING_WAITS } from './accountFixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const AWAY = { ...CUSTOMER, closingAt: CLOSING_WAITS.waiting.dueAt };
const card = (page: Page) => page.getByRole('region', { name: 'Encerrar conta' });

test('what is in the way is said with its figure and the way there', async ({ page }) => {
  await stub(page, CUSTOMER, { ...ACCOUNT, 'GET /me/closing': CLOSING_BLOCKED });
  await page.goto('/account-setting?tab=privacy');
  const list = card(page).getByRole('list', { name: 'Resolva antes:' });
  await expect(list.getByRole('listitem')).toHaveCount(5);
  await expect(list.getByText('1.250,5000')).toBeVisible();
  // By the ways by which there is something; what may leave goes by either.
  for (const [name, href] of [
    ['Ver saques em cripto', '/wallet/my-withdrawals'],
    ['Sacar por PIX', '/wallet/my-withdrawals-pix'],
    ['Sacar em cripto', '/wallet/my-withdrawals'],
  ] as const)
    await expect(list.getByRole('link', { name })).toHaveAttribute('href', href);
  await expect(list.getByRole('link', { name: /^Ver saques/ })).toHaveCount(1);
  const ask = card(page).getByRole('button', { name: 'Encerrar minha conta' });
  await expect(ask).toHaveAttribute('aria-disabled', 'true');
  await expect(ask).toHaveAttribute('aria-description', 'Resolva antes o que está na lista.');
  await ask.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await picture(page, 'closing-blocked');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page, 'what is in the way on a phone');
  await picture(page, 'closing-blocked-phone');
  await expectAccessible(page, ['dark']);
});

test('one asks with password and code, sees the banner, and takes it back', async ({ page }) => {
  const bodies: unknown[] = [];
  const noted = (answer: (route: Route) => Promise<void>) => (route: Route) => {
    bodies.push(route.request().postDataJSON());
    return answer(route);
  };
  let tries = 0;
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /me/closing': { ...CLOSING, wallet: true },
    'POST /security-code': { method: 'email' },
    'POST /me/closing': noted((route) => {
      tries += 1;
      if (tries === 1)
        return route.fulfill({
          status: 422,
          json: {
            code: 'password.wrong',
            message: 'Senha incorreta.',
            errors: { password: ['Senha incorreta.'] },
          },
        });
      state.answers['GET /me'] = { user: AWAY };
      state.answers['GET /me/closing'] = CLOSING_WAITS;
      return route.fulfill({ json: CLOSING_WAITS });
    }),
    'DELETE /me/closing': (route: Route) => {
      state.answers['GET /me'] = { user: CUSTOMER };
      state.answers['GET /me/closing'] = CLOSING;
      return route.fulfill({ json: CLOSING });
    },
  });
  await page.goto('/account-setting?tab=privacy');
  await card(page).getByRole('button', { name: 'Encerrar minha conta' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Sua conta será encerrada em 7 dias.')).toBeVisible();
  await dialog.getByLabel('Senha atual').fill('errada');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await expect(dialog.getByText('Confirme para continuar.')).toBeVisible();
  await picture(page, 'closing-form');
  await expectAccessible(page);
  await dialog.getByRole('checkbox').check();
  await dialog.getByLabel('Por que está saindo? (opcional)').fill('Mudei de plataforma');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await typeCode(page, '123456');
  // A wrong password is said where it was typed.
  await expect(page.getByText('Senha incorreta.')).toBeVisible();
  await page.getByRole('dialog').getByLabel('Senha atual').fill('certa');
  await page.getByRole('dialog').getByRole('button', { name: 'Continuar' }).click();
  await typeCode(page, '654321');
  const banner = page.getByTestId('closing-banner');
  await expect(banner.getByText('Sua conta será encerrada em')).toBeVisible();
  await expect(card(page).getByText('Sua conta está para ser encerrada')).toBeVisible();
  await picture(page, 'closing-waits');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page, 'a waiting closing on a phone');
  await picture(page, 'closing-waits-phone');
  expect(bodies).toEqual([
    { password: 'errada', reason: 'Mudei de plataforma', walletSettled: true, securityCode: '123456' },
    { password: 'certa', reason: 'Mudei de plataforma', walletSettled: true, securityCode: '654321' },
  ]);

  await card(page).getByRole('button', { name: 'Cancelar o encerramento' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancelar o encerramento' }).click();
  await expect(banner).toBeHidden();
  await expect(card(page).getByRole('button', { name: 'Encerrar minha conta' })).toBeVisible();
});

test('what is too little to be taken out is left to the house, by its sum', async ({ page }) => {
  const bodies: unknown[] = [];
  const left = { available: '3.250000', pyx: '0.400000', ranks: '50.000000' };
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /me/closing': CLOSING_LITTLE,
    'POST /security-code': { method: 'email' },
    'POST /me/closing': (route: Route) => {
      bodies.push(route.request().postDataJSON());
      const waits = { ...CLOSING_WAITS, left };
      state.answers['GET /me'] = { user: AWAY };
      state.answers['GET /me/closing'] = waits;
      return route.fulfill({ json: waits });
    },
  });
  await page.goto('/account-setting?tab=privacy');
  await expect(card(page).getByText(/se quiser, fica com a casa/)).toHaveCount(3);
  await card(page).getByRole('button', { name: 'Encerrar minha conta' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Senha atual').fill('certa');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await expect(dialog.getByText('Confirme para continuar.')).toHaveCount(3);
  await picture(page, 'closing-little');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page, 'what is left to the house on a phone');
  await picture(page, 'closing-little-phone');
  for (const name of [/o saldo que não alcança um saque/, /os PYX que não alcançam/, /os bônus de graduação/])
    await dialog.getByRole('checkbox', { name }).check();
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await typeCode(page, '123456');
  await expect(card(page).getByText('Fica com a casa, do seu saldo:')).toBeVisible();
  expect(bodies).toEqual([{ password: 'certa', left, securityCode: '123456' }]);
});

test('who has not confirmed the address may leave, and thinks again there', async ({ page }) => {
  const before = { ...CUSTOMER, emailConfirmed: false, missing: ['email'] };
  const state = await stub(page, before, {
    'GET /me/closing': CLOSING,
    'DELETE /me/closing': (route: Route) => {
      state.answers['GET /me'] = { user: before };
      state.answers['GET /me/closing'] = CLOSING;
      return route.fulfill({ json: CLOSING });
    },
  });
  await page.goto('/');
  await page.getByRole('button', { name: 'Encerrar a minha conta' }).click();
  await expect(card(page).getByRole('button', { name: 'Encerrar minha conta' })).toBeVisible();
  await picture(page, 'closing-unconfirmed');
  await expectAccessible(page);
  state.answers['GET /me'] = { user: { ...before, closingAt: CLOSING_WAITS.waiting.dueAt } };
  state.answers['GET /me/closing'] = CLOSING_WAITS;
  await page.reload();
  await card(page).getByRole('button', { name: 'Cancelar o encerramento' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancelar o encerramento' }).click();
  await expect(page.getByRole('button', { name: 'Encerrar a minha conta' })).toBeVisible();
});

test('the banner leads from any screen to where it is cancelled', async ({ page }) => {
  await stub(page, AWAY, { ...ACCOUNT, 'GET /me/closing': CLOSING_WAITS });
  await page.goto('/account-setting');
  await page.getByTestId('closing-banner').getByRole('link', { name: 'Ver ou cancelar' }).click();
  await expect(page).toHaveURL('/account-setting?tab=privacy');
  await expect(card(page).getByRole('button', { name: 'Cancelar o encerramento' })).toBeVisible();
});

test('what fails says so and can be asked again', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /me/closing': refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.'),
  });
  await page.goto('/account-setting?tab=privacy');
  await expect(card(page).getByText(/o que falta para encerrar a conta/)).toBeVisible();
  await state.fromClick('GET /me/closing', CLOSING);
  await card(page).getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(card(page).getByRole('button', { name: 'Encerrar minha conta' })).toBeVisible();
});
