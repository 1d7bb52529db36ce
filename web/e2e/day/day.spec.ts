/** A simulated day of the desk, about a hundred times as fast, seen on two screens: they follow without a reload, and end on the books' figures. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, test } from '@playwright/test';
import { enterPassword, type Reader, reader } from '../kit';

interface Licence {
  _id: string;
  number: number;
  yield: string;
  robotStatus: string;
}

const folder = process.env.E2E_DAY ?? '';
const amount = (place: Locator) => place.locator('[data-value]').first().getAttribute('data-value');
const tile = (place: Locator, label: string) =>
  place.getByText(label, { exact: true }).locator('xpath=ancestor::*[.//*[@data-value]][1]').first();
const licences = async (api: Reader) =>
  (await api.get<{ data: Licence[] }>('/get-user-licenses?limit=500')).data;
const total = async (api: Reader) =>
  (await api.get<{ myResults: { total: string } }>('/dashboard/my-results')).myResults.total;

test('two screens follow the whole day', async ({ browser, baseURL }) => {
  const person = JSON.parse(readFileSync(join(folder, 'open'), 'utf8'));
  const api = await reader(baseURL ?? '', person);
  const context = await browser.newContext();
  const home = await context.newPage();
  await enterPassword(home, person);
  await home.goto('/');
  const robots = await context.newPage();
  await robots.goto('/robots-in-operation');
  for (const page of [home, robots]) await expect(page.getByText('Ao vivo').first()).toBeVisible();
  const [first] = (await licences(api)).filter(({ robotStatus }) => robotStatus === 'operating');
  if (!first) throw new Error('nothing is at work');
  const row = robots.locator(`[data-robot="${first._id}"]`);
  await expect(row).toBeVisible();
  let reloads = 0;
  for (const page of [home, robots]) page.on('load', () => reloads++);
  const seen = { total: new Set<string | null>(), yield: new Set<string | null>() };
  const look = async () => {
    seen.total.add(await amount(tile(home.getByRole('main'), 'Saldo total')));
    seen.yield.add(await amount(row.getByTestId('yield')));
  };
  await look();
  writeFileSync(join(folder, 'watching'), '');

  // Robots rest in the day's last quarter and leave this screen's list; until then they tick.
  await expect
    .poll(
      async () => {
        await look();
        return Math.min(seen.total.size, seen.yield.size);
      },
      { timeout: 600_000 },
    )
    .toBeGreaterThan(10);
  await expect(robots.getByRole('main')).toContainText('SIMULADO');
  await expect.poll(() => existsSync(join(folder, 'over')), { timeout: 600_000 }).toBe(true);

  // Nothing moves any more: what is shown is what is booked, to the last digit.
  await expect.poll(() => amount(tile(home.getByRole('main'), 'Saldo total'))).toBe(await total(api));
  expect(reloads).toBe(0);
  await robots.goto('/licences');
  for (const { number, yield: gained } of await licences(api)) {
    const card = robots.getByRole('article', { name: `Licença ${number}`, exact: true });
    await expect.poll(() => amount(tile(card, 'Rendimento'))).toBe(gained);
  }
  await api.close();
  writeFileSync(join(folder, 'seen'), '');
});
