/** Pages with the service worker that the others' windows keep away. Each test has a window of its own: a worker stays in it. */
import { test as base } from './window';

export const test = base.extend({
  context: async ({ browser }, use) => {
    const context = await browser.newContext({ serviceWorkers: 'allow' });
    await use(context);
    await context.close();
  },
});

export { controlled } from '../pushes';
