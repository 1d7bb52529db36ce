/** This browser's service worker, once somebody is inside. */

/** A worker whose first pieces do not come never runs. */
const PATIENCE_MS = 20_000;

let registered: Promise<ServiceWorkerRegistration | null> | null = null;

/** Null where there is none: an old browser, a private window, a person who forbids it, a page without TLS. */
export function worker(): Promise<ServiceWorkerRegistration | null> {
  registered ??= register();
  return registered;
}

async function register(): Promise<ServiceWorkerRegistration | null> {
  // While it is worked on, the program changes under it.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return null;
  try {
    return (await navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' })) ?? null;
  } catch {
    return null;
  }
}

/** The same, once it runs. */
export async function runningWorker(): Promise<ServiceWorkerRegistration | null> {
  if (!(await worker())) return null;
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), PATIENCE_MS));
  return Promise.race([navigator.serviceWorker.ready, late]);
}
