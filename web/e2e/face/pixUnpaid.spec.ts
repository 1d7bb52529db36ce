/** An approved PIX withdrawal whose key others have seen: said before the press that another person has to agree, and by whom it was asked. */

import { expectAccessible, fits, picture } from '../kit';
import { ago, HOUR, JUST_NOW } from './clock';
import { page as listed } from './fixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const QUEUE = 'GET /admin/list-withdraw-pix-approve-reject';
const PREVIEW = 'GET /admin/approvals/preview';
const ROW = {
  _id: '018f0000-0000-7000-8000-00000000c001',
  user: 'u-marina',
  username: CUSTOMER.username,
  fullName: 'Marina Duarte',
  email: 'marina@exemplo.com.br',
  memberSince: ago(900 * HOUR),
  value: '50.000000',
  fee: '1.000000',
  net: '49.000000',
  brl: '245.00',
  rate: '5.0000',
  keyKind: 'cpf',
  key: '***.982.247-**',
  document: '***.982.247-**',
  holder: 'matches',
  paidBefore: 2,
  signals: [],
  case: null,
  status: 'approved',
  approvals: 1,
  approvalsNeeded: 1,
  waitingSince: ago(2 * HOUR),
  expiresAt: ago(-100 * HOUR),
  created_at: ago(2 * HOUR),
  paidAt: null,
  endToEndId: null,
  proof: null,
  proofKind: null,
  reason: null,
  offer: null,
  decidedAt: JUST_NOW,
  version: 3,
};

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
