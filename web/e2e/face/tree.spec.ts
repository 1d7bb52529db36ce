/** The binary tree while it lives: points that go up, and where one stands in it. */

import { expectAccessible, fits, picture } from '../kit';
import { BONUS_LOG } from './affiliatesBonusFixtures';
import { BELOW, LOWEST, RANKED, TREE } from './affiliatesFixtures';
import { holdTime } from './clock';
import { stub } from './stub';
import { expect, type Page, test } from './window';

const PHONE = { width: 390, height: 844 };
const tree = (of: string) => `GET /affiliates/diagram-binary-tree/${of}`;

/** A sale of who stands at the lowest level: points come on the legs of all above. */
const CAME: Record<string, object> = {
  marinaduarte48201: { leftNow: '9000.000000' },
  ana21: { rightNow: '9000.000000' },
  diego44: { rightNow: '9000.000000' },
};
const SOLD = { ...TREE, nodes: TREE.nodes.map((node) => ({ ...node, ...CAME[node.username] })) };
const sold = async (page: Page) => {
  const state = await stub(page, RANKED, { [tree('me')]: TREE });
  await page.goto('/affiliate-network/binary-tree');
  await expect(page.getByRole('button', { name: /@ana21,/ }).first()).toBeVisible();
  state.answers[tree('me')] = SOLD;
  await holdTime(page);
  // Who is paid for a sale has its points as well.
  await state.fact(`user:${RANKED._id}`, 1, { kind: 'bonus.changed', bonus: BONUS_LOG.data[1] });
  const risen = page.locator('[data-rise]');
  while ((await risen.count()) === 0) await page.clock.runFor(50);
  await expect(risen).toHaveCount(4);
};
const steps = (page: Page) =>
  page.locator('[data-rise]').evaluateAll((all) =>
    all.map((one) => {
      // What stands beside a name follows it without a space.
      const names = [...one.querySelectorAll('*')].map(
        ({ textContent }) => /^@(\w+)$/.exec(textContent ?? '')?.[1],
      );
      return [names.find((name) => name !== undefined), one.getAttribute('data-rise')];
    }),
  );
const PATH = [
  ['marinaduarte48201', '3'],
  ['ana21', '2'],
  ['diego44', '1'],
  ['hugo81', '0'],
];

test('points go up the path from who sold to oneself, and come to rest', async ({ page }) => {
  await sold(page);
  expect(await steps(page)).toEqual(expect.arrayContaining(PATH));
  await page.clock.runFor(3_000);
  await expect(page.locator('[data-rise]')).toHaveCount(0);
});

test('the same in the list of a phone, and without motion', async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await sold(page);
  expect(await steps(page)).toEqual(expect.arrayContaining(PATH));
  const ring = await page
    .locator('[data-rise]')
    .first()
    .evaluate((one) => {
      const { animationName, opacity } = getComputedStyle(one, '::after');
      return { animationName, opacity };
    });
  expect(ring).toEqual({ animationName: 'none', opacity: '1' });
});

test('points that a part of the tree has from the beginning do not flash', async ({ page }) => {
  await stub(page, RANKED, { [tree('me')]: TREE, [tree(LOWEST)]: BELOW });
  await page.goto('/affiliate-network/binary-tree');
  await page.getByRole('button', { name: 'Mostrar abaixo de @hugo81' }).click();
  await expect(page.getByRole('button', { name: /^@karen18,/ })).toBeAttached();
  await expect(page.locator('[data-rise]')).toHaveCount(0);
});

test('the way says where one stands, and leads back by keyboard and on a phone', async ({ page }) => {
  const state = await stub(page, RANKED, { [tree('me')]: TREE, [tree(LOWEST)]: BELOW });
  state.answers[tree('ana21')] = {
    ...TREE,
    way: { path: ['marinaduarte48201', 'ana21'], between: 0, last: [] },
    nodes: [TREE.nodes[1]],
  };
  await page.goto('/affiliate-network/binary-tree');
  const way = page.getByRole('navigation', { name: 'Caminho na árvore' });
  await expect(page.getByRole('button', { name: /^@ana21,/ })).toBeVisible();
  await expect(way).toHaveCount(0);
  await page.goto(`/affiliate-network/binary-tree?at=${LOWEST}`);
  await expect(way.getByRole('listitem')).toHaveText(['@marinaduarte48201', '@ana21', '@diego44', '@hugo81']);
  await expect(way.locator('[aria-current="location"]')).toHaveText('@hugo81');
  await picture(page, 'tree-way');
  await expectAccessible(page);
  await way.getByRole('button', { name: '@ana21' }).press('Enter');
  await expect(page).toHaveURL(/at=ana21/);
  await expect(way.getByRole('listitem')).toHaveText(['@marinaduarte48201', '@ana21']);
  await way.getByRole('button', { name: '@marinaduarte48201' }).press('Enter');
  await expect(page).not.toHaveURL(/at=/);
  await expect(way).toHaveCount(0);

  // So deep that those in between are only counted.
  state.answers[tree(LOWEST)] = {
    ...BELOW,
    way: {
      path: ['marinaduarte48201', 'ana21', 'bruno7'],
      between: 1_240,
      last: ['diego44', 'elisa9', 'hugo81'],
    },
  };
  await page.setViewportSize(PHONE);
  await page.goto(`/affiliate-network/binary-tree?at=${LOWEST}`);
  await expect(way.getByRole('listitem')).toHaveText([
    '@marinaduarte48201',
    '@ana21',
    '@bruno7',
    'mais 1.240 pessoas',
    '@diego44',
    '@elisa9',
    '@hugo81',
  ]);
  await fits(page);
  await expectAccessible(page, ['dark']);
  await picture(page, 'tree-way-phone');
});

/** How the drawing lies in its frame. */
const view = (page: Page) =>
  page.locator('.react-flow__viewport').evaluate((one) => {
    const { a, e, f } = new DOMMatrixReadOnly(getComputedStyle(one).transform);
    return { zoom: a, x: e, y: f };
  });
/** Whether everybody stands within the frame. */
const whole = (page: Page) =>
  page.locator('.react-flow').evaluate((frame) => {
    const { left, right, top, bottom } = frame.getBoundingClientRect();
    const all = [...frame.querySelectorAll('[data-member-node]')].map((one) => one.getBoundingClientRect());
    return all.every(
      (one) => one.left >= left && one.right <= right && one.top >= top && one.bottom <= bottom,
    );
  });
/** The same once it has come to rest. */
const atRest = async (page: Page) => {
  let last = '';
  await expect
    .poll(async () => {
      const before = last;
      last = JSON.stringify(await view(page));
      return last === before;
    })
    .toBe(true);
  return view(page);
};

test('the drawing is zoomed by its buttons and by keys, dragged, and shown whole again', async ({ page }) => {
  await stub(page, RANKED, { [tree('me')]: TREE });
  await page.goto('/affiliate-network/binary-tree');
  const ana = page.getByRole('button', { name: /^@ana21,/ });
  await expect(ana).toBeVisible();
  const tool = (name: string) => page.getByRole('button', { name, exact: true });
  const zoom = async () => (await view(page)).zoom;
  await tool('Mostrar tudo').click();
  const fitted = await atRest(page);
  expect(await whole(page)).toBe(true);

  // A step of either leads as far as the other leads back.
  const near = fitted.zoom * 1.2;
  await tool('Aproximar').click();
  await expect.poll(zoom).toBeCloseTo(near, 3);
  await tool('Afastar').click();
  await expect.poll(zoom).toBeCloseTo(fitted.zoom, 3);
  await ana.press('-');
  await expect.poll(zoom).toBeCloseTo(fitted.zoom / 1.2, 3);
  await ana.press('+');
  await expect.poll(zoom).toBeCloseTo(fitted.zoom, 3);
  await ana.press('=');
  await expect.poll(zoom).toBeCloseTo(near, 3);
  await tool('Mostrar tudo').click();
  await expect.poll(zoom).toBeCloseTo(fitted.zoom, 3);

  // Dragged by a corner where nobody stands: it goes as far as the pointer, and no nearer.
  const from = await atRest(page);
  const pane = page.locator('.react-flow__pane');
  await pane.hover({ position: { x: 12, y: 12 } });
  const { x = 0, y = 0, width = 0, height = 0 } = (await pane.boundingBox()) ?? {};
  const [right, down] = [Math.round(width * 0.6), Math.round(height * 0.6)];
  await page.mouse.down();
  await page.mouse.move(x + 12 + right, y + 12 + down, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => (await view(page)).x).toBeCloseTo(from.x + right, -1);
  await expect.poll(async () => (await view(page)).y).toBeCloseTo(from.y + down, -1);
  expect(await zoom()).toBeCloseTo(from.zoom, 3);
  expect(await whole(page)).toBe(false);
  await tool('Mostrar tudo').click();
  await expect.poll(() => whole(page)).toBe(true);
  const again = await atRest(page);
  expect(again.x).toBeCloseTo(fitted.x, 0);
  expect(again.y).toBeCloseTo(fitted.y, 0);
});
