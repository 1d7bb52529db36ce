/** A conversation of ten thousand messages in the built face: a part of it is drawn, all of it can be reached, and nothing moves under its reader. */

import { expectAccessible, fits, picture } from '../kit';
import { CUSTOMER, stub } from './stub';
import { AGENT, ANSWERS, CUSTOMER_PANEL, desk, detail, message, T, ticket } from './supportFixtures';
import { expect, type Page, type Route, test } from './window';

const TOTAL = 10_000;
/** More than this is never drawn: what is in sight, and a little around it. */
const DRAWN = 80;
const PHONE = { width: 390, height: 844 };

const line = (number: number) =>
  message(
    number,
    number % 3 === 0 ? 'customer' : 'staff',
    `Linha ${number}`,
    (TOTAL - number) * 7 + 5,
    number % 5 === 0 ? { text: `Linha ${number}\n${'com mais palavras '.repeat(number % 23)}` } : {},
  );

/** As the server pages: the newest, those before a number, those after one. */
const history =
  (more: object = {}, wait: (before: number | null) => Promise<unknown> | null = () => null) =>
  async (route: Route) => {
    const { searchParams } = new URL(route.request().url());
    const number = (name: string) => (searchParams.has(name) ? Number(searchParams.get(name)) : null);
    const limit = number('limit') ?? 50;
    const [before, after] = [number('before'), number('after')];
    await wait(before);
    const from = after !== null ? after + 1 : Math.max(1, (before ?? TOTAL + 1) - limit);
    const to = after !== null ? Math.min(TOTAL, after + limit) : (before ?? TOTAL + 1) - 1;
    const messages = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => line(from + index));
    const whole = ticket({ lastNumber: TOTAL, readByCustomer: TOTAL, readByStaff: TOTAL });
    await route.fulfill({ json: detail({ ticket: whole, messages, hasOlder: from > 1, ...more }) });
  };

const log = (page: Page) => page.getByRole('log');
const row = (page: Page, number: number) => log(page).locator(`[data-number="${number}"]`);
const drawn = (page: Page) => log(page).locator('[data-index]').count();

const SIDES = [
  ['its customer', CUSTOMER, `/support/ticket/${T}`, `GET /support/get-ticket-user/${T}`, {}],
  [
    'staff',
    AGENT,
    `/customer-service/ticket-response/${T}`,
    `GET /support/get-ticket-support-team/${T}`,
    { customer: CUSTOMER_PANEL, desk: desk() },
  ],
] as const;

for (const [side, user, path, call, more] of SIDES)
  test(`the first and the last are reached by keyboard, and few are drawn: ${side}`, async ({ page }) => {
    const asked: number[] = [];
    const note = (before: number | null) => {
      if (before !== null) asked.push(before);
      return null;
    };
    await stub(page, user, { ...ANSWERS, [call]: history(more, note) });
    await page.goto(path);
    await expect(row(page, TOTAL)).toBeInViewport();
    expect(await drawn(page)).toBeLessThan(DRAWN);
    await expectAccessible(page);
    await log(page).focus();
    await page.keyboard.press('Home');
    await expect(row(page, 1)).toBeInViewport({ timeout: 60_000 });
    expect(await drawn(page)).toBeLessThan(DRAWN);
    // Each page once.
    expect(asked).toHaveLength(Math.ceil((TOTAL - 50) / 200));
    expect(new Set(asked).size).toBe(asked.length);
    await expectAccessible(page);
    await page.keyboard.press('End');
    await expect(row(page, TOTAL)).toBeInViewport();
    await expect(page.getByRole('button', { name: 'Ir para o fim' })).toBeHidden();
    expect(await drawn(page)).toBeLessThan(DRAWN);
    await page.setViewportSize(PHONE);
    await fits(page);
    await expect(row(page, TOTAL)).toBeInViewport();
    await picture(page, `history-${user === AGENT ? 'staff' : 'customer'}-phone`);
  });

/** Where the rows in sight stand on the screen, by their numbers. */
const places = (page: Page) =>
  log(page).evaluate((box) => {
    const { top, bottom } = box.getBoundingClientRect();
    const all = [...box.querySelectorAll<HTMLElement>('[data-number]')].map(
      (one) => [one.dataset.number ?? '', one.getBoundingClientRect()] as const,
    );
    const inSight = all.filter(([, place]) => place.top >= top && place.bottom <= bottom);
    return Object.fromEntries(inSight.map(([number, place]) => [number, Math.round(place.top)]));
  });

test('earlier ones come as one goes up to them, and nothing moves', async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await stub(page, CUSTOMER, {
    ...ANSWERS,
    [`GET /support/get-ticket-user/${T}`]: history({}, (before) => (before === null ? null : held)),
  });
  await page.goto(`/support/ticket/${T}`);
  await expect(row(page, TOTAL)).toBeInViewport();
  await log(page).evaluate((box) => {
    box.scrollTop = 300;
  });
  await expect(log(page)).toHaveAttribute('aria-busy', 'true');
  await expect(page.getByText('Carregando…')).toBeVisible();
  // Until all that is in sight is drawn and has its height.
  let before = await places(page);
  await expect
    .poll(async () => {
      const now = await places(page);
      const still = JSON.stringify(now) === JSON.stringify(before) && Object.keys(now).length > 0;
      before = now;
      return still;
    })
    .toBe(true);
  release();
  await expect(log(page)).toHaveAttribute('aria-busy', 'false');
  await expect.poll(() => log(page).evaluate((box) => box.scrollTop)).toBeGreaterThan(5_000);
  const after = await places(page);
  const moved = Object.entries(before).map(([number, top]) => Math.abs((after[number] ?? 9_999) - top));
  expect(Math.max(...moved)).toBeLessThanOrEqual(2);
  expect(await drawn(page)).toBeLessThan(DRAWN);
});

test('earlier ones that do not come are asked for again by hand', async ({ page }) => {
  let broken = true;
  const call = `GET /support/get-ticket-user/${T}`;
  const whole = history();
  const state = await stub(page, CUSTOMER, {
    ...ANSWERS,
    [call]: (route: Route) =>
      broken && new URL(route.request().url()).searchParams.has('before')
        ? route.fulfill({ status: 503, json: { code: 'service.unavailable', message: 'Indisponível.' } })
        : whole(route),
  });
  await page.goto(`/support/ticket/${T}`);
  await expect(row(page, TOTAL)).toBeInViewport();
  await log(page).evaluate((box) => {
    box.scrollTop = 200;
  });
  const again = page.getByRole('button', { name: 'Carregar anteriores' });
  await expect(again).toBeVisible();
  const asked = state.calls.filter((one) => one === call).length;
  await log(page).evaluate((box) => {
    box.scrollTop = 150;
  });
  await expectAccessible(page, ['dark']);
  expect(state.calls.filter((one) => one === call)).toHaveLength(asked);
  broken = false;
  await again.click();
  await expect(again).toBeHidden();
  await expect.poll(() => log(page).evaluate((box) => box.scrollTop)).toBeGreaterThan(5_000);
});

test('a message that was found is where one arrives', async ({ page }) => {
  const [, user, path, call, more] = SIDES[1];
  await stub(page, user, { ...ANSWERS, [call]: history(more) });
  await page.goto(`${path}?message=9321`);
  await expect(row(page, 9321)).toBeInViewport();
  await expect(log(page).locator('[data-marked]')).toContainText('Linha 9321');
  await expect(page.getByRole('button', { name: 'Ir para o fim' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Ir para o fim' }).click();
  await expect(row(page, TOTAL)).toBeInViewport();
  await expect(log(page).locator('[data-marked]')).toHaveCount(0);
});

test('what is being corrected stays while one looks elsewhere', async ({ page }) => {
  const own = line(TOTAL);
  const call = `GET /support/get-ticket-user/${T}`;
  const whole = history();
  await stub(page, { ...CUSTOMER, _id: own.author }, { ...ANSWERS, [call]: whole });
  await page.goto(`/support/ticket/${T}`);
  await row(page, TOTAL).getByRole('button', { name: 'Editar mensagem' }).click();
  await page.getByRole('textbox', { name: 'Corrigir mensagem' }).fill('Outra coisa');
  await page.getByRole('textbox', { name: 'Escreva uma mensagem' }).focus();
  await log(page).evaluate((box) => {
    box.scrollTop = 1_200;
  });
  await expect(page.getByRole('button', { name: 'Ir para o fim' })).toBeVisible();
  await expect(row(page, TOTAL)).not.toBeInViewport();
  await page.getByRole('button', { name: 'Ir para o fim' }).click();
  await expect(page.getByRole('textbox', { name: 'Corrigir mensagem' })).toHaveValue('Outra coisa');
});
