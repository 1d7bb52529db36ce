/** A ticket's conversation by mail, in the built face: asked for by its customer, by keyboard too, and refused in words. */

import { expectAccessible, fits, picture } from '../kit';
import { CUSTOMER, refuse, stub } from './stub';
import { AGENT, ANSWERS, T } from './supportFixtures';
import { expect, test } from './window';

const PHONE = { width: 390, height: 844 };
const MAIL = `POST /support/mail-transcript/${T}`;

test('a customer has the conversation mailed to themselves', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...ANSWERS,
    [MAIL]: refuse(429, 'request.rate_limited', 'Muitas tentativas. Espere um pouco.'),
  });
  await page.goto(`/support/ticket/${T}`);
  await expect(page.getByRole('log')).toBeVisible();
  await page.getByRole('button', { name: 'Mais ações' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Receber por e-mail' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Receber esta conversa por e-mail?' });
  await expect(dialog).toContainText('Depósito PIX não apareceu no saldo');
  expect(state.calls).not.toContain(MAIL);
  await picture(page, 'transcript');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'transcript-phone');
  await expectAccessible(page, ['dark']);
  await dialog.getByRole('button', { name: 'Enviar para mim' }).click();
  await expect(dialog.getByText('Muitas tentativas. Espere um pouco.')).toBeVisible();
  state.answers[MAIL] = { sentTo: 'ma***@exemplo.com.br' };
  await dialog.getByRole('button', { name: 'Enviar para mim' }).click();
  await expect(dialog).toBeHidden();
  await expect(
    page.getByTestId('toast').getByText('Conversa enviada para ma***@exemplo.com.br.'),
  ).toBeVisible();
});

test('staff have no transcript to send to themselves', async ({ page }) => {
  await stub(page, AGENT, ANSWERS);
  await page.goto(`/customer-service/ticket-response/${T}`);
  await expect(page.getByRole('log')).toBeVisible();
  await page.getByRole('button', { name: 'Mais ações' }).click();
  await expect(page.getByRole('menuitem', { name: 'Enviar por e-mail' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Receber por e-mail' })).toHaveCount(0);
});
