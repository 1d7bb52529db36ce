/** An approved PIX withdrawal whose key others have seen: said before the press that another person has to agree, and by whom it was asked. */

import { expectAccessible, fits, picture } from '../kit';
import { page as listed } from './fixtures';
import { WITHDRAWAL as ROW } from './pixFixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const QUEUE = 'GET /admin/list-withdraw-pix-approve-reject';
const PREVIEW = 'GET /admin/approvals/preview';

test('what may be paid is given back by two', async ({ page }) => {
  const orders: unknown[] = [];
  const state = await stub(page, ADMINISTRATOR, {
    [QUEUE]: { ...listed([ROW]), pending: 1, oldest: ROW.waitingSince },
    [PREVIEW]: { needed: 2, completes: false, given: [] },
    'PATCH /admin/withdraw-pix-approve-reject': async (route: Route) => {
      orders.push(route.request().postDataJSON());
      await route.fulfill({ json: ROW });
    },
  });
  await page.goto('/pix-withdrawal-list?tab=topay');
  await page.getByText('@marina').first().click();
  const drawer = page.getByRole('dialog', { name: /Saque de/ });
  await drawer.getByRole('button', { name: 'Pagamento falhou' }).click();
  const question = page.getByRole('dialog', { name: 'Rejeitar este saque?' });
  await expect(question).toContainText('Outra pessoa viu a chave inteira e pode já ter pago.');
  await expect(question.getByTestId('approval-effect')).not.toContainText('volta ao saldo');
  await picture(page, 'pix-unpaid');
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await fits(page);
  await expectAccessible(page, ['dark']);
  await page.setViewportSize({ width: 1280, height: 720 });
  await question.getByLabel(/Motivo/).fill('O banco devolveu');
  await question.getByRole('button', { name: 'Rejeitar' }).click();
  await expect(
    page.getByTestId('toast').getByText('Pedido de devolução anotado. Falta outra pessoa concordar.'),
  ).toBeVisible();
  expect(orders).toEqual([{ id: ROW._id, status: 'rejected', reason: 'O banco devolveu' }]);

  // One's own word stands there, with the way to take it back.
  state.answers[PREVIEW] = refuse(409, 'decision.same_person', 'Você já concordou.');
  await page.reload();
  await page.getByText('@marina').first().click();
  await expect(drawer.getByTestId('own-word')).toBeVisible();

  // Nobody else has seen the key: at once.
  state.answers[PREVIEW] = { needed: 1, completes: true, given: [] };
  await page.reload();
  await page.getByText('@marina').first().click();
  await drawer.getByRole('button', { name: 'Pagamento falhou' }).click();
  await expect(question).toContainText('O valor volta ao saldo do cliente na hora.');
  await expect(question).not.toContainText('pode já ter pago');
});
