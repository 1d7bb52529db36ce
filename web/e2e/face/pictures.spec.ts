/** Pictures beside people's names: all of a screen are asked for at once; who has none has initials. */

import { expectAccessible, picture } from '../kit';
import { PIXEL } from './fixtures';
import { queue, RATE, row } from './pixFixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, type Page, type Route, test } from './window';

/** Two people in one queue. The sizes in which a face was asked for. */
async function open(page: Page, pictures: (route: Route) => Promise<void>) {
  const sizes: (string | null)[] = [];
  await stub(page, ADMINISTRATOR, {
    'GET /pix/rate': RATE,
    'GET /admin/list-deposits-pix-approve-reject': queue([
      { ...row(1), fullName: 'Marina Duarte', username: 'marina1' },
      { ...row(2), fullName: 'Rui Tavares', username: 'rui9' },
    ]),
    'GET /people/pictures': pictures,
    'GET /files/f-1': (route: Route) => {
      sizes.push(new URL(route.request().url()).searchParams.get('size'));
      return route.fulfill({ body: PIXEL, contentType: 'image/png' });
    },
  });
  await page.goto('/deposits-pix-approve-reject');
  return sizes;
}

test('a queue shows whom it names, with one call for all', async ({ page }) => {
  const asked: (string | null)[] = [];
  const sizes = await open(page, async (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('names'));
    await route.fulfill({ json: { data: [{ username: 'marina1', avatar: 'f-1' }] } });
  });
  const marina = page.getByRole('row').filter({ hasText: 'marina1' });
  await expect(marina.locator('img')).toHaveAttribute('src', /^data:image\/png/);
  await expect(page.getByRole('row').filter({ hasText: 'rui9' })).toContainText('RT');
  // The square that is shown, not all of it.
  expect(sizes).toEqual(['32']);
  // The signed-in person's own picture is known from the sign-in.
  expect(asked.map((names) => names?.split(',').sort())).toEqual([['marina1', 'rui9']]);
  await expectAccessible(page);
  await picture(page, 'queue-with-pictures');
});

test('without an answer the names stand there all the same', async ({ page }) => {
  await open(page, refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.'));
  await expect(page.getByRole('row').filter({ hasText: 'rui9' })).toContainText('RT');
  await expect(page.getByRole('row').filter({ hasText: 'marina1' })).toContainText('MD');
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0);
});
