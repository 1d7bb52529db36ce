/** From screen to screen within one document, by the program's own router: a start of the whole program costs more than most screens do. */
import type { Request } from '@playwright/test';
import { expect, type Locator, type Page } from './window';

/** The signed-in part, its caches, its socket and its words end with the shell: what comes after this screen begins with none of them. */
const OUTSIDE = '/error-404';

/** As the browser's own Back and Forward do it; nobody is asked about what is unsaved. */
export const turn = (page: Page, path: string) =>
  page.evaluate((path) => {
    history.pushState(null, '', path);
    dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, path);

/** Leaves the shell: from here on nothing of the screen before it is left. */
export async function leave(page: Page) {
  const shell = page.locator('#content');
  await turn(page, OUTSIDE);
  await expect(shell).toHaveCount(0);
}

/** To a screen behind the sign-in, which begins as in a new tab; the first one starts the program. */
export async function walk(page: Page, path: string) {
  watch(page);
  if (page.url() === 'about:blank') await page.goto(path);
  else {
    await leave(page);
    await turn(page, path);
  }
  // The shell comes with the screen.
  await expect(page.locator('#content')).toBeVisible();
}

/** More than the longest pause before a call that was not answered is made again. */
const PAUSE = 1250;

/** Until it is seen what a screen shows after its last try: the pauses before it are passed over. */
export async function afterPauses(page: Page, seen: Locator, what = 'a failure is said') {
  await expect
    .poll(
      async () => {
        if (await seen.isVisible()) return true;
        await page.clock.fastForward(PAUSE);
        return false;
      },
      { message: what, intervals: [50] },
    )
    .toBe(true);
}

interface Line {
  open: Set<Request>;
  /** How often something was asked for or answered. */
  moves: number;
}

const lines = new WeakMap<Page, Line>();

/** What the page has asked for and not been answered, from here on. */
export function watch(page: Page): Line {
  const known = lines.get(page);
  if (known) return known;
  const line: Line = { open: new Set(), moves: 0 };
  const done = (request: Request) => {
    line.open.delete(request);
    line.moves += 1;
  };
  page.on('request', (request) => {
    line.open.add(request);
    line.moves += 1;
  });
  page.on('requestfinished', done);
  page.on('requestfailed', done);
  lines.set(page, line);
  return line;
}

/** Looks in a row, a tenth of a second apart. */
const LOOKS = 5;

/** Nothing has been asked for in half a second: what the browser's tools tell as `networkidle`, which a document has once only. */
export async function idle(page: Page) {
  const line = watch(page);
  let moves = line.moves;
  let quiet = 0;
  await expect
    .poll(
      () => {
        quiet = line.open.size === 0 && line.moves === moves ? quiet + 1 : 0;
        moves = line.moves;
        return quiet;
      },
      { message: 'nothing is asked for any more', intervals: [100] },
    )
    .toBeGreaterThan(LOOKS);
}
