/** A page that the browser has translated goes on telling the truth (docs/rules/web.md#translated-pages). */

import { MINUTE } from './clock';
import { AT_WORK, LICENCES } from './fixtures';
import { GENERAL, ANSWERS as OVERVIEW } from './overviewFixtures';
import { LISTS, RATE } from './pixFixtures';
import { ADMINISTRATOR, CUSTOMER, stub, waiting } from './stub';
import { expect, type Page, test } from './window';

/** What a browser does: each text stands in two elements of its own, in place of the node that was there; what says so is left alone. */
async function translate(page: Page) {
  await page.evaluate(() => {
    const texts: Text[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { currentNode: node } = walker;
      const { parentElement: parent } = node;
      if (!(node instanceof Text) || !node.data.trim() || !parent) continue;
      if (parent.closest('[translate="no"], script, style, svg, textarea, option')) continue;
      texts.push(node);
    }
    for (const node of texts) {
      const outer = document.createElement('font');
      const inner = document.createElement('font');
      inner.textContent = node.data;
      outer.append(inner);
      node.replaceWith(outer);
    }
  });
}

/** All that can be read of the page. */
const words = (page: Page) => page.evaluate(() => document.body.innerText.replace(/\s+/g, ' '));

test('the dashboard: money, robots and counts move on in a translated page', async ({ page, context }) => {
  const plain = await context.newPage();
  const views = await Promise.all(
    [page, plain].map(async (view) => [view, await stub(view, CUSTOMER, AT_WORK)] as const),
  );
  const broken: string[] = [];
  page.on('pageerror', ({ message }) => broken.push(message));
  for (const [view] of views) {
    await view.goto('/');
    await expect(view.getByRole('heading', { level: 1 })).toHaveText('Olá, Marina');
    await view.waitForLoadState('networkidle');
  }
  const before = await words(plain);
  await translate(page);
  for (const [, state] of views) {
    await state.fact(`user:${CUSTOMER._id}`, 1, {
      kind: 'balance.changed',
      accounts: [{ account: 'available', balance: '51999.990000', version: 9 }],
    });
    await state.fact(`user:${CUSTOMER._id}`, 2, {
      kind: 'licence.changed',
      licence: { ...LICENCES[0], allocated: '4321.000000', operations: 77, version: 99 },
    });
  }
  await expect.poll(() => words(plain)).not.toBe(before);
  await expect(async () => expect(await words(page)).toBe(await words(plain))).toPass();
  // Leaving it takes nothing down.
  await page.getByRole('link', { name: 'Licenças' }).first().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Licenças');
  expect(broken).toEqual([]);
});

test('a countdown, an amount that one types and the words around them', async ({ page }) => {
  await stub(page, CUSTOMER, { 'GET /pix/rate': RATE, 'GET /list-deposits-pix': LISTS });
  await page.goto('/wallet/my-deposits-pix');
  await expect(page.getByText('Cotação garantida por')).toBeVisible();
  await page.waitForLoadState('networkidle');
  await translate(page);
  const left = page.getByRole('timer').first();
  const before = await left.textContent();
  await page.clock.fastForward(3 * MINUTE);
  await expect(left).not.toHaveText(before ?? '');
  await expect(left).toHaveText(/^2[01]:/);
});

test('the overview and the header: what waits is counted on', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, OVERVIEW);
  await page.goto('/administrator/dashboard');
  await expect(page.getByRole('link', { name: 'Aprovar (4)' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  await translate(page);
  state.answers['GET /admin/waiting'] = waiting({ pix_deposits: [9, 9, '2026-11-20T09:00:00Z'] });
  state.answers['GET /admin/general-view'] = { ...GENERAL, people: { ...GENERAL.people, all: 1999 } };
  await page.clock.fastForward(31_000);
  await expect(page.getByRole('link', { name: 'Aprovar (9)' })).toBeVisible();
  await expect(page.getByText('1.999')).toBeVisible();
});

test('the page says its language, also after another one was chosen', async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/');
  const html = page.locator('html');
  await expect(html).toHaveAttribute('lang', 'pt-BR');
  await page.getByRole('button', { name: 'Idioma: PT' }).click();
  await page.getByRole('menuitem', { name: 'English' }).click();
  await expect(html).toHaveAttribute('lang', 'en-US');
  await page.reload();
  await expect(html).toHaveAttribute('lang', 'en-US');
});
