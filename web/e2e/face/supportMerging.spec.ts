/** Doubles in the built face: merged by staff, shown in the order of time with where they come from, and left for where one goes on. */

import { expectAccessible, fits, picture } from '../kit';
import { CUSTOMER, refuse, stub } from './stub';
import {
  AGENT,
  ANSWERS,
  CUSTOMER_PANEL,
  desk,
  detail,
  message,
  page1,
  staffTicket,
  T,
  ticket,
} from './supportFixtures';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const OTHER = '018f0000-0000-7000-8000-00000000bbbb';
const TEAM = `GET /support/get-ticket-support-team/${T}`;
const double = {
  _id: OTHER,
  number: 40,
  messages: [
    { ...message(1, 'customer', 'É o mesmo PIX de ontem.', 20), _id: 'o1', ticket: OTHER },
    { ...message(2, 'staff', 'Respondo no outro chamado.', 10), _id: 'o2', ticket: OTHER },
  ],
  hasOlder: false,
};
const merged = ticket({
  status: 'closed',
  closedAt: '2026-11-20T14:59:00Z',
  mergedInto: { _id: OTHER, number: 40 },
  version: 20,
});

test('staff merge a double by keyboard, and go on where it was merged into', async ({ page }) => {
  const bodies: object[] = [];
  const asked: string[] = [];
  await stub(page, AGENT, {
    ...ANSWERS,
    'GET /support/list-tickets-all/': async (route: Route) => {
      asked.push(new URL(route.request().url()).search);
      const rows = [staffTicket(), staffTicket({ _id: OTHER, number: 40, subject: 'O mesmo PIX' })];
      await route.fulfill({ json: page1(rows) });
    },
    [`POST /support/merge-ticket/${T}`]: async (route: Route) => {
      bodies.push(route.request().postDataJSON());
      await route.fulfill({ json: merged });
    },
    [`GET /support/get-ticket-support-team/${OTHER}`]: detail({
      ticket: ticket({ _id: OTHER, number: 40, subject: 'O mesmo PIX', doubles: 1 }),
      customer: CUSTOMER_PANEL,
      desk: desk(OTHER),
    }),
    [`GET /support/ticket-notes/${OTHER}`]: { data: [] },
  });
  await page.goto(`/customer-service/ticket-response/${T}`);
  await expect(page.getByRole('log')).toBeVisible();
  await page.getByRole('button', { name: 'Mais ações' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Unir a outro' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Unir este chamado a outro?' });
  await expect(dialog.getByRole('button', { name: 'Unir' })).toBeDisabled();
  await dialog.getByRole('combobox', { name: 'Chamado de destino' }).click();
  // Not into itself; of this customer, and open.
  await expect(page.getByRole('option')).toHaveText(['Nº 40: O mesmo PIX']);
  expect(
    asked.some((query) => query.includes(`userId=${CUSTOMER._id}`) && query.includes('status=open')),
  ).toBe(true);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await picture(page, 'merge');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await expectAccessible(page, ['dark']);
  expect(bodies).toEqual([]);
  await dialog.getByRole('button', { name: 'Unir' }).click();
  await expect(page).toHaveURL(`/customer-service/ticket-response/${OTHER}`);
  expect(bodies).toEqual([{ into: OTHER }]);
  await expect(page.getByRole('heading', { level: 1, name: 'O mesmo PIX' })).toBeVisible();
});

test('what was merged stands among the messages, in the order of time', async ({ page }) => {
  const state = await stub(page, CUSTOMER, ANSWERS);
  await page.goto(`/support/ticket/${T}`);
  const log = page.getByRole('log');
  await expect(log.locator('[data-number]')).toHaveCount(6);
  await expect(log.locator('[data-double]')).toHaveCount(0);
  // Merged while one looks: the ticket says that it has one more, and is read again.
  const grown = ticket({ doubles: 1, version: 12 });
  state.answers[`GET /support/get-ticket-user/${T}`] = detail({ ticket: grown, merged: [double] });
  await state.fact(`ticket:${T}`, 1, { kind: 'ticket.status', ticket: grown });
  await expect(log.locator('[data-double]')).toHaveText([
    /Do chamado nº 40\s*É o mesmo PIX de ontem/,
    /Do chamado nº 40\s*Respondo no outro chamado/,
  ]);
  // Twenty minutes ago and ten: around the deleted one of fourteen.
  const order = log.locator('[data-number], [data-double]');
  await expect(order.nth(4)).toContainText('É o mesmo PIX');
  await expect(order.nth(6)).toContainText('Respondo no outro');
  await expect(log.getByRole('link', { name: 'Do chamado nº 40' }).first()).toHaveAttribute(
    'href',
    `/support/ticket/${OTHER}`,
  );
  await picture(page, 'merged');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'merged-phone');
  await expectAccessible(page, ['dark']);
});

test('a double leads to where one goes on, and takes no more words', async ({ page }) => {
  const state = await stub(page, CUSTOMER, ANSWERS);
  await page.goto(`/support/ticket/${T}`);
  await expect(page.getByRole('textbox', { name: 'Escreva uma mensagem' })).toBeVisible();
  await state.fact(`ticket:${T}`, 1, { kind: 'ticket.status', ticket: merged });
  await expect(page.getByText('Este chamado foi unido a outro. Escreva no chamado nº 40.')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Escreva uma mensagem' })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Continuar no chamado nº 40' })).toHaveAttribute(
    'href',
    `/support/ticket/${OTHER}`,
  );
  await expectAccessible(page);
});

test('staff merge a double no further', async ({ page }) => {
  await stub(page, AGENT, {
    ...ANSWERS,
    [TEAM]: detail({ ticket: merged, customer: CUSTOMER_PANEL, desk: desk() }),
  });
  await page.goto(`/customer-service/ticket-response/${T}`);
  await expect(page.getByRole('link', { name: 'Continuar no chamado nº 40' })).toBeVisible();
  await page.getByRole('button', { name: 'Mais ações' }).click();
  await expect(page.getByRole('menuitem', { name: 'Excluir chamado' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Unir a outro' })).toHaveCount(0);
  // Nothing is said in it any more, by mail neither.
  await expect(page.getByRole('menuitem', { name: 'Enviar por e-mail' })).toHaveCount(0);
});

test('that there is no other ticket is said once it is known, and a failure as what it is', async ({
  page,
}) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const state = await stub(page, AGENT, ANSWERS);
  await page.goto(`/customer-service/ticket-response/${T}`);
  await expect(page.getByRole('log')).toBeVisible();
  state.answers['GET /support/list-tickets-all/'] = async (route: Route) => {
    if (new URL(route.request().url()).searchParams.has('userId')) await held;
    await route.fulfill({ json: page1([staffTicket()]) });
  };
  await page.getByRole('button', { name: 'Mais ações' }).click();
  await page.getByRole('menuitem', { name: 'Unir a outro' }).click();
  const dialog = page.getByRole('dialog', { name: 'Unir este chamado a outro?' });
  await dialog.getByRole('combobox', { name: 'Chamado de destino' }).click();
  await expect(page.getByText('Carregando…').last()).toBeVisible();
  await expect(page.getByText('O cliente não tem outro chamado aberto.')).toHaveCount(0);
  release();
  await expect(page.getByText('O cliente não tem outro chamado aberto.')).toBeVisible();
  state.answers['GET /support/list-tickets-all/'] = refuse(
    403,
    'auth.forbidden',
    'Você não está autorizado!',
  );
  await page.reload();
  await page.getByRole('button', { name: 'Mais ações' }).click();
  await page.getByRole('menuitem', { name: 'Unir a outro' }).click();
  await expect(dialog.getByText('Você não está autorizado!')).toBeVisible();
});

test('a double that is deleted leaves the conversation', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...ANSWERS,
    [`GET /support/get-ticket-user/${T}`]: detail({ ticket: ticket({ doubles: 1 }), merged: [double] }),
  });
  await page.goto(`/support/ticket/${T}`);
  const log = page.getByRole('log');
  await expect(log.locator('[data-double]')).toHaveCount(2);
  const alone = ticket({ doubles: 0, version: 12 });
  state.answers[`GET /support/get-ticket-user/${T}`] = detail({ ticket: alone, merged: [] });
  await state.fact(`user:${CUSTOMER._id}`, 1, { kind: 'ticket.activity', ticket: alone });
  await expect(log.locator('[data-double]')).toHaveCount(0);
});

test('of a long double it is said where its earlier messages are', async ({ page }) => {
  await stub(page, CUSTOMER, {
    ...ANSWERS,
    [`GET /support/get-ticket-user/${T}`]: detail({
      ticket: ticket({ doubles: 1 }),
      merged: [{ ...double, hasOlder: true }],
    }),
  });
  await page.goto(`/support/ticket/${T}`);
  const earlier = page.getByRole('log').getByRole('link', {
    name: 'As mensagens anteriores estão no chamado nº 40',
  });
  await expect(earlier).toHaveAttribute('href', `/support/ticket/${OTHER}`);
  await expectAccessible(page);
});
