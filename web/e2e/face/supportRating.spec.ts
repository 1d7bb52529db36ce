/** How a ticket was solved, in the built face: asked once when it is closed, said by keyboard or not at all, and seen by staff at once. */

import { expectAccessible, fits, picture } from '../kit';
import { ago, DAY, JUST_NOW, MINUTE } from './clock';
import { CUSTOMER, refuse, stub } from './stub';
import { AGENT, ANSWERS, CUSTOMER_PANEL, desk, detail, T, taken, ticket } from './supportFixtures';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const OWN = `GET /support/get-ticket-user/${T}`;
const RATE = `POST /support/rate-ticket/${T}`;
const closed = (more: object = {}) =>
  ticket({ status: 'closed', closedAt: ago(MINUTE), asksRating: true, ...more });
const said = (more: object = {}) => closed({ asksRating: false, version: 11, ...more });
const asked = (page: Page) => page.getByRole('region', { name: 'Como foi resolvido' });

test('a closed ticket asks once, and is answered by keyboard', async ({ page }) => {
  const bodies: object[] = [];
  const rating = { score: 4, comment: 'Rápido e claro.', created_at: JUST_NOW };
  const state = await stub(page, CUSTOMER, { ...ANSWERS, [OWN]: detail({ ticket: closed() }) });
  state.answers[RATE] = async (route: Route) => {
    bodies.push(route.request().postDataJSON());
    state.answers[OWN] = detail({ ticket: said(), rating });
    await route.fulfill({ json: said() });
  };
  await page.goto(`/support/ticket/${T}`);
  await expect(asked(page)).toBeVisible();
  await expect(asked(page).getByRole('radio')).toHaveCount(5);
  // There is nothing to send before something was chosen.
  await expect(asked(page).getByRole('button')).toHaveText(['Prefiro não responder']);
  await picture(page, 'satisfaction');
  await expectAccessible(page);
  await asked(page).getByRole('radio', { name: 'Regular' }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await expect(asked(page).getByRole('radio', { name: 'Bom', exact: true })).toBeChecked();
  await asked(page).getByRole('textbox', { name: 'Quer contar mais? (opcional)' }).fill('Rápido e claro.');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'satisfaction-phone');
  await expectAccessible(page, ['dark']);
  await asked(page).getByRole('button', { name: 'Enviar resposta' }).click();
  await expect(asked(page)).toBeHidden();
  expect(bodies).toEqual([{ score: 4, comment: 'Rápido e claro.' }]);
  // The question is gone: whoever answered by keyboard goes on in the conversation.
  await expect(page.getByRole('log')).toBeFocused();
  await expect(page.getByRole('region', { name: 'Sua resposta' })).toContainText('Bom (4 de 5)');
  await expect(page.getByRole('region', { name: 'Sua resposta' })).toContainText('Rápido e claro.');
});

test('who does not want to say is asked no more', async ({ page }) => {
  const bodies: object[] = [];
  const state = await stub(page, CUSTOMER, { ...ANSWERS, [OWN]: detail({ ticket: closed() }) });
  state.answers[RATE] = async (route: Route) => {
    bodies.push(route.request().postDataJSON());
    state.answers[OWN] = detail({ ticket: said() });
    await route.fulfill({ json: said() });
  };
  await page.goto(`/support/ticket/${T}`);
  await asked(page).getByRole('button', { name: 'Prefiro não responder' }).click();
  await expect(asked(page)).toBeHidden();
  expect(bodies).toEqual([{ score: null, comment: null }]);
  await expect(page.getByRole('log')).toBeFocused();
  await expect(page.getByText('Não perguntaremos mais sobre este chamado.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Sua resposta' })).toHaveCount(0);
});

test('a refusal is told beside the question, and what was said elsewhere ends it', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...ANSWERS,
    [OWN]: detail({ ticket: closed() }),
    [RATE]: refuse(503, 'service.unavailable', 'Serviço indisponível no momento.'),
  });
  await page.goto(`/support/ticket/${T}`);
  await asked(page).getByRole('radio', { name: 'Muito bom' }).check();
  await asked(page).getByRole('button', { name: 'Enviar resposta' }).click();
  await expect(asked(page).getByRole('alert')).toBeVisible();
  await expect(asked(page).getByRole('radio', { name: 'Muito bom' })).toBeChecked();
  await state.fact(`user:${CUSTOMER._id}`, 1, { kind: 'ticket.activity', ticket: said() });
  await expect(asked(page)).toBeHidden();
});

test('the question comes with the closing, and is over after a week', async ({ page }) => {
  const state = await stub(page, CUSTOMER, ANSWERS);
  await page.goto(`/support/ticket/${T}`);
  await expect(page.getByRole('log')).toBeVisible();
  await expect(asked(page)).toHaveCount(0);
  await state.fact(`ticket:${T}`, 1, { kind: 'ticket.status', ticket: closed({ version: 10 }) });
  await expect(asked(page)).toBeVisible();
  state.answers[OWN] = detail({ ticket: closed({ closedAt: ago(8 * DAY) }) });
  await page.reload();
  await expect(page.getByRole('log')).toBeVisible();
  await expect(asked(page)).toHaveCount(0);
});

test('staff see at once what a customer said', async ({ page }) => {
  const team = `GET /support/get-ticket-support-team/${T}`;
  const shown = (more: object) => detail({ ticket: closed(), customer: CUSTOMER_PANEL, ...more });
  const state = await stub(page, AGENT, {
    ...ANSWERS,
    [team]: shown({ desk: desk(T, taken('Bia Ramos')) }),
  });
  await page.goto(`/customer-service/ticket-response/${T}`);
  await expect(page.getByRole('log')).toBeVisible();
  const theirs = page.getByRole('region', { name: 'Avaliação do cliente' });
  await expect(theirs).toHaveCount(0);
  // Nobody asks staff.
  await expect(asked(page)).toHaveCount(0);
  const known = desk(T, taken('Bia Ramos', { rating: 2, version: 12 }));
  state.answers[team] = shown({
    desk: known,
    rating: { score: 2, comment: 'Demorou muito.', created_at: JUST_NOW },
  });
  await state.fact('queue:tickets', 1, { kind: 'ticket.desk', desk: known, handedBy: null });
  await expect(theirs).toContainText('Ruim (2 de 5)');
  await expect(theirs).toContainText('Demorou muito.');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'satisfaction-staff-phone');
  await page.goto('/customer-service/tickets-list');
  await state.fact('queue:tickets', 1, { kind: 'ticket.desk', desk: known, handedBy: null });
  await expect(page.getByText('Avaliado com 2 de 5')).toBeVisible();
});
