/** Every screen behind the sign-in when its first answers fail: it says so in words and can be asked again; nothing waits for ever.
 *  Each begins anew within one document. */

import { pages } from '../../src/app/pages';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { afterPauses, walk } from './walk';
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

for (const [name, bad] of Object.entries(BAD)) {
  test(`every screen with ${name}`, async ({ page }) => {
    test.slow();
    const state = await stub(page, EVERYBODY);
    const good = state.answers;
    let here = '';
    // Of the notices the bell asks as well, but they are a screen's own answer on their page.
    const stands = (call: string) => FRAME.includes(call) && call !== `GET ${here}`;
    state.answers = new Proxy(good, {
      get: (answers, call: string) => (stands(call) ? answers[call] : bad),
    });
    const main = page.getByRole('main');
    const alert = main.getByRole('alert').first();
    for (const { path } of pages)
      await test.step(path, async () => {
        here = path;
        await walk(page, path === '/' ? '/?view=results' : path.replace(':idTicket', 't1'));
        if (!NEEDS_NOTHING.includes(path)) {
          // Nothing is read before the streams have their numbers.
          await expect(page.getByText('Ao vivo').first()).toBeVisible();
          await afterPauses(page, alert, `${path} says that it failed`);
          // The card that failed asks again; a screen that broke is loaded again.
          const retry = alert.getByRole('button', {
            name: name === 'an error' ? 'Tentar de novo' : /^(Tentar de novo|Recarregar)$/,
          });
          await expect(retry, path).toBeVisible();
        }
        await expect(main.locator('.mantine-Skeleton-root'), path).toHaveCount(0);
      });
  });
}
