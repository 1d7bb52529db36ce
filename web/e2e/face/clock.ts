/** The suite's one clock. The stub sets the page's own to it, and what the stub tells has either this time or the page's: a test in
 *  which two clocks run ends as the later answer wants. */
import type { Page } from '@playwright/test';

/** Noon of São Paulo on an ordinary Friday, in milliseconds: no day or month turns while a test runs. */
export const NOON = Date.parse('2026-11-20T15:00:00Z');

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A moment before noon, as the server writes it. */
export const ago = (ms: number) => new Date(NOON - ms).toISOString();
/** A moment after it. */
export const ahead = (ms: number) => ago(-ms);
export const JUST_NOW = ago(0);

/** What the page's clock says. */
export const timeOf = (page: Page) => page.evaluate(() => Date.now());

/** From here on the page's time passes only when it is told to. */
export async function holdTime(page: Page) {
  const now = await timeOf(page);
  // A moment ahead, for time does not stand yet.
  await page.clock.pauseAt(now + 10 * SECOND);
}
