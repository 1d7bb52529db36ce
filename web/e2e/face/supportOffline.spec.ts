/** A conversation after hours without a connection, in the built face: what was missed stands where it belongs, and what was written goes out once and
 *  in order, or not without another word. */

import { expectAccessible, fits, picture } from '../kit';
import { ahead, HOUR } from './clock';
import { CUSTOMER, refuse, stub } from './stub';
import { ANSWERS, bubbles, detail, message, T, ticket } from './supportFixtures';
import { expect, type Page, type Route, test } from './window';

const OWN = `GET /support/get-ticket-user/${T}`;
const SAY = 'POST /support/ticket-response';
const PHONE = { width: 390, height: 844 };
const field = (page: Page) => page.getByRole('textbox', { name: 'Escreva uma mensagem' });

async function write(page: Page, ...texts: string[]) {
  for (const text of texts) {
    await field(page).fill(text);
    await field(page).press('Control+Enter');
    await expect(page.getByRole('log').getByText(text, { exact: true })).toBeVisible();
  }
}

interface Said {
  text: string;
  clientId: string;
}

/** Stores each client id once, from message 7 on, and notes what was tried. */
function storing() {
  const tried: Said[] = [];
  const stored: Said[] = [];
  let broken = false;
  return {
    tried,
    stored,
    breaks: (now: boolean) => {
      broken = now;
    },
    answer: async (route: Route) => {
      const said = route.request().postDataJSON() as Said;
      tried.push(said);
      if (broken) return refuse(503, 'service.unavailable', 'Serviço indisponível no momento.')(route);
      if (!stored.some(({ clientId }) => clientId === said.clientId)) stored.push(said);
      const number = 7 + stored.findIndex(({ clientId }) => clientId === said.clientId);
      const told = message(number, 'customer', said.text, 0, { clientId: said.clientId });
      await route.fulfill({
        json: { ticket: ticket({ lastNumber: number, version: number + 10 }), message: told },
      });
    },
  };
}

test('what is written without a connection waits, and goes out once and in order', async ({
  page,
  context,
}) => {
  const server = storing();
  await stub(page, CUSTOMER, { ...ANSWERS, [SAY]: server.answer });
  await page.goto(`/support/ticket/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  await context.setOffline(true);
  await write(page, 'primeira', 'segunda', 'terceira');
  await expect(page.getByText('Na fila para enviar')).toHaveCount(3);
  expect(server.tried).toEqual([]);
  await picture(page, 'support-queued');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await context.setOffline(false);
  await expect(bubbles(page)).toHaveCount(9);
  await expect(page.getByText('Na fila para enviar')).toHaveCount(0);
  expect(server.tried.map(({ text }) => text)).toEqual(['primeira', 'segunda', 'terceira']);
  await expect(bubbles(page).nth(6)).toContainText('primeira');
  await expect(bubbles(page).nth(8)).toContainText('terceira');
});

test('what was not sent survives a reload, and is sent once and in order', async ({ page }) => {
  const server = storing();
  server.breaks(true);
  await stub(page, CUSTOMER, { ...ANSWERS, [SAY]: server.answer });
  await page.goto(`/support/ticket/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  await write(page, 'primeira');
  await expect(page.getByText('Não enviada.')).toBeVisible();
  await expect(page.getByText('Serviço indisponível no momento.')).toBeVisible();
  // The next does not overtake it.
  await write(page, 'segunda');
  await expect(page.getByText('Na fila para enviar')).toBeVisible();
  expect(server.tried).toHaveLength(1);
  server.breaks(false);
  await page.reload();
  await expect(bubbles(page)).toHaveCount(8);
  await expect(page.getByText('Não enviada.')).toHaveCount(0);
  expect(server.stored.map(({ text }) => text)).toEqual(['primeira', 'segunda']);
  expect(server.tried[1]?.clientId).toBe(server.tried[0]?.clientId);
  // Nothing is left to be sent again.
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('unsent:'))),
  ).toEqual([]);
});

test('what was written before the ticket was closed is not sent without another word', async ({
  page,
  context,
}) => {
  const server = storing();
  const state = await stub(page, CUSTOMER, { ...ANSWERS, [SAY]: server.answer });
  await page.goto(`/support/ticket/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  await context.setOffline(true);
  await write(page, 'ainda não entrou');
  const closed = ticket({ status: 'closed', closedAt: ahead(HOUR), version: 12 });
  state.answers[OWN] = detail({ ticket: closed });
  await context.setOffline(false);
  await expect(page.getByText('O chamado foi fechado depois que você escreveu.')).toBeVisible();
  expect(server.tried).toEqual([]);
  await expectAccessible(page, ['dark']);
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(bubbles(page)).toHaveCount(7);
  expect(server.tried.map(({ text }) => text)).toEqual(['ainda não entrou']);
});

test('two hundred missed ones stand after what was there, without a gap', async ({ page }) => {
  const LAST = 206;
  const state = await stub(page, CUSTOMER, ANSWERS);
  await page.goto(`/support/ticket/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  const line = (number: number) => message(number, 'staff', `Linha ${number}`, 1);
  const asked: (string | null)[] = [];
  state.answers[OWN] = async (route: Route) => {
    const { searchParams } = new URL(route.request().url());
    asked.push(searchParams.get('after'));
    const from = searchParams.has('after') ? Number(searchParams.get('after')) + 1 : LAST - 49;
    const to = Math.min(LAST, from + Number(searchParams.get('limit') ?? 50) - 1);
    await route.fulfill({
      json: detail({
        ticket: ticket({ lastNumber: LAST, version: 20 }),
        messages: Array.from({ length: to - from + 1 }, (_, index) => line(from + index)),
      }),
    });
  };
  // Too long ago to be told fact by fact.
  await state.say({ type: 'reset', stream: `ticket:${T}`, epoch: 1, seq: 900 });
  await expect(page.getByText(`Linha ${LAST}`, { exact: true })).toBeInViewport();
  expect(asked).toEqual([null, '6']);
  const log = page.getByRole('log');
  await log.focus();
  await page.keyboard.press('Home');
  await expect(log.locator('[data-number="1"]')).toBeInViewport();
  const numbers = await bubbles(page).evaluateAll((rows) =>
    rows.map((row) => Number((row as HTMLElement).dataset.number)),
  );
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(numbers.length).toBeGreaterThan(6);
});
