/** A browser whose pushes come by a service of the test's own: the browser's is far away, and says nobody what it was given. */
import type { CDPSession, Page } from '@playwright/test';

/** What the browser gives the program; the keys are base64url. */
export interface Subscription {
  endpoint: string;
  p256dh: string;
  auth: string;
}

interface Told {
  /** The key of the server with which it was subscribed; null where it is not. */
  key: string | null;
  /** How often the browser was asked for its leave. */
  asked: number;
}

/** Runs in the page, before its own program; what it was told outlasts the document. `leave` is what the browser's person has said so far. */
export async function pushService(
  page: Page,
  subscription: Subscription,
  leave: NotificationPermission = 'default',
) {
  await page.addInitScript(
    ([{ endpoint, p256dh, auth }, leave]) => {
      const KEY = 'test-push-key';
      const LEAVE = 'test-push-leave';
      const ASKED = 'test-push-asked';
      const made = {
        endpoint,
        toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
        unsubscribe: async () => {
          localStorage.removeItem(KEY);
          return true;
        },
      };
      Object.assign(PushManager.prototype, {
        subscribe: async ({ applicationServerKey }: PushSubscriptionOptionsInit) => {
          localStorage.setItem(KEY, String(applicationServerKey));
          return made;
        },
        getSubscription: async () => (localStorage.getItem(KEY) === null ? null : made),
      });
      Object.defineProperty(Notification, 'permission', {
        configurable: true,
        get: () => localStorage.getItem(LEAVE) ?? leave,
      });
      Object.assign(Notification, {
        requestPermission: async () => {
          localStorage.setItem(ASKED, String(Number(localStorage.getItem(ASKED) ?? 0) + 1));
          localStorage.setItem(LEAVE, 'granted');
          return 'granted';
        },
      });
    },
    [subscription, leave] as const,
  );
  return {
    told: (): Promise<Told> =>
      page.evaluate(() => ({
        key: localStorage.getItem('test-push-key'),
        asked: Number(localStorage.getItem('test-push-asked') ?? 0),
      })),
  };
}

/** Gives this page's worker a push, as the browser would after it has deciphered one. */
export async function pusher(
  page: Page,
): Promise<{ push: (data: string) => Promise<void>; end: () => Promise<void> }> {
  const tools: CDPSession = await page.context().newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [one] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (one) resolve(one.registrationId);
    });
  });
  await tools.send('ServiceWorker.enable');
  const registrationId = await registration;
  const { origin } = new URL(page.url());
  return {
    push: async (data) => {
      await tools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    },
    end: () => tools.detach(),
  };
}
