/** The face's tests look at pages of one window per process: what was fetched and compiled for one page is there for the next. Each test
 *  begins with a page of its own, with no cookie and nothing stored; what a page is told to route, to run or to wait for ends with it. */
import { type BrowserContext, test as base } from '@playwright/test';
import { forget, type Host, open } from './host';

export { expect, type Locator, type Page, type WebSocketRoute } from '@playwright/test';
export type { Route } from './host';

/** A clock keeps what it was ever told: a window that grows old is left for a new one. */
const MOST = 20;

interface Window {
  /** Opened by the first test that needs it, with the suite's settings. */
  context: BrowserContext | null;
  tests: number;
}

export const test = base.extend<object, { host: Host; window: Window }>({
  host: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads what is needed from this.
    async ({}, use) => {
      const host = await open();
      await use(host);
      host.close();
    },
    { scope: 'worker' },
  ],
  baseURL: ({ host }, use) => use(host.url),
  window: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads what is needed from this.
    async ({}, use) => {
      const window: Window = { context: null, tests: 0 };
      await use(window);
      await window.context?.close();
    },
    { scope: 'worker' },
  ],
  context: async ({ browser, window }, use) => {
    if (window.tests >= MOST) {
      await window.context?.close();
      window.context = null;
    }
    if (!window.context) {
      window.context = await browser.newContext();
      window.tests = 0;
    }
    window.tests++;
    const { context } = window;
    await use(context);
  },
  page: async ({ context, host }, use, info) => {
    const page = await context.newPage();
    await context.clearCookies();
    await context.setOffline(false);
    const tools = await context.newCDPSession(page);
    // By its number and by its name: what is done for a domain alone is looked at there.
    for (const origin of [host.url, host.url.replace('127.0.0.1', 'localhost')])
      await tools.send('Storage.clearDataForOrigin', {
        origin,
        storageTypes: 'local_storage,indexeddb,cache_storage,service_workers,file_systems',
      });
    await tools.detach();
    await use(page);
    // After a failure the process ends, window and all, once it is written down how the page looks.
    if (info.status !== info.expectedStatus) return;
    await Promise.all(context.pages().map((one) => one.close()));
    forget();
  },
});
