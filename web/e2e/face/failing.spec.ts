/** Every screen behind the sign-in when its first answers fail: it says so in words and can be asked again; nothing waits for ever. */

import { pages } from '../../src/app/pages';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, test } from './window';

/** What stands under every screen keeps answering: only the screen's own answers fail. */
const FRAME = ['GET /me', 'GET /config', 'GET /notifications', 'GET /people/pictures', 'POST /auth/refresh'];
const BAD = {
  'an error': refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.'),
  'an empty body': {},
};
/** Nothing is asked for before the screen can be used. */
const NEEDS_NOTHING = [
  '/support/new-ticket',
  '/account-setting',
  '/trading-bot',
  '/marketing/share',
  '/support-whatsapp',
];
/** Every right there is: staff screens and customers' alike. */
const EVERYBODY = {
  ...ADMINISTRATOR,
  roles: [
    {
      _id: 'r0',
      name: 'administrator',
      permissions: [...new Set(pages.map(({ subject }) => subject))].map((subject) => ({
        action: 'read',
        subject,
      })),
    },
  ],
};

for (const { path } of pages)
  for (const [name, bad] of Object.entries(BAD)) {
    test(`${path} with ${name}`, async ({ page }) => {
      const state = await stub(page, EVERYBODY);
      const good = state.answers;
      state.answers = new Proxy(good, {
        get: (answers, call: string) => (FRAME.includes(call) ? answers[call] : bad),
      });
      await page.goto(path === '/' ? '/?view=results' : path.replace(':idTicket', 't1'));
      const main = page.getByRole('main');
      await expect(page.locator('#content')).toBeVisible();
      if (!NEEDS_NOTHING.includes(path)) {
        const alert = main.getByRole('alert').first();
        await expect(alert).toBeVisible();
        // The card that failed asks again; a screen that broke is loaded again.
        const retry = alert.getByRole('button', {
          name: name === 'an error' ? 'Tentar de novo' : /^(Tentar de novo|Recarregar)$/,
        });
        await expect(retry).toBeVisible();
      }
      await expect(main.locator('.mantine-Skeleton-root')).toHaveCount(0);
    });
  }
