/** What a page asks the server for: each thing once, however many streams it follows. */

import { pages } from '../../src/app/pages';
import { holdTime } from './clock';
import { AT_WORK } from './fixtures';
import { ANSWERS as OVERVIEW } from './overviewFixtures';
import { LISTS, queue, RATE, row } from './pixFixtures';
import { ANSWERS as RULES } from './rulesFixtures';
import { ADMINISTRATOR, CUSTOMER, stub } from './stub';
import { idle, leave, turn, watch } from './walk';
import { AT_HAND } from './web3Fixtures';
import { expect, type Page, test } from './window';

const ID = '018f0000-0000-7000-8000-000000000001';
const address = (path: string) => path.replace(/\/:\w+\?/g, '').replace(/:\w+/g, ID);

const ANSWERS = {
  ...AT_WORK,
  ...AT_HAND,
  ...RULES,
  'GET /admin/general-view': OVERVIEW['GET /admin/general-view'],
  'GET /admin/waiting': OVERVIEW['GET /admin/waiting'],
  'GET /admin/solvency': OVERVIEW['GET /admin/solvency'],
  'GET /pix/rate': RATE,
  'GET /list-deposits-pix': LISTS,
  'GET /admin/list-deposits-pix-approve-reject': queue([row(1), row(2)]),
};

/** Only a start of the program asks for these: not again with each screen that begins within it. */
const OF_THE_START = ['GET /api/me', 'GET /api/config', 'POST /api/auth/refresh'];

/** Each call with its parameters, and how often it was made. */
function asked(page: Page): Map<string, number> {
  const calls = new Map<string, number>();
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith('/api/')) return;
    const call = `${request.method()} ${pathname}${search}`;
    calls.set(call, (calls.get(call) ?? 0) + 1);
  });
  return calls;
}

for (const [who, user] of [
  ['an administrator', ADMINISTRATOR],
  ['a customer', CUSTOMER],
] as const) {
  const rights = new Set(user.roles.flatMap(({ permissions }) => permissions.map(({ subject }) => subject)));
  const own = pages.filter(({ subject }) => rights.has(subject));
  test(`${who}: no page asks for anything twice`, async ({ page }) => {
    test.slow();
    const state = await stub(page, user, ANSWERS);
    const { heard, calls, say } = state;
    expect(own.length).toBeGreaterThan(10);
    const twice: string[] = [];
    const counted = asked(page);
    watch(page);
    for (const [n, { path }] of own.entries()) {
      // The program starts once; after it a screen begins with nothing of the one before it all the same.
      if (n > 0) await leave(page);
      // Time stands from the socket on until all that there is to follow is followed: how long a busy machine takes for that is not
      // what is tried here.
      await holdTime(page);
      const { opened } = state;
      counted.clear();
      if (n > 0) await turn(page, address(path));
      else await page.goto(address(path));
      while (state.opened === opened) await page.clock.runFor(50);
      let before = 0;
      await expect
        .poll(
          () => {
            const now = heard().filter(({ op }) => op === 'subscribe').length;
            const all = now > 1 && now === before;
            before = now;
            return all;
          },
          { intervals: [100] },
        )
        .toBe(true);
      await say({ type: 'heartbeat', hb: {} });
      await page.clock.resume();
      await idle(page);
      for (const [call, times] of counted) {
        const most = n > 0 && OF_THE_START.includes(call) ? 0 : 1;
        if (times > most) twice.push(`${path}: ${times} × ${call}`);
      }
    }
    expect(calls.length).toBeGreaterThan(own.length);
    expect(twice).toEqual([]);
  });
}

test('streams that begin anew after a cut are caught up with in one go', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, ANSWERS);
  await page.goto('/administrator/dashboard');
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  await page.waitForLoadState('networkidle');
  const counted = asked(page);
  const streams = new Set(
    state.heard().flatMap(({ op, stream }) => (op === 'subscribe' && stream ? [stream] : [])),
  );
  expect(streams.size).toBeGreaterThan(5);
  // As a server says it that has forgotten the numbers: what comes while the first is caught up with is one more time together.
  await Promise.all([...streams].map((stream) => state.say({ type: 'reset', stream, epoch: 2, seq: 0 })));
  await expect.poll(() => counted.size).toBeGreaterThan(3);
  await page.waitForLoadState('networkidle');
  expect([...counted].filter(([, times]) => times > 3)).toEqual([]);
});
