/** A licence bought, funded and put to work by hand; its robot ticks on two screens at once, and every figure is the API's. */
import { type Browser, expect, type Locator, type Page } from '@playwright/test';
import { demo, expectAccessible, type Person, picture, type Reader, reader, signIn, test } from './kit';
import { OwnServer } from './server';

interface Licence {
  _id: string;
  number: number;
  topup: string;
  allocated: string;
  yield: string;
  today: string;
  operations: number;
  mode: string;
  robotStatus: string;
}
interface Order {
  route: string;
  mode: string;
  result: string;
  legs: { side: string; symbol: string; venue: string; quantity: string; price: string }[];
}
interface Results {
  total: string;
  available: string;
  yield: string;
  today: string;
}

const licences = async (api: Reader) =>
  (await api.get<{ data: Licence[] }>('/get-user-licenses?limit=500')).data.sort(
    (a, b) => b.number - a.number,
  );
const one = async (api: Reader, id: string): Promise<Licence> => {
  const found = (await licences(api)).find((licence) => licence._id === id);
  if (!found) throw new Error(`no licence ${id}`);
  return found;
};
const results = async (api: Reader) =>
  (await api.get<{ myResults: Results }>('/dashboard/my-results')).myResults;
const orders = async (api: Reader, id: string) =>
  (await api.get<{ data: Order[]; meta: { total: number } }>(`/trader/orders-history/${id}?limit=10`)).data;

async function enter(browser: Browser, person: Person, path: string, baseURL?: string): Promise<Page> {
  const context = await browser.newContext(baseURL ? { baseURL } : {});
  const page = await context.newPage();
  await signIn(page, person);
  await page.goto(path);
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  return page;
}

/** The whole amount behind what is shown. */
const amount = (place: Locator) => place.locator('[data-value]').first().getAttribute('data-value');
/** A tile by its label. */
const tile = (page: Page, label: string) =>
  page
    .getByRole('main')
    .getByText(label, { exact: true })
    .locator('xpath=ancestor::*[.//*[@data-value]][1]')
    .first();

test('bought, funded, allocated: the robot ticks on two screens, and nothing but its yield moves', async ({
  browser,
  baseURL,
}) => {
  test.setTimeout(480_000);
  const person = demo('trader2');
  const api = await reader(baseURL ?? '', person);
  // The demo's own first steps come first.
  await expect
    .poll(async () => (await licences(api)).map(({ allocated }) => Number(allocated) > 0))
    .toContain(true);
  const before = await licences(api);

  const robots = await enter(browser, person, '/licences?tab=plans');
  const plan = robots
    .getByRole('article')
    .filter({ hasText: 'Padrão' })
    .filter({ hasText: '100,00 USDT' })
    .first();
  await plan.getByRole('button', { name: 'Comprar licença' }).click();
  const dialog = robots.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByLabel('Li e aceito os riscos.').check();
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByRole('button', { name: 'Pagar agora' }).click();
  await dialog.getByRole('button', { name: 'Concluir' }).click();
  await expect(dialog).toBeHidden();
  const [bought] = await licences(api);
  if (!bought || bought.number !== before.length + 1) throw new Error('the licence was not bought');

  const card = robots.getByRole('article', { name: `Licença ${bought.number}`, exact: true });
  const move = async (action: string, value: string) => {
    await card.getByRole('button', { name: action, exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Valor' }).fill(value);
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.getByRole('button', { name: 'Concluir' }).click();
    await expect(dialog).toBeHidden();
  };
  await move('Aportar', '50');
  await move('Alocar', '40');
  await expect(card).toContainText('40,00');
  const { topup, allocated } = await one(api, bought._id);
  expect([topup, allocated]).toEqual(['10.000000', '40.000000']);

  // Two screens of the same person.
  await robots.goto('/robots-in-operation');
  const home = await robots.context().newPage();
  await home.goto('/');
  await expect(home.getByText('Ao vivo').first()).toBeVisible();
  const row = robots.locator(`[data-robot="${bought._id}"]`);
  const today = row.getByTestId('today');
  const gained = row.getByTestId('yield');
  const available = (await results(api)).available;
  await expect(row).toBeVisible();
  let reloads = 0;
  for (const page of [robots, home]) page.on('load', () => reloads++);
  const first = { today: await amount(today), total: await amount(tile(home, 'Saldo total')) };

  // From the next full minute on it takes part.
  await expect.poll(() => amount(today), { timeout: 150_000 }).not.toBe(first.today);
  await expect.poll(() => amount(tile(home, 'Saldo total'))).not.toBe(first.total);
  const line = () =>
    row.getByRole('cell').nth(1).locator('path').last().getAttribute('d', { timeout: 60_000 });
  const drawn = await line();
  expect(drawn).toMatch(/^M.*L/);
  // When the next result comes, chance decides.
  await expect.poll(line, { timeout: 180_000 }).not.toBe(drawn);
  await expect(robots.getByRole('main')).toContainText('SIMULADO');
  await expect(home.getByRole('main')).toContainText('SIMULADO');

  // What moves is what the API says: both are asked until nothing came in between.
  const agree = (shown: () => Promise<string | null>, told: () => Promise<string>) =>
    expect
      .poll(async () => {
        const [one, seen, two] = [await told(), await shown(), await told()];
        return seen === one || seen === two;
      })
      .toBe(true);
  await agree(
    () => amount(today),
    async () => (await one(api, bought._id)).today,
  );
  await agree(
    () => amount(gained),
    async () => (await one(api, bought._id)).yield,
  );
  await agree(
    () => amount(tile(home, 'Saldo total')),
    async () => (await results(api)).total,
  );
  await agree(
    () => amount(tile(home, 'Resultado de hoje')),
    async () => (await results(api)).today,
  );
  expect((await results(api)).available).toBe(available);

  // Each operation with its legs and its mode.
  await row.getByRole('button').click();
  const drawer = robots.getByRole('dialog');
  const table = drawer.getByRole('table');
  await expect(table.getByText('SIMULADO').first()).toBeVisible();
  await expect(table.getByText(/^(Compra|Venda) \S+ \S+\/?\S* @ \S+ \(.+\)$/).first()).toBeVisible();
  const told = (await orders(api, bought._id)).at(-1);
  expect(told?.mode).toBe('simulated');
  expect(told?.legs.length).toBeGreaterThan(1);
  await expectAccessible(robots);
  await picture(robots, 'robots-live');

  // By hand: with the key on the robot rests, and an order of its owner waits for the next opportunity, before all automatic robots.
  const key = drawer.getByRole('switch', { name: 'Chave de operação manual' });
  await drawer.getByRole('tab', { name: 'Manual' }).click();
  await key.click();
  await expect(row).toBeHidden();
  const ordered = drawer.locator('li[data-order]');
  const next = drawer.getByRole('button', { name: 'Pegar a próxima oportunidade' });
  // The market may take an opportunity back before it is filled: then nothing was done, it says so, and one orders again.
  for (let nth = 1, filled = false; !filled; nth++) {
    await next.click();
    await expect(ordered).toHaveCount(nth);
    const state = ordered
      .first()
      .getByText(nth < 3 ? /^(Concluído|Cancelado)$/ : 'Concluído', { exact: true });
    await expect(state).toBeVisible({ timeout: 75_000 });
    filled = (await state.textContent()) === 'Concluído';
    if (!filled) await expect(ordered.first()).toContainText('Nada foi feito.');
  }
  await picture(robots, 'manual-live');
  await key.click();
  await expect(row).toBeVisible();

  // Paused, it leaves the list by itself.
  await drawer.getByRole('tab', { name: 'Ajustes' }).click();
  await drawer.getByRole('switch', { name: 'Pausar' }).click();
  await expect.poll(async () => (await one(api, bought._id)).robotStatus).toBe('paused');
  await robots.keyboard.press('Escape');
  await expect(row).toBeHidden();
  expect(reloads).toBe(0);
  await robots.context().close();
  await api.close();
});

test('on a recording: its operations appear with their badge', async ({ browser }) => {
  test.setTimeout(300_000);
  const server = await OwnServer.make(['--feed', 'replay:server/recordings/sample.ndjson']);
  try {
    await server.start();
    const person = demo('trader1', server.secrets);
    const api = await reader(server.url, person);
    await expect
      .poll(async () => (await licences(api)).filter((licence) => Number(licence.allocated) > 0).length, {
        timeout: 60_000,
      })
      .toBe(2);
    const page = await enter(browser, person, '/robots-in-operation', server.url);
    await expect
      .poll(async () => (await licences(api)).some(({ operations }) => operations > 0), { timeout: 180_000 })
      .toBe(true);
    const robot = (await licences(api)).find(({ operations }) => operations > 0);
    const told = robot && (await orders(api, robot._id))[0];
    const name = told && { simulated: 'SIMULADO', paper: 'PAPEL', live: 'REAL' }[told.mode];
    if (!robot || !told || !name) throw new Error('no operation of a known mode');
    await page.locator(`[data-robot="${robot._id}"]`).getByRole('button').click();
    const table = page.getByRole('dialog').getByRole('table');
    await expect(table.getByText(name).first()).toBeVisible();
    await expect(table.getByText(told.route).first()).toBeVisible();
    await page.context().close();
    await api.close();
  } finally {
    await server.dispose();
  }
});
