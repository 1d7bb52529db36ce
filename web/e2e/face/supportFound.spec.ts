/** Words in a conversation of which a part is drawn: the server finds them, and one goes from one message to the next by keyboard and by hand. The
 *  browser's own search stays the browser's. */

import { expectAccessible, fits, picture } from '../kit';
import { CUSTOMER, refuse, stub } from './stub';
import { AGENT, ANSWERS, CUSTOMER_PANEL, desk, detail, message, T, ticket } from './supportFixtures';
import { expect, type Page, type Route, test } from './window';

const TOTAL = 400;
const PHONE = { width: 390, height: 844 };
/** Where the words are, the newest first, and how many of them come at once. */
const HITS = [390, 210, 12];
const AT_ONCE = 2;

const said = (number: number) =>
  HITS.includes(number) ? `Linha ${number}: meus Saques não chegaram` : `Linha ${number}`;
const line = (number: number) =>
  message(number, number % 3 === 0 ? 'customer' : 'staff', said(number), (TOTAL - number) * 7 + 5);

const numberIn = (route: Route, name: string) => {
  const { searchParams } = new URL(route.request().url());
  return searchParams.has(name) ? Number(searchParams.get(name)) : null;
};

/** As the server pages a conversation. */
const history =
  (more: object = {}) =>
  async (route: Route) => {
    const limit = numberIn(route, 'limit') ?? 50;
    const before = numberIn(route, 'before') ?? TOTAL + 1;
    const from = Math.max(1, before - limit);
    const messages = Array.from({ length: before - from }, (_, index) => line(from + index));
    const whole = ticket({ lastNumber: TOTAL, readByCustomer: TOTAL, readByStaff: TOTAL });
    await route.fulfill({ json: detail({ ticket: whole, messages, hasOlder: from > 1, ...more }) });
  };

/** As the server pages what it found. */
const found = async (route: Route) => {
  const before = numberIn(route, 'before') ?? TOTAL + 1;
  const asked = new URL(route.request().url()).searchParams.get('search') ?? '';
  const all = asked.startsWith('saque') ? HITS : [];
  const left = all.filter((number) => number < before);
  const data = left.slice(0, AT_ONCE).map((number) => {
    const { author, authorName, created_at, text } = line(number);
    return { number, text, author, authorName, created_at };
  });
  await route.fulfill({ json: { data, total: all.length, hasOlder: left.length > AT_ONCE } });
};

const OWN = `GET /support/search-ticket-user/${T}`;
const TEAM = `GET /support/search-ticket-support-team/${T}`;
const SIDES = [
  [
    'its customer',
    CUSTOMER,
    `/support/ticket/${T}`,
    { [`GET /support/get-ticket-user/${T}`]: history(), [OWN]: found },
  ],
  [
    'staff',
    AGENT,
    `/customer-service/ticket-response/${T}`,
    {
      [`GET /support/get-ticket-support-team/${T}`]: history({ customer: CUSTOMER_PANEL, desk: desk() }),
      [TEAM]: found,
    },
  ],
] as const;

const log = (page: Page) => page.getByRole('log');
const row = (page: Page, number: number) => log(page).locator(`[data-number="${number}"]`);
const field = (page: Page) => page.getByRole('searchbox', { name: 'Buscar nesta conversa' });
const results = (page: Page) => page.getByTestId('found');
const marked = (page: Page) => log(page).locator('[data-marked]');

for (const [side, user, path, answers] of SIDES)
  test(`one goes from one found message to the next: ${side}`, async ({ page }) => {
    await stub(page, user, { ...ANSWERS, ...answers });
    await page.goto(path);
    await expect(row(page, TOTAL)).toBeInViewport();
    await page.keyboard.press('/');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type('saque');
    await expect(results(page)).toContainText('3 mensagens');
    await expect(results(page).getByRole('listitem')).toHaveCount(AT_ONCE);
    await expectAccessible(page);

    await page.keyboard.press('Enter');
    await expect(row(page, 390)).toBeInViewport();
    await expect(marked(page)).toContainText('Linha 390');
    await expect(row(page, 390).locator('mark')).toHaveText('Saques');
    await expect(results(page)).toContainText('1 de 3');
    // One that is not here yet, and then one that is not in the list yet.
    await page.keyboard.press('Enter');
    await expect(row(page, 210)).toBeInViewport();
    await expect(results(page)).toContainText('2 de 3');
    await page.keyboard.press('ArrowDown');
    await expect(row(page, 12)).toBeInViewport();
    await expect(results(page)).toContainText('3 de 3');
    await expect(results(page).getByRole('listitem')).toHaveCount(HITS.length);
    await page.keyboard.press('Enter');
    await expect(results(page)).toContainText('3 de 3');
    await page.keyboard.press('Shift+Enter');
    await expect(row(page, 210)).toBeInViewport();
    await expect(marked(page)).toContainText('Linha 210');
    await expect(field(page)).toBeFocused();
    await picture(page, `found-${user === AGENT ? 'staff' : 'customer'}`);
    await expectAccessible(page);

    // By hand, on a phone.
    await page.setViewportSize(PHONE);
    await fits(page);
    await results(page).getByRole('button', { name: 'Linha 390' }).click();
    await expect(row(page, 390)).toBeInViewport();
    await expect(results(page)).toContainText('1 de 3');
    await picture(page, `found-${user === AGENT ? 'staff' : 'customer'}-phone`);
    await expectAccessible(page, ['dark']);

    await field(page).focus();
    await page.keyboard.press('Escape');
    await expect(results(page)).toBeHidden();
    await expect(field(page)).toHaveValue('');
    await expect(log(page)).toBeFocused();
    await expect(log(page).locator('mark')).toHaveCount(0);
  });

test('what has no such words says so, and what fails is asked for again', async ({ page }) => {
  const [, user, path, answers] = SIDES[0];
  const state = await stub(page, user, {
    ...ANSWERS,
    ...answers,
    [OWN]: refuse(503, 'service.unavailable', 'Indisponível.'),
  });
  await page.goto(path);
  await field(page).fill('saque');
  const failed = page.getByTestId('error-card');
  await expect(failed).toContainText('Não foi possível carregar os resultados da busca.');
  await expectAccessible(page, ['dark']);
  state.answers[OWN] = found;
  await failed.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(results(page)).toContainText('3 mensagens');
  await field(page).fill('zebra');
  await expect(results(page)).toContainText('Nenhuma mensagem tem essas palavras.');
  await expectAccessible(page, ['dark']);
  // Nothing is asked for where no word is.
  await page.getByRole('button', { name: 'Limpar a busca' }).click();
  await expect(results(page)).toBeHidden();
  const asked = state.calls.filter((call) => call === OWN).length;
  await field(page).fill('   ');
  await field(page).press('Enter');
  await expect(results(page)).toBeHidden();
  expect(state.calls.filter((call) => call === OWN)).toHaveLength(asked);
});

test("the browser's own search is left to it", async ({ page }) => {
  const [, user, path, answers] = SIDES[0];
  await stub(page, user, { ...ANSWERS, ...answers });
  await page.goto(path);
  await expect(row(page, TOTAL)).toBeInViewport();
  await page.evaluate(() => {
    // Behind all that listens: whether anybody took it.
    window.addEventListener('keydown', (event) => {
      if (event.key === 'f') document.body.dataset.taken = String(event.defaultPrevented);
    });
  });
  for (const where of [log(page), field(page)]) {
    await where.focus();
    await page.keyboard.press('Control+f');
    await expect(page.locator('body')).toHaveAttribute('data-taken', 'false');
    await expect(field(page)).toHaveValue('');
    await page.evaluate(() => delete document.body.dataset.taken);
  }
});
