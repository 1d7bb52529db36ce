import { defineConfig } from '@playwright/test';
import { browser } from './e2e/browser';

/** The flows run against a server that is already up: `E2E_BASE_URL`, by default the one that `make run` starts. */
export default defineConfig({
  testDir: './e2e',
  testIgnore: ['face/**', 'day/**'],
  fullyParallel: false,
  // Apart from the other kind's: what failed there stays to be looked at.
  outputDir: 'test-results/flows',
  workers: 1,
  timeout: 180_000,
  // On two loaded cores a page has been seen to stand still for 27 s while every call was answered at once.
  expect: { timeout: 60_000 },
  // What passes only at a later try is told as flaky; too many of them end the check.
  retries: 2,
  reporter: [['list']],
  use: {
    ...browser,
    // What never becomes ready is told as that, not as a flow that took too long.
    actionTimeout: 90_000,
    baseURL: process.env.E2E_BASE_URL ?? 'http://127.0.0.1:8080',
  },
});
