/** Pushes to this browser: its subscription, and what the server knows of it. It is subscribed by a press of a button, renewed by itself and given up with
 *  the session [docs/decisions/0103-installed.md]. */
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { currentUser } from '@/api/session';
import { accessToken, ownerOf } from '@/api/token';
import { deviceName } from './name';
import { type Kept, stepOf } from './standing';
import { runningWorker, worker } from './worker';

/** What is left of a session waits no longer for an answer. */
const FAREWELL_MS = 2_000;

/** This browser, as the server was told of it. */
export const useOwnDevice = create<{ kept: Kept | null }>()(
  persist((): { kept: Kept | null } => ({ kept: null }), { name: 'arbora-push' }),
);
/** Another tab may have changed it. */
function kept(): Kept | null {
  void useOwnDevice.persist?.rehydrate();
  return useOwnDevice.getState().kept;
}
const note = (device: Kept | null) => useOwnDevice.setState({ kept: device });

const add = mutation({
  send: (subscription: Schemas['PushSubscription']) => body(api.POST('/me/push', { body: subscription })),
  changes: ['/me/push'],
  wait: true,
});
export const removeDevice = mutation({
  send: (pushDeviceId: string) =>
    api.DELETE('/me/push/{pushDeviceId}', { params: { path: { pushDeviceId } } }),
  changes: ['/me/push'],
  wait: true,
});
export const tryDevice = mutation({
  send: (pushDeviceId: string) =>
    api.POST('/me/push/{pushDeviceId}/try', { params: { path: { pushDeviceId } } }),
  changes: ['/me/push'],
});

export type Ability = 'able' | 'install' | 'none';

/** A phone of Apple's pushes to installed pages alone. */
const onApple = () =>
  /\b(?:iPhone|iPad|iPod)\b/.test(navigator.userAgent) ||
  (/\bMacintosh\b/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
const isInstalled = () =>
  matchMedia('(display-mode: standalone)').matches || Reflect.get(navigator, 'standalone') === true;

export function pushAbility(): Ability {
  if (onApple() && !isInstalled()) return 'install';
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
    ? 'able'
    : 'none';
}

/** Said where the browser did not do what it had leave for. */
export class PushRefused extends Error {
  override name = 'PushRefused';
}

const subscriptionOf = async () => (await (await worker())?.pushManager?.getSubscription()) ?? null;

async function subscribed(key: string): Promise<PushSubscription> {
  const running = await runningWorker();
  if (!running) throw new PushRefused();
  try {
    // One of another key would be in its way.
    await (await running.pushManager.getSubscription())?.unsubscribe();
    return await running.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch {
    throw new PushRefused();
  }
}

let turning = false;

/** From here on this browser is told; leave was given before. */
export async function turnOn(key: string): Promise<void> {
  turning = true;
  try {
    await told(key);
  } finally {
    turning = false;
  }
}

async function told(key: string): Promise<void> {
  const token = accessToken();
  const person = currentUser()?._id;
  if (token === null || person === undefined) return;
  const subscription = await subscribed(key);
  try {
    await tell(subscription, key, person, ownerOf(token));
  } catch (error) {
    await subscription.unsubscribe().catch(() => false);
    throw error;
  }
}

async function tell(subscription: PushSubscription, key: string, person: string, owner: string) {
  const { endpoint, keys } = subscription.toJSON();
  if (!endpoint || !keys?.p256dh || !keys.auth) throw new PushRefused();
  const name = deviceName(navigator.userAgent);
  const { id } = await add({ endpoint, p256dh: keys.p256dh, auth: keys.auth, name });
  note({ person, owner, id, endpoint, key });
}

/** The browser's own part: nothing comes here any more, whatever the server still sends. */
async function giveUp() {
  note(null);
  await (await subscriptionOf())?.unsubscribe().catch(() => false);
}

export async function turnOff(): Promise<void> {
  const device = kept();
  if (device) await removeDevice(device.id);
  await giveUp();
}

/** While the session still stands. */
export async function leavePush(): Promise<void> {
  const device = kept();
  if (!device) return;
  const late = new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
  await Promise.race([late, Promise.allSettled([removeDevice.one(device.id, ''), giveUp()])]);
}

/** Somebody left, whoever comes next. */
export const forgetPush = (): Promise<void> => (kept() ? giveUp() : Promise.resolve());

let renewing: Promise<void> | null = null;

/** Once for each start of the program, and when the browser has another subscription. Who never chose it asks nothing. */
export function renewPush(): Promise<void> {
  renewing ??= renewed()
    // Tried again with the next start.
    .catch(() => {})
    .finally(() => {
      renewing = null;
    });
  return renewing;
}

async function renewed(): Promise<void> {
  const token = accessToken();
  const person = currentUser()?._id;
  if (token === null || person === undefined || pushAbility() !== 'able') return;
  const owner = ownerOf(token);
  const endpoint = (await subscriptionOf())?.endpoint ?? null;
  const device = kept();
  // Nobody's, unless it is just being made.
  if (!device) return endpoint === null || turning ? undefined : giveUp();
  const allowed = Notification.permission === 'granted';
  // Whatever the server says: nobody is shown what is another's.
  if (device.person !== person) return giveUp();
  const { key, devices } = await queryClient.fetchQuery($api.queryOptions('get', '/me/push', {}));
  const known = devices.map(({ id }) => id);
  switch (stepOf({ kept: device, person, owner, endpoint, key, known, allowed })) {
    case 'off':
      if (known.includes(device.id)) await removeDevice(device.id);
      return giveUp();
    case 'again': {
      const subscription = await subscriptionOf();
      return subscription ? tell(subscription, key, person, owner) : turnOn(key);
    }
    case 'renew':
      if (known.includes(device.id)) await removeDevice(device.id);
      return turnOn(key);
    case 'nothing':
      return;
  }
}
