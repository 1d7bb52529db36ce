import { devices, type PlaywrightTestOptions, type PlaywrightWorkerOptions } from '@playwright/test';

/** Debian's Chromium, alone with us: no download, no background traffic. Its shell without a window is enough, and twice as quick. */
export const browser: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> & {
  trace: 'retain-on-failure' | 'on-first-retry';
  screenshot: 'only-on-failure';
} = {
  ...devices['Desktop Chrome'],
  viewport: { width: 1440, height: 1000 },
  locale: 'pt-BR',
  timezoneId: 'America/Sao_Paulo',
  // A worker would stand between the pages and what answers them; what looks at it allows it (`face/installed.ts`).
  serviceWorkers: 'block',
  // What moves costs time, and a dialog that is still leaving answers for the one that comes.
  contextOptions: { reducedMotion: 'reduce' },
  // A trace of every step makes each test half as long again: asked for where one is looked into, and kept of what failed once.
  trace: process.env.TRACE ? 'retain-on-failure' : 'on-first-retry',
  screenshot: 'only-on-failure',
  launchOptions: {
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  },
};
