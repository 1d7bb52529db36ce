import { defineConfig } from '@playwright/test';
import { browser } from './e2e/browser';

/** The built face alone, its calls answered inside the tests (`face/host.ts`): what needs no server to be proven. Run `npm run build`
 *  first. */
export default defineConfig({
  testDir: './e2e/face',
  // Apart from the other kind's: what failed there stays to be looked at.
  outputDir: 'test-results/face',
  workers: 2,
  // axe reads every element, in both skins and sizes; two loaded cores take their time.
  timeout: 150_000,
  expect: { timeout: 30_000 },
  // What passes only at a later try is told as flaky; too many of them end the check.
  retries: 2,
  reporter: [['list']],
  use: { ...browser, actionTimeout: 30_000 },
});
