/** Ranks: the way to the next one, and the bonus of each from its offer to its payment. */

import { expectAccessible, fits, picture } from '../kit';
import { bonusPayment, GRADUATION, MEMBERS, NETWORK, OFFER, OWN_RANKS, RANKED } from './affiliatesFixtures';
import { PAID_BY } from './analyticsFixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
/** What lies behind a word of danger, in the dark skin (`app/theme.ts`). */
const DANGER = 'rgba(255, 107, 120, 0.13)';
const PAYING = `GET /admin/graduation/pay-bonus/${OFFER.graduation}`;

/** The member whose bonus is on offer. */
const OWED = { _id: OFFER.user };

const answered = (status: string, message: string, more: object = {}) => ({
  message,
  data: { ...OFFER, ...bonusPayment(status), trxHash: null, ...more },
});

test('a rank bonus is paid where the ranks are shown as well', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/graduations': { ...MEMBERS, data: MEMBERS.data.map((row) => ({ ...row, _id: OWED._id })) },
    'GET /admin/graduation': DOWN,
    [PAYING]: OFFER,
    'GET /admin/approvals/preview': { needed: 1, completes: true, given: [] },
  });
  await page.goto('/graduations');
  await expect(page.getByRole('alert')).toContainText('Não foi possível carregar os bônus a pagar.');
  await state.fromClick('GET /admin/graduation', { ...GRADUATION, data: GRADUATION.data.slice(1) });
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await page.getByRole('button', { name: 'Pagar bônus de Ouro' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Bônus de Ouro' });
  await drawer.getByRole('button', { name: 'Pagar bônus' }).click();
  const question = page.getByRole('dialog', { name: 'Pagar este bônus?' });
  state.answers['POST /admin/graduation/pay-bonus'] = refuse(
    422,
    'graduation.fund_short',
    'O fundo de graduações não cobre este bônus.',
  );
  await question.getByRole('button', { name: 'Pagar bônus' }).click();
  await expect(question.getByRole('alert')).toContainText('O fundo de graduações não cobre este bônus.');
  await expect(question.getByRole('alert')).toHaveCSS('background-color', DANGER);
  await expectAccessible(page, ['dark']);
  state.answers['POST /admin/graduation/pay-bonus'] = answered('approved', 'Pagamento liberado.');
  await question.getByRole('button', { name: 'Pagar bônus' }).click();
  await expect(page.getByTestId('toast').getByText('Pagamento liberado.')).toBeVisible();
});

test('who is near a rank: the next one and what is missing for it, also of those who hold none yet', async ({
  page,
}) => {
  const asked: string[] = [];
  const [gold, ...others] = MEMBERS.data;
  await stub(page, ADMINISTRATOR, {
    'GET /admin/graduation': GRADUATION,
    'GET /admin/graduations': (route: Route) => {
      asked.push(new URL(route.request().url()).search);
      // The last rank has none after it.
      return route.fulfill({
        json: { ...MEMBERS, data: [{ ...gold, rank: 'crown', next: null }, ...others] },
      });
    },
  });
  await page.goto('/graduations');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`@${name}`) });
  await expect(row('bruno7')).toContainText('Prata');
  await expect(row('bruno7')).toContainText('Ouro');
  await expect(row('bruno7')).toContainText('faltam 6.600');
  await expect(row('diego44')).toContainText('Nenhuma ainda');
  await expect(row('diego44')).toContainText('Bronze');
  await expect(row('diego44')).toContainText('faltam 50');
  await expect(row('ana21')).toContainText('Coroa');
  await expect(row('ana21')).not.toContainText('faltam');
  await page.getByRole('combobox', { name: 'Graduação' }).click();
  await page.getByRole('option', { name: 'Nenhuma ainda' }).click();
  await expect.poll(() => asked.at(-1)).toContain('rank=none');
  await expectAccessible(page);
  await picture(page, 'affiliates-near-a-rank');
});

test('the way to the next rank moves with a closing that pays points and brings no rank', async ({
  page,
}) => {
  const state = await stub(page, RANKED, {
    'GET /affiliates/dashboard': NETWORK,
    'GET /affiliates/graduations': OWN_RANKS,
    'GET /dashboard/paid-by': PAID_BY,
  });
  await page.goto('/affiliate-network/dashboard');
  const card = page.getByRole('region', { name: 'Próxima graduação' });
  await expect(card).toContainText('5.400 de 20.000 pontos');
  const me = state.answers['GET /me'] as { places: object[] };
  const profile = (points: string, progress: number) => ({
    ...me,
    user: { ...RANKED, nextGraduationInfo: { ...RANKED.nextGraduationInfo, points, progress } },
  });
  const share = (seq: number, kind: string, status: string) =>
    state.fact(`user:${RANKED._id}`, seq, {
      kind: 'closing.booked',
      share: { businessDay: '2026-11-20', kind, status, amount: '25.000000', lostReason: null, rank: null },
    });
  const asked = (call: string) => state.calls.filter((one) => one === call).length;
  const [profiles, dashboards] = [asked('GET /me'), asked('GET /affiliates/dashboard')];
  // Neither of these pays points: the profile is left alone.
  await share(1, 'residual', 'paid');
  await share(2, 'binary', 'lost');
  await expect.poll(() => asked('GET /affiliates/dashboard')).toBeGreaterThan(dashboards);
  // Held or not: points whose bonus was earned count.
  let seq = 2;
  for (const [status, points, progress, shown] of [
    ['paid', '5650.000000', 28, '5.650'],
    ['young', '5900.000000', 29, '5.900'],
    ['deferred', '6150.000000', 30, '6.150'],
  ] as const) {
    state.answers['GET /me'] = profile(points, progress);
    await share(++seq, 'binary', status);
    await expect(card).toContainText(`${shown} de 20.000 pontos`);
  }
  expect(asked('GET /me')).toBe(profiles + 3);
});

test('what became of the bonus of each rank stands beside the progress, live', async ({ page }) => {
  const call = 'GET /affiliates/graduations';
  const state = await stub(page, RANKED, {
    'GET /affiliates/dashboard': NETWORK,
    'GET /dashboard/paid-by': PAID_BY,
    [call]: DOWN,
  });
  await page.goto('/affiliate-network/dashboard');
  const failed = page.getByRole('alert').filter({ hasText: 'os bônus das graduações' });
  await expect(failed).toContainText('Não foi possível carregar os bônus das graduações.');
  await state.fromClick(call, OWN_RANKS);
  await failed.getByRole('button', { name: 'Tentar de novo' }).click();
  const ranks = page.getByRole('list', { name: 'Bônus das graduações' }).getByRole('listitem');
  await expect(ranks).toHaveCount(2);
  await expect(ranks.nth(0)).toContainText('250,00');
  await expect(ranks.nth(0)).toContainText('Alcançada em 04/05/2026');
  await expect(ranks.nth(1)).toContainText('Pago em 09/01/2026');
  await expect(ranks.nth(1).getByRole('button', { name: 'Copiar hash' })).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'affiliates-own-ranks');
  const [silver, ...older] = OWN_RANKS.data;
  state.answers[call] = { ...OWN_RANKS, data: [{ ...silver, status: 'sent' }, ...older] };
  const payment = (seq: number, more: object) =>
    state.fact(`user:${RANKED._id}`, seq, {
      kind: 'graduation_bonus.changed',
      payment: { _id: 'p', graduation: silver?._id, transaction: `0x${'ab'.repeat(32)}`, ...more },
    });
  await payment(1, { status: 'sent', completedAt: null });
  await expect(ranks.nth(0).locator('[data-status="sent"]')).toBeVisible();
  // Paid is said by the fact itself.
  await payment(2, { status: 'complete', completedAt: '2026-05-06T12:00:00Z' });
  await expect(ranks.nth(0)).toContainText('Pago em 06/05/2026');
  await expect(ranks.nth(0).getByRole('button', { name: 'Copiar hash' })).toBeVisible();
});

/** The list with the last row's payment as it stands. */
const graduations = (payment: object | null, more: object = {}) => ({
  ...GRADUATION,
  data: GRADUATION.data.map((row) => (row._id === OFFER.graduation ? { ...row, payment, ...more } : row)),
});

test('a rank bonus: to whom and how much before the press, one order, the second person, the hash', async ({
  page,
}) => {
  const sent: { body: unknown; key: string | undefined }[] = [];
  const half = bonusPayment('pending', { approvalsNeeded: 2 });
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/graduation': GRADUATION,
    [PAYING]: OFFER,
    'GET /admin/approvals/preview': { needed: 2, completes: false, given: [] },
    'POST /admin/graduation/pay-bonus': async (route: Route) => {
      const request = route.request();
      sent.push({ body: request.postDataJSON(), key: request.headers()['idempotency-key'] });
      if (sent.length === 1)
        return refuse(422, 'graduation.fund_short', 'O fundo de graduações não cobre este bônus.')(route);
      state.answers['GET /admin/graduation'] = graduations(half);
      await route.fulfill({ json: answered('pending', 'Pedido feito: 1 de 2 pessoas concordaram.') });
    },
  });
  await page.goto('/graduation-list');
  const row = page.locator(`tr[data-row="${OFFER.graduation}"]`);
  await expect(row).toContainText('Pendente');
  await row.click();
  const drawer = page.getByRole('dialog', { name: 'Bônus de Ouro' });
  await expect(drawer.getByText('0x fB69 1609 5ca1 df60 bB79 Ce92 cE3E a74c 37c5 d359')).toBeVisible();
  await expect(drawer.getByText('BNB Smart Chain')).toBeVisible();
  await picture(page, 'graduation-offer-dark');
  await expectAccessible(page);
  await drawer.getByRole('button', { name: 'Pagar bônus' }).click();
  const question = page.getByRole('dialog', { name: 'Pagar este bônus?' });
  await expect(question.getByRole('row', { name: 'Bônus' })).toContainText(/1\.000,00\sUSDT/);
  await expect(question.getByRole('row', { name: 'Rede' })).toContainText('BNB Smart Chain');
  await expect(question.getByText('0x fB69 1609 5ca1 df60 bB79 Ce92 cE3E a74c 37c5 d359')).toBeVisible();
  await expect(question.getByText(/Outra pessoa também precisa aprovar/)).toBeVisible();
  await picture(page, 'graduation-question-dark');
  await expectAccessible(page, ['dark']);
  // What is refused is said in red, and nothing is closed.
  await question.getByRole('button', { name: 'Pagar bônus' }).click();
  await expect(question.getByRole('alert')).toContainText('O fundo de graduações não cobre este bônus.');
  await picture(page, 'graduation-refused-dark');
  await question.getByRole('button', { name: 'Pagar bônus' }).click();
  const done = page.getByTestId('toast').filter({ hasText: 'Pedido feito: 1 de 2 pessoas concordaram.' });
  await expect(done).toBeVisible();
  await expect(done).toHaveAttribute('data-tone', 'success');
  await expect(row).toContainText('1 de 2 aprovações');
  expect(sent.map(({ body }) => body)).toEqual([
    { graduationId: OFFER.graduation },
    { graduationId: OFFER.graduation },
  ]);

  // The second person releases it, or turns it down.
  state.answers['GET /admin/approvals/preview'] = {
    needed: 2,
    completes: true,
    given: [{ _id: 'u2', username: 'bia3' }],
  };
  await row.click();
  await expect(drawer.getByText('1 de 2 aprovações')).toBeVisible();
  await drawer.getByRole('button', { name: 'Recusar' }).click();
  const no = page.getByRole('dialog', { name: 'Recusar este pagamento?' });
  await expect(no.getByRole('button', { name: 'Recusar' })).toBeDisabled();
  await no.getByRole('button', { name: 'Cancelar' }).click();
  await drawer.getByRole('button', { name: 'Liberar pagamento' }).click();
  await expect(question.getByText(/@bia3 já aprovou/)).toBeVisible();
  state.answers['POST /admin/graduation/pay-bonus'] = answered('approved', 'Pagamento liberado.');
  state.answers['GET /admin/graduation'] = graduations(bonusPayment('approved'));
  await question.getByRole('button', { name: 'Liberar pagamento' }).click();
  await expect(page.getByTestId('toast').getByText('Pagamento liberado.')).toBeVisible();
  await expect(row).toContainText('Aprovado');

  // Signed, and final: told, nobody has to ask.
  const HASH = `0x${'cd'.repeat(32)}`;
  const told = async (seq: number, status: string, more: object = {}) => {
    const payment = bonusPayment(status, { transaction: HASH, version: seq + 1 });
    state.answers['GET /admin/graduation'] = graduations(payment, { bonusPaymentHash: HASH, ...more });
    state.answers[PAYING] = { ...OFFER, payment: { ...OFFER, ...payment } };
    await state.fact('queue:graduation-bonuses', seq, {
      kind: 'queue.changed',
      queue: 'graduation-bonuses',
      item: { type: 'graduation_bonus', payment: { ...OFFER, ...payment } },
      pending: 0,
    });
  };
  await told(1, 'sent');
  await expect(row).toContainText('Enviado');
  await told(2, 'complete', { isBonusPaid: true, paidAt: '2026-11-20T12:00:00Z' });
  await expect(row).toContainText('Pago');
  await row.click();
  await expect(drawer.getByRole('link', { name: HASH })).toHaveAttribute(
    'href',
    `https://bscscan.com/tx/${HASH}`,
  );
  await picture(page, 'graduation-paid-dark');
  await expectAccessible(page, ['dark']);
});

test('a rank bonus on a phone: what stands against it is said instead of a press that fails', async ({
  page,
}) => {
  await page.setViewportSize(PHONE);
  await stub(page, ADMINISTRATOR, {
    'GET /admin/graduation': graduations(bonusPayment('failed', { transaction: `0x${'cd'.repeat(32)}` })),
    [PAYING]: refuse(422, 'graduation.wallet_missing', 'O membro ainda não abriu a carteira dele.'),
  });
  await page.goto('/graduation-list');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Falhou' })
    .getByRole('button', { name: 'Abrir' })
    .click();
  const drawer = page.getByRole('dialog', { name: 'Bônus de Ouro' });
  await expect(drawer.getByRole('alert')).toContainText('O membro ainda não abriu a carteira dele.');
  await expect(drawer.getByText(/A rede recusou a transação/)).toBeVisible();
  await expect(drawer.getByRole('button', { name: 'Pagar bônus' })).toHaveAttribute('aria-disabled', 'true');
  await fits(page);
  await picture(page, 'graduation-refusal-phone');
  await expectAccessible(page, ['dark']);
});
