/** What the other tests stand on: a test begins with nothing of the one before it, and what is wrong with a page is found. */
import { expectAccessible } from '../kit';
import { HOUR, holdTime, NOON, timeOf } from './clock';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, type Page, test } from './window';

/** A document of the same address without a program. */
const PLAIN = '/skin.js';

const left = (page: Page) =>
  page.evaluate(async () => ({
    cookies: document.cookie,
    stored: localStorage.length + sessionStorage.length,
    databases: (await indexedDB.databases()).length,
    caches: (await caches.keys()).length,
    online: navigator.onLine,
  }));

test('one test leaves all that it can', async ({ page, context }) => {
  await stub(page, CUSTOMER, {}, NOON + HOUR);
  await page.goto(PLAIN);
  await page.evaluate(async () => {
    localStorage.setItem('locale', 'es');
    sessionStorage.setItem('asked', 'yes');
    await new Promise((done) => {
      indexedDB.open('left').onsuccess = done;
    });
    await caches.open('left');
  });
  await holdTime(page);
  expect(await left(page)).toMatchObject({ cookies: 'signed_in=1', stored: 2, databases: 1, caches: 1 });
  await context.setOffline(true);
});

test('the next finds none of it, and its time passes', async ({ page }) => {
  const nothing = { cookies: '', stored: 0, databases: 0, caches: 0, online: true };
  await page.goto(PLAIN);
  expect(await left(page)).toEqual(nothing);
  await stub(page);
  await page.goto(PLAIN);
  expect(await left(page)).toEqual(nothing);
  const before = await timeOf(page);
  expect(before).toBeGreaterThanOrEqual(NOON);
  expect(before).toBeLessThan(NOON + HOUR);
  await expect.poll(() => timeOf(page)).toBeGreaterThan(before);
});

test('each page is answered by its own stub alone', async ({ page, context }) => {
  const other = await context.newPage();
  const states = [
    await stub(page, CUSTOMER, { 'GET /me': 1 }),
    await stub(other, CUSTOMER, { 'GET /me': 2 }),
  ];
  for (const one of [page, other]) await one.goto(PLAIN);
  const ask = (one: Page) => one.evaluate(async () => (await fetch('/api/me?all=yes')).json());
  expect([await ask(page), await ask(other)]).toEqual([1, 2]);
  for (const { calls } of states) expect(calls).toEqual(['GET /me']);
  for (const state of states) state.answers['GET /me'] = refuse(409, 'request.conflict', 'Agora não.');
  expect(await ask(other)).toEqual({ code: 'request.conflict', message: 'Agora não.' });
});

test('axe finds what is wrong, and a colour in the skin that has it', async ({ page }) => {
  await page.goto(PLAIN);
  const put = (inside: string) =>
    page.evaluate((inside) => {
      document.documentElement.lang = 'pt';
      document.title = 'Arbora';
      document.documentElement.setAttribute('data-mantine-color-scheme', 'dark');
      document.body.innerHTML = `<style>
        html[data-mantine-color-scheme=dark] body { background: #000 } p { color: #eee }</style>
        <main><h1 style="color: #888">Arbora</h1>${inside}</main>`;
    }, inside);
  await put('');
  await expectAccessible(page, ['dark']);
  await put('<p>Fraco</p>');
  await expect(expectAccessible(page)).rejects.toThrow(/light color-contrast: p/);
  // Also of what lies over a page.
  await put(`<div class="mantine-AppShell-root"><p>Embaixo</p></div>
    <div role="dialog" aria-modal="true" aria-label="Em cima"><p>Fraco</p></div>`);
  await expect(expectAccessible(page)).rejects.toThrow(/light color-contrast: .*p/);
  await put(`<div class="mantine-AppShell-root"><p>Embaixo</p></div>
    <div role="dialog" aria-modal="true" aria-label="Em cima"><p style="color: #222">Fraco</p></div>`);
  await expect(expectAccessible(page, ['dark'])).rejects.toThrow(/dark color-contrast: .*p/);
  // All but colours is looked for below as well.
  await put(`<div class="mantine-AppShell-root"><button></button></div>
    <div role="dialog" aria-modal="true" aria-label="Em cima"></div>`);
  await expect(expectAccessible(page)).rejects.toThrow(/dark button-name: button/);
  await put('<button></button>');
  await expect(expectAccessible(page)).rejects.toThrow(/dark button-name: button/);
});
