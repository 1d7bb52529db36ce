import { defineConfig } from '@playwright/test';
import { browser } from './e2e/browser';

/** Browsers look at a simulated day that passes about a hundred times as fast; `tools/e2e day` starts both. Beside it, what a person takes minutes for. */
export default defineConfig({
  testDir: './e2e/day',
  outputDir: 'test-results/day',
  workers: 1,
  timeout: 900_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: { ...browser, actionTimeout: 90_000, baseURL: process.env.E2E_BASE_URL },
});
