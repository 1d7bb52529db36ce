/** The service worker. It never holds the program: a page, its pieces and its calls come from the network, and only where that fails stands a small
 *  page of ours instead (`offline.ts`), the one thing that is kept here, by exact names. So a new worker may take over at once. It shows what
 *  is pushed, and holds no key and no session [docs/decisions/0103-installed.md]. */
import en from '../i18n/en/installed.json';
import es from '../i18n/es/installed.json';
import pt from '../i18n/pt/installed.json';
import type { ToPage } from './messages';
import { languageOf, noticeOf, ownPath } from './notice';

declare const self: ServiceWorkerGlobalScope;
/** Written in by the build (`worker.config.ts`): what the page without a connection is made of, its document first, and the program's own mark,
 *  by which a worker of another program is another worker. */
declare const __SHELL__: readonly string[];
declare const __PROGRAM__: string;

const NAMES = 'arbora-shell-';
const CACHE = NAMES + __PROGRAM__;
const [DOCUMENT = ''] = __SHELL__;
/** A page that does not answer for so long is not there. */
const ANSWER_MS = 1_000;

self.addEventListener('install', (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      await cache.addAll(__SHELL__.map((path) => new Request(path, { cache: 'reload' })));
      await self.skipWaiting();
    })(),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const old = (await caches.keys()).filter((name) => name.startsWith(NAMES) && name !== CACHE);
      await Promise.all(old.map((name) => caches.delete(name)));
      // The request is on its way while the worker wakes up.
      await self.registration.navigationPreload?.enable();
      await self.clients.claim();
    })(),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  const { origin, pathname } = new URL(request.url);
  if (request.mode === 'navigate') event.respondWith(page(event, pathname));
  else if (origin === self.location.origin && __SHELL__.includes(pathname)) event.respondWith(piece(request));
});

async function page(event: FetchEvent, pathname: string): Promise<Response> {
  try {
    const early: Response | undefined = await event.preloadResponse;
    return early ?? (await fetch(event.request));
  } catch {
    // A file that does not come is no page.
    const shell = pathname.startsWith('/api') ? undefined : await kept(DOCUMENT);
    return shell ?? Response.error();
  }
}

/** Looked at where it is, and made by nobody here: a worker whose successor has cleared up would put its own cache there again. */
const kept = (path: string) => caches.match(path, { cacheName: CACHE });
const piece = async (request: Request) => (await kept(new URL(request.url).pathname)) ?? fetch(request);

const windows = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });

self.addEventListener('push', (event) => event.waitUntil(shown(event.data)));

async function shown(data: PushMessageData | null) {
  const $ = { pt, en, es }[languageOf(self.navigator.languages)];
  const notice = noticeOf(textOf(data), self.location.origin, $.neutral);
  // Whoever is looking at the program needs no sound for it.
  const silent = (await windows()).some(({ focused }) => focused);
  await self.registration.showNotification(notice.title, {
    body: notice.text,
    icon: '/icons/icon-192.png',
    badge: '/icons/badge-96.png',
    silent,
    data: { url: notice.url },
    ...(notice.at !== null && { timestamp: notice.at }),
    ...(notice.tag !== '' && { tag: notice.tag, renotify: !silent }),
  });
}

function textOf(data: PushMessageData | null): string | null {
  try {
    return data?.text() ?? null;
  } catch {
    return null;
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const data: unknown = event.notification.data;
  const url = typeof data === 'object' && data !== null && 'url' in data ? data.url : null;
  event.waitUntil(lead(ownPath(url, self.location.origin)));
});

/** The window that was looked at last goes there by itself, so that what is typed in it is asked about; else there is a new one. */
async function lead(url: string) {
  const open = [...(await windows())].sort((a, b) => Number(b.focused) - Number(a.focused));
  for (const client of open)
    if (await goes(client, url)) {
      await client.focus().catch(() => null);
      return;
    }
  await self.clients.openWindow(url);
}

function goes(client: WindowClient, url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const late = setTimeout(() => resolve(false), ANSWER_MS);
    port1.onmessage = ({ data }) => {
      clearTimeout(late);
      resolve(data === true);
    };
    tell(client, { type: 'open', url }, port2);
  });
}

const tell = (client: WindowClient, said: ToPage, port?: MessagePort) =>
  client.postMessage(said, port ? [port] : []);

interface SubscriptionChange extends ExtendableEvent {
  readonly oldSubscription: PushSubscription | null;
  readonly newSubscription: PushSubscription | null;
}
const isChange = (event: Event): event is SubscriptionChange => 'oldSubscription' in event;

/** The browser gave this site another subscription, or took it away: the server is told by a page, for the worker has no session. Where
 *  none is open it is told when one is. */
self.addEventListener('pushsubscriptionchange', (event) => {
  if (!isChange(event)) return;
  event.waitUntil(
    (async () => {
      const options = event.oldSubscription?.options;
      if (!event.newSubscription && options?.applicationServerKey)
        await self.registration.pushManager
          .subscribe({ userVisibleOnly: true, applicationServerKey: options.applicationServerKey })
          .catch(() => null);
      for (const client of await windows()) tell(client, { type: 'resubscribed' });
    })(),
  );
});
