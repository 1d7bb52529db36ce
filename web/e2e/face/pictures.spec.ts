/** Pictures beside people's names: all of a screen are asked for at once; who has none has initials. */

import { expectAccessible, fits, picture } from '../kit';
import { BONUS_REPORT } from './affiliatesBonusFixtures';
import { RANKED, REFERENCES, TREE } from './affiliatesFixtures';
import { page as list, OUTBOUND, PIXEL } from './fixtures';
import { transfer } from './moneyFixtures';
import { queue, RATE, row } from './pixFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub } from './stub';
import { ANSWERS, detail, message, T } from './supportFixtures';
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

const FACE = (route: Route) => route.fulfill({ body: PIXEL, contentType: 'image/png' });

/** Ana has a picture; whom else the screen named. */
async function withAna(page: Page, who: Parameters<typeof stub>[1], answers: Parameters<typeof stub>[2]) {
  const asked: string[] = [];
  await stub(page, who, {
    ...answers,
    'GET /people/pictures': async (route: Route) => {
      const names = new URL(route.request().url()).searchParams.get('names') ?? '';
      asked.push(...names.split(','));
      await route.fulfill({ json: { data: [{ username: 'ana21', avatar: 'f-1' }] } });
    },
    'GET /files/f-1': FACE,
  });
  return asked;
}

for (const [what, path, who, answers] of [
  ['tree', '/affiliate-network/binary-tree', RANKED, { 'GET /affiliates/diagram-binary-tree/me': TREE }],
  [
    'references',
    '/affiliate-network/direct-references',
    RANKED,
    { 'GET /affiliates/reference-list': REFERENCES },
  ],
  [
    'transfers',
    '/wallet/transfers',
    RANKED,
    {
      'GET /outbound-state': OUTBOUND,
      'GET /transfers-list': list([
        transfer(1, 'marinaduarte48201', 'ana21'),
        transfer(2, 'closed-1a2b3c4d', 'bruno7'),
      ]),
    },
  ],
  ['bonus report', '/bonus-report', ADMINISTRATOR, { 'GET /admin/bonus-report': BONUS_REPORT }],
] as const)
  test(`faces in the ${what}`, async ({ page }) => {
    const asked = await withAna(page, who, answers);
    await page.goto(path);
    const face = page.getByRole('main').locator('img[src^="data:image/png"]').first();
    await expect(face).toBeVisible();
    // It is heard once, as the name beside it.
    await expect(face).toHaveAttribute('alt', '');
    await expect.poll(() => asked).toContain('bruno7');
    // Each once, and nobody who has left.
    expect(asked).toEqual([...new Set(asked)]);
    expect(asked.filter((name) => name.startsWith('closed-'))).toEqual([]);
    await fits(page);
    await expectAccessible(page);
    await picture(page, `faces-${what.replace(' ', '-')}`);
  });

test('nothing moves when a face comes', async ({ page }) => {
  let come = () => {};
  const held = new Promise<void>((resolve) => {
    come = resolve;
  });
  await stub(page, RANKED, {
    'GET /affiliates/reference-list': REFERENCES,
    'GET /people/pictures': async (route: Route) => {
      await held;
      await route.fulfill({ json: { data: [{ username: 'ana21', avatar: 'f-1' }] } });
    },
    'GET /files/f-1': FACE,
  });
  await page.goto('/affiliate-network/direct-references');
  const row = page.getByRole('row').filter({ hasText: '@ana21' });
  await expect(row).toContainText('AN');
  const before = await row.boundingBox();
  come();
  await expect(row.locator('img')).toHaveAttribute('src', /^data:image\/png/);
  expect(await row.boundingBox()).toEqual(before);
});

test('a conversation shows who speaks', async ({ page }) => {
  await stub(page, CUSTOMER, {
    ...ANSWERS,
    [`GET /support/get-ticket-user/${T}`]: detail({
      messages: [
        message(1, 'customer', 'Oi!', 20),
        message(2, 'staff', 'Olá, Marina.', 10, { authorAvatar: 'f-1' }),
      ],
    }),
    'GET /files/f-1': FACE,
  });
  await page.goto(`/support/ticket/${T}`);
  const log = page.getByRole('log');
  await expect(log.locator('[data-number="2"] img')).toHaveAttribute('src', /^data:image\/png/);
  await expect(log.locator('[data-number="1"] img')).toHaveCount(0);
  await expectAccessible(page);
});
