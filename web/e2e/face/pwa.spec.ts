/** The program as an installed one (docs/rules/web.md#without-a-connection): it is offered, it never is an old one, and where nobody answers there is
 *  a page that says the last figures as old. */
import { expectAccessible, fits, picture, signOut } from '../kit';
import { AT_WORK } from './fixtures';
import { built, fallSilent, lose, serveInstead } from './host';
import { controlled, test } from './installed';
import { CUSTOMER, stub } from './stub';
import { expect, type Page } from './window';

const PHONE = { width: 390, height: 844 };
const kept = (page: Page) => page.evaluate(() => localStorage.getItem('arbora-last'));
const caches = (page: Page) => page.evaluate(() => window.caches.keys());

test('the document names what a browser needs to install it, in the language and the skin that were chosen', async ({
  page,
}) => {
  await stub(page);
  await page.goto('/login');
  const manifest = page.locator('link[rel="manifest"]');
  const colour = page.locator('meta[name="theme-color"]');
  await expect(manifest).toHaveAttribute('href', '/manifest.webmanifest');
  await expect(colour).toHaveAttribute('content', '#0b1016');
  const read = () =>
    page.evaluate(async () => {
      const link = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
      const told = await (await fetch(link?.href ?? '')).json();
      const icons = await Promise.all(
        told.icons.map(async ({ src }: { src: string }) => (await fetch(src)).headers.get('content-type')),
      );
      return { lang: told.lang, icons };
    });
  const icons = ['image/png', 'image/png', 'image/png', 'image/png'];
  expect(await read()).toEqual({ lang: 'pt-BR', icons });
  await page.evaluate(() => {
    localStorage.setItem('locale', 'es');
    localStorage.setItem('mantine-color-scheme-value', 'light');
  });
  await page.reload();
  await expect(colour).toHaveAttribute('content', '#f4f6f9');
  expect(await read()).toEqual({ lang: 'es', icons });
});

test("the browser's offer is taken up from the menu of one's account, once", async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/');
  const account = page.getByRole('button', { name: /^Conta de/ });
  await account.click();
  await expect(page.getByRole('menuitem', { name: 'Sair' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Instalar o aplicativo' })).toHaveCount(0);
  const held = await page.evaluate(() => {
    const offer = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
      prompt: async () => {
        document.documentElement.dataset.prompted = 'yes';
      },
    });
    window.dispatchEvent(offer);
    return offer.defaultPrevented;
  });
  expect(held).toBe(true);
  const item = page.getByRole('menuitem', { name: 'Instalar o aplicativo' });
  await expect(item).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'install-menu');
  await item.click();
  await expect(page.locator('html')).toHaveAttribute('data-prompted', 'yes');
  await account.click();
  await expect(page.getByRole('menuitem', { name: 'Sair' })).toBeVisible();
  await expect(item).toHaveCount(0);
});

test('where nobody answers stand the last figures, as old ones, and the program comes back', async ({
  page,
}) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/');
  await controlled(page);
  await expect.poll(() => kept(page)).toContain('48.213,57');
  fallSilent(true);
  await page.goto('/account-setting');
  await expect(page.getByRole('heading', { level: 1, name: 'Sem conexão' })).toBeVisible();
  const figures = page.getByRole('region', { name: /^Últimos dados, de 20\/11\/2026 12:0\d$/ });
  await expect(figures.getByText('48.213,57 USDT')).toBeVisible();
  await expect(figures.getByText('12,00 USDT')).toBeVisible();
  await expect(figures.getByText('Saldo', { exact: true })).toBeVisible();
  await expect(figures.getByText('São valores antigos')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'offline-page-dark');
  await page.setViewportSize(PHONE);
  await fits(page, 'the page without a connection on a phone');
  await picture(page, 'offline-page-phone');
  // Nobody is there yet: it stays.
  const again = page.getByRole('button', { name: 'Tentar de novo' });
  await again.click();
  await expect(figures).toBeVisible();
  fallSilent(false);
  await again.click();
  // Where one wanted to go.
  await expect(page).toHaveURL('/account-setting');
  await expect(page.getByRole('heading', { level: 1, name: 'Minha conta' })).toBeVisible();
});

test('the page without a connection speaks the chosen language and wears the chosen skin', async ({
  page,
}) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/');
  await controlled(page);
  await page.evaluate(() => {
    localStorage.setItem('locale', 'en');
    localStorage.setItem('mantine-color-scheme-value', 'light');
  });
  fallSilent(true);
  await page.goto('/support');
  await expect(page.getByRole('heading', { level: 1, name: 'No connection' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(244, 246, 249)');
  await picture(page, 'offline-page-light');
});

test('nothing is kept of who signs out, and of who hides their amounts only dots', async ({ page }) => {
  await page.addInitScript(() => {
    const prefs = { state: { masked: true, letterKeys: true }, version: 0 };
    localStorage.setItem('arbora-prefs', JSON.stringify(prefs));
  });
  await stub(page, CUSTOMER, { ...AT_WORK, 'POST /auth/logout': null });
  await page.goto('/');
  await controlled(page);
  await expect.poll(() => kept(page)).toContain('••••');
  expect(await kept(page)).not.toContain('48');
  await signOut(page);
  await expect.poll(() => kept(page)).toBeNull();
  fallSilent(true);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Sem conexão' })).toBeVisible();
  await expect(page.getByRole('region')).toHaveCount(0);
});

test('the worker keeps its own page and nothing else', async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/');
  await controlled(page);
  await page.goto('/robots-in-operation');
  const [name = '', ...others] = await caches(page);
  expect(others).toEqual([]);
  const paths = await page.evaluate(async (name) => {
    const cache = await window.caches.open(name);
    return (await cache.keys()).map(({ url }) => new URL(url).pathname);
  }, name);
  expect(paths.filter((path) => !/^\/assets\/offline-[\w-]{7}\.(css|js)$/.test(path)).sort()).toEqual([
    '/icons/icon-192.png',
    '/offline.html',
  ]);
  expect(paths).toHaveLength(4);
});

/** Another program is put in the place of this one, with a worker of its own. */
async function replaced(page: Page) {
  const [name = ''] = await caches(page);
  const mark = name.replace('arbora-shell-', '');
  const worker = built('sw.js');
  expect(worker).toContain(mark);
  serveInstead('/sw.js', worker.replaceAll(mark, 'ffffffffffff'));
  serveInstead(
    '/index.html',
    built('index.html').replace('<head>', '<head><meta name="program" content="B" />'),
  );
}

test('a program is never an old one: the next page is of the new, and so is the worker', async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/');
  await controlled(page);
  await expect(page.locator('meta[name="program"]')).toHaveCount(0);
  await replaced(page);
  await page.goto('/robots-in-operation');
  await expect(page.locator('meta[name="program"]')).toHaveAttribute('content', 'B');
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  // What the old one kept is gone.
  await expect.poll(() => caches(page)).toEqual(['arbora-shell-ffffffffffff']);
  await page.reload();
  await expect(page.locator('meta[name="program"]')).toHaveAttribute('content', 'B');
});

test('where a piece of the old program is gone, the page says that there is a newer one', async ({
  page,
}) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/');
  await controlled(page);
  await replaced(page);
  lose(/OriginDrawer/);
  const banner = page.getByTestId('program-banner');
  await expect(banner).toHaveCount(0);
  await page.getByRole('button', { name: '54,50 USDT' }).click();
  // The worker is looked for by itself.
  await page.keyboard.press('Escape');
  await expect(banner).toContainText('O programa foi atualizado');
  await expectAccessible(page);
  await picture(page, 'program-newer');
  await banner.getByRole('button', { name: 'Recarregar' }).click();
  await expect(page.locator('meta[name="program"]')).toHaveAttribute('content', 'B');
  await expect(banner).toHaveCount(0);
});
