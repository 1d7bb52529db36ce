/** A browser whose pushes come by a service of the test's own: the browser's is far away, and says nobody what it was given. */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CDPSession, expect, type Page, type Worker } from '@playwright/test';

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

/** The page's worker, once it stands between the page and the network. */
export async function controlled(page: Page): Promise<Worker> {
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null), 'the worker has the page')
    .toBe(true);
  const [worker] = page.context().serviceWorkers();
  return worker ?? page.context().waitForEvent('serviceworker');
}

export interface Shown {
  title: string;
  body?: string;
  tag?: string;
  url: string;
}
interface Watched {
  shown: Shown[];
  opened: string[];
}

/** Notes what the worker shows and opens: there is no desk here on which it could be seen. */
export async function watched(page: Page) {
  const worker = await controlled(page);
  await worker.evaluate(() => {
    const seen: Watched = { shown: [], opened: [] };
    Object.assign(self, { seen });
    Object.assign(Object.getPrototypeOf(Reflect.get(self, 'registration')), {
      showNotification: async (title: string, options: NotificationOptions) => {
        const { body, tag, data } = options;
        seen.shown.push({ title, url: data.url, ...(body && { body }), ...(tag && { tag }) });
      },
    });
    Object.assign(Object.getPrototypeOf(Reflect.get(self, 'clients')), {
      openWindow: async (url: string) => {
        seen.opened.push(url);
        return null;
      },
    });
  });
  const seen = () => worker.evaluate(() => Reflect.get(self, 'seen') as Watched);
  /** As the browser tells it of a press on a notice; its own events cannot be made. */
  const press = (data: unknown) =>
    worker.evaluate((data) => {
      const press = new Event('notificationclick');
      Object.defineProperties(press, {
        notification: { value: { close() {}, data } },
        waitUntil: { value: () => {} },
      });
      self.dispatchEvent(press);
    }, data);
  return { seen, press };
}

export interface Message {
  headers: IncomingHttpHeaders;
  /** Deciphered. */
  text: string;
}

/** A push service on this machine with one browser's keys: it takes what the house hands over and deciphers it as that browser would
 *  (RFC 8291 over RFC 8188). */
export async function endpoint() {
  const keys = createECDH('prime256v1');
  const own = keys.generateKeys();
  const auth = randomBytes(16);
  const messages: Message[] = [];
  const derived = (secret: Buffer, salt: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, info, length));
  const plain = (sealed: Buffer): string => {
    const salt = sealed.subarray(0, 16);
    const sender = sealed.subarray(21, 21 + sealed.readUInt8(20));
    const record = sealed.subarray(21 + sender.length);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender]);
    const secret = derived(keys.computeSecret(sender), auth, info, 32);
    const key = derived(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
    const nonce = derived(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
    const cipher = createDecipheriv('aes-128-gcm', key, nonce);
    cipher.setAuthTag(record.subarray(-16));
    const opened = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
    // The last record ends with a 2, and zeros that say nothing.
    return opened.subarray(0, opened.lastIndexOf(2)).toString('utf8');
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      messages.push({ headers: request.headers, text: plain(Buffer.concat(parts)) });
      response.writeHead(201).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const subscription: Subscription = {
    endpoint: `http://127.0.0.1:${port}/send/this-browser`,
    p256dh: own.toString('base64url'),
    auth: auth.toString('base64url'),
  };
  return {
    subscription,
    messages,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
