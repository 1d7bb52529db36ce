/** Pages with the service worker that the others' windows keep away. Each test has a window of its own: a worker stays in it. */
import type { Page, Worker } from '@playwright/test';
import { test as base, expect } from './window';

export const test = base.extend({
  context: async ({ browser }, use) => {
    const context = await browser.newContext({ serviceWorkers: 'allow' });
    await use(context);
    await context.close();
  },
});

/** The page's worker, once it stands between the page and the network. */
export async function controlled(page: Page): Promise<Worker> {
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null), 'the worker has the page')
    .toBe(true);
  const [worker] = page.context().serviceWorkers();
  return worker ?? page.context().waitForEvent('serviceworker');
}
