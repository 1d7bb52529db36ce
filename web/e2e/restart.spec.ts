/** The server is killed, comes back and is stopped by Ctrl-C under two open screens with live robots and an open chat: both come
 *  back by themselves, nothing said is lost or doubled, and the ledger is exact to the last unit. */
import { type Browser, expect, type Page } from '@playwright/test';
import { demo, type Name, type Reader, reader, signIn, test } from './kit';
import { OwnServer } from './server';

const log = (page: Page) => page.getByRole('log');
const field = (page: Page) => page.getByRole('textbox', { name: 'Escreva uma mensagem' });

async function enter(browser: Browser, server: OwnServer, name: Name, path: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: server.url });
  const page = await context.newPage();
  await signIn(page, demo(name, server.secrets));
  await page.goto(path);
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  return page;
}

async function say(page: Page, text: string) {
  await field(page).fill(text);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
}

/** Every message once and in this order, on both sides. */
async function heard(pages: readonly Page[], words: readonly string[]) {
  for (const page of pages) {
    await expect(log(page).locator('[data-number]')).toContainText([...words]);
    await expect(log(page).locator('[data-number]')).toHaveCount(words.length);
  }
}

const operations = async (api: Reader) => {
  const { data } = await api.get<{ data: { operations: number }[] }>('/get-user-licenses?limit=500');
  return data.reduce((all, licence) => all + licence.operations, 0);
};
const results = async (api: Reader) =>
  (await api.get<{ myResults: { total: string; today: string } }>('/dashboard/my-results')).myResults;
const tile = (page: Page, label: string) =>
  page
    .getByRole('main')
    .getByText(label, { exact: true })
    .locator('xpath=ancestor::*[.//*[@data-value]][1]')
    .first()
    .locator('[data-value]')
    .first()
    .getAttribute('data-value');

test('killed, restarted, interrupted: everybody comes back, nothing is lost, the ledger is exact', async ({
  browser,
}) => {
  test.setTimeout(900_000);
  const server = await OwnServer.make();
  try {
    await server.start();
    const person = demo('trader2', server.secrets);
    let api = await reader(server.url, person);
    // Until the demo's own first steps are done: robots at work, a ticket.
    await expect.poll(() => operations(api), { timeout: 180_000 }).toBeGreaterThan(0);
    await expect
      .poll(
        async () => (await api.get<{ meta: { total: number } }>('/support/list-tickets-user/')).meta.total,
      )
      .toBe(1);
    const { data } = await api.get<{ data: { _id: string }[] }>('/support/list-tickets-user/');
    const ticket = data[0]?._id;

    const customer = await enter(browser, server, 'trader2', `/support/ticket/${ticket}`);
    const agent = await enter(browser, server, 'store', `/customer-service/ticket-response/${ticket}`);
    const home = await customer.context().newPage();
    await home.goto('/');
    const pages = [customer, agent, home];
    for (const page of pages) await expect(page.getByText('Ao vivo').first()).toBeVisible();
    const words = ['Olá! Quando o robô'];
    await heard([customer, agent], words);
    await say(customer, 'antes da queda');
    words.push('antes da queda');
    await heard([customer, agent], words);

    // The power goes. What is written meanwhile waits in its field.
    await server.kill();
    for (const page of pages) await expect(page.getByText('Conexão perdida!').first()).toBeVisible();
    await field(agent).fill('escrito na queda');
    await server.start();
    for (const page of pages)
      await expect(page.getByText('Ao vivo').first()).toBeVisible({ timeout: 90_000 });
    await expect(field(agent)).toHaveValue('escrito na queda');
    await agent.getByRole('button', { name: 'Enviar', exact: true }).click();
    words.push('escrito na queda');
    await heard([customer, agent], words);
    await say(customer, 'depois da queda');
    words.push('depois da queda');
    await heard([customer, agent], words);

    // The robots go on, and the dashboard follows without a reload.
    await api.close();
    api = await reader(server.url, person);
    const before = await operations(api);
    await expect.poll(() => operations(api), { timeout: 180_000 }).toBeGreaterThan(before);
    const agree = (label: string, of: 'total' | 'today') =>
      expect
        .poll(async () => {
          const [first, shown, second] = [
            (await results(api))[of],
            await tile(home, label),
            (await results(api))[of],
          ];
          return shown === first || shown === second;
        })
        .toBe(true);
    await agree('Saldo total', 'total');
    await agree('Resultado de hoje', 'today');

    // Ctrl-C in the middle of work: an orderly end, and back again.
    expect(await server.interrupt()).toBe(0);
    await server.start();
    for (const page of pages)
      await expect(page.getByText('Ao vivo').first()).toBeVisible({ timeout: 90_000 });
    await say(agent, 'depois do Ctrl-C');
    words.push('depois do Ctrl-C');
    await heard([customer, agent], words);
    await api.close();
    api = await reader(server.url, person);
    await agree('Saldo total', 'total');
    await agree('Resultado de hoje', 'today');
    await api.close();
    for (const page of pages) await page.close();

    expect(await server.interrupt()).toBe(0);
    const { code, words: report } = await server.verify();
    expect(report).toContain('exact');
    expect(code, report).toBe(0);
  } finally {
    await server.dispose();
  }
});
