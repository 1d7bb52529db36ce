/** Orders by hand at a person's speed, on a demo of their own: minutes of it, for opportunities come when they come. */
import { type Browser, expect, type Page } from '@playwright/test';
import { demo, enterPassword, type Person, type Reader, reader, tellDatabase, test } from '../kit';
import { OwnServer } from '../server';

interface Hand {
  orders: { state: string; reason: string | null }[];
}

const licences = async (api: Reader) =>
  (await api.get<{ data: { _id: string; robotStatus: string }[] }>('/get-user-licenses?limit=500')).data;

async function enter(browser: Browser, person: Person, baseURL: string, path: string): Promise<Page> {
  const context = await browser.newContext({ baseURL });
  const page = await context.newPage();
  await enterPassword(page, person);
  await page.goto(path);
  return page;
}

test('ten orders by hand, on routes of the board and on the next one by turns: at least eight are filled', async ({
  browser,
}) => {
  test.setTimeout(1_200_000);
  const server = await OwnServer.make();
  try {
    await server.start();
    // Between two that were filled a person waits; for how long is not what is tried here.
    tellDatabase(
      `INSERT INTO foundation.settings (body, effective_at, reason)
       SELECT coalesce((SELECT body FROM foundation.settings ORDER BY version DESC LIMIT 1), '{}') || '{"manualWaitSeconds": 10}', now(), 'flow'`,
      server.secrets,
    );
    const person = demo('trader1', server.secrets);
    const api = await reader(server.url, person);
    const atWork = async () => (await licences(api)).filter(({ robotStatus }) => robotStatus === 'operating');
    await expect.poll(async () => (await atWork()).length, { timeout: 120_000 }).toBeGreaterThan(1);
    const [robot] = await atWork();
    if (!robot) throw new Error('no robot is at work');
    const page = await enter(browser, person, server.url, `/robots-in-operation?robot=${robot._id}`);
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('tab', { name: 'Manual' }).click();
    await drawer.getByRole('switch', { name: 'Chave de operação manual' }).click();
    const next = drawer.getByRole('button', { name: 'Pegar a próxima oportunidade' });
    const told = async () => (await api.get<Hand>(`/trader/manual?licence=${robot._id}`)).orders;
    const over = async () => (await told()).filter(({ state }) => !['asked', 'sent'].includes(state)).length;
    // A person reads the board and takes what brings most; by then it is often gone, and comes again.
    const best = async () => {
      const rows = drawer.locator('tr[data-route]');
      await expect(rows.first()).toBeVisible({ timeout: 120_000 });
      const edges = await rows.evaluateAll((all) =>
        all.map((row) => ({
          route: row.getAttribute('data-route'),
          edge: Number.parseFloat(row.querySelector('.num')?.textContent?.replace(',', '.') ?? '0'),
        })),
      );
      return edges.sort((a, b) => b.edge - a.edge)[0]?.route;
    };
    const READS_MS = 1_500;
    for (let given = 1; given <= 10; given += 1) {
      const free = page.locator(':not([aria-disabled])');
      await expect(next.and(free)).toBeVisible({ timeout: 60_000 });
      if (given % 2 === 0) await next.click();
      else
        await expect(async () => {
          const row = drawer.locator(`tr[data-route="${await best()}"]`);
          await page.evaluate((ms) => new Promise((done) => setTimeout(done, ms)), READS_MS);
          await row.getByRole('button', { name: 'Esperar aqui' }).and(free).click({ timeout: 2_000 });
        }).toPass({ timeout: 240_000 });
      await expect.poll(over, { message: `order ${given}`, timeout: 90_000 }).toBe(given);
    }
    const ends = await told();
    const filled = ends.filter(({ state }) => state === 'done');
    expect(filled.length, JSON.stringify(ends)).toBeGreaterThanOrEqual(8);
    const shown = drawer.locator('li[data-order]').filter({ hasText: 'Concluído' });
    await expect(shown).toHaveCount(filled.length);
    await page.context().close();
    await api.close();
  } finally {
    await server.dispose();
  }
});
