/** What the program does with the browser that it runs in, while somebody is inside: the service worker, the last figures for when nobody answers, pushes,
 *  the colour of the window. Nothing of it stays when they leave [docs/rules/web.md#without-a-connection]. */
import { useEffect, useEffectEvent } from 'react';
import { useNavigate } from 'react-router';
import { create } from 'zustand';
import { useConnection } from '@/api/connection';
import { hasSessionCookie } from '@/api/cookie';
import { dropFigures } from '@/api/dropFigures';
import { KEPT_ACCOUNTS, keepFigures, lastFigures } from '@/api/lastFigures';
import { isLook } from '@/api/look';
import { currentUser, onSignOut, useSession, useUser } from '@/api/session';
import { isShut, useShut } from '@/api/tab';
import { currentLocale } from '@/i18n';
import { LANGUAGE_TAGS } from '@/i18n/locales';
import { useBalances } from '@/live/balances';
import { forgetPush, leavePush, renewPush } from '@/shared/device/push';
import { worker } from '@/shared/device/worker';
import { formatDateTime, formatUsdt, zoneOf } from '@/ui/format';
import { isZero } from '@/ui/money';
import { usePrefs } from '@/ui/prefs';
import { isToPage } from '@/worker/messages';

/** A piece of this program is gone, for there is a newer one. */
export const useProgram = create<{ gone: boolean }>()(() => ({ gone: false }));

/** What the screen says of one's accounts, as it says it; dots where they are masked. */
function keep() {
  const user = currentUser();
  const balances = useBalances.getState();
  if (!user || !balances.available || isShut() || !hasSessionCookie()) return;
  const tag = LANGUAGE_TAGS[currentLocale()];
  const { masked } = usePrefs.getState();
  const lines = KEPT_ACCOUNTS.flatMap((account) => {
    const balance = balances[account]?.balance;
    if (balance === undefined || (account !== 'available' && isZero(balance))) return [];
    return [[account, masked ? '••••' : formatUsdt(tag, balance)] as const];
  });
  const at = formatDateTime(tag, useConnection.getState().freshAt, false, zoneOf(user));
  keepFigures({ person: user._id, at, lines });
}

/** The figures as they change, and when the page is left or looked away from: as of then. */
function keepAlways(): () => void {
  const left = () => document.hidden && keep();
  const stops = [useBalances.subscribe(keep), usePrefs.subscribe(keep)];
  document.addEventListener('visibilitychange', left);
  window.addEventListener('pagehide', keep);
  keep();
  return () => {
    for (const stop of stops) stop();
    document.removeEventListener('visibilitychange', left);
    window.removeEventListener('pagehide', keep);
  };
}

/** What the worker says. A tab that is somebody else's, or nobody's, is none to be led anywhere. */
function hear({ data, ports }: MessageEvent, go: (url: string) => unknown) {
  if (!isToPage(data) || isShut()) return;
  if (data.type === 'resubscribed') return void renewPush();
  ports[0]?.postMessage(true);
  go(data.url);
}

let replaced = false;
let failed = false;
const tellGone = () => useProgram.setState({ gone: replaced && failed });

/** Each program has a worker of its own: where another one took over, pieces of this one may be gone. */
function watchProgram(): () => void {
  const { serviceWorker } = navigator;
  let before = serviceWorker.controller;
  const changed = () => {
    replaced ||= before !== null;
    before = serviceWorker.controller;
    tellGone();
  };
  const missing = () => {
    failed = true;
    tellGone();
    void worker().then((running) => running?.update().catch(() => {}));
  };
  serviceWorker.addEventListener('controllerchange', changed);
  window.addEventListener('vite:preloadError', missing);
  return () => {
    serviceWorker.removeEventListener('controllerchange', changed);
    window.removeEventListener('vite:preloadError', missing);
  };
}

/** The browser draws its own frame in the skin's colour. */
function colourFrame(): () => void {
  const root = document.documentElement;
  const colour = () => {
    const light = root.getAttribute('data-mantine-color-scheme') === 'light';
    const meta = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]');
    if (meta) meta.content = light ? '#f4f6f9' : '#0b1016';
  };
  const watching = new MutationObserver(colour);
  watching.observe(root, { attributeFilter: ['data-mantine-color-scheme'] });
  colour();
  return () => watching.disconnect();
}

/** Another person's figures, and their pushes, are none of this one's. */
function ofSomebodyElse(person: string) {
  const last = lastFigures();
  if (last && last.person !== person) dropFigures();
}

if (!isLook) {
  useSession.subscribe(({ user }, before) => {
    if (user && user._id !== before.user?._id) ofSomebodyElse(user._id);
    if (before.user && user?._id !== before.user._id) void forgetPush();
  });
  // Whose session is over sees nothing of theirs; who goes on here keeps figures again.
  useShut.subscribe(({ shut }) => shut && dropFigures());
  onSignOut(leavePush);
  const now = currentUser();
  if (now) ofSomebodyElse(now._id);
}

export function useDevice() {
  const person = useUser()?._id;
  const navigate = useNavigate();
  const heard = useEffectEvent((event: MessageEvent) => hear(event, navigate));
  useEffect(() => {
    if (person === undefined || isLook) return;
    const stops = [keepAlways(), colourFrame()];
    void worker();
    void renewPush();
    if ('serviceWorker' in navigator) {
      const { serviceWorker } = navigator;
      const listener = (event: MessageEvent) => heard(event);
      serviceWorker.addEventListener('message', listener);
      stops.push(watchProgram(), () => serviceWorker.removeEventListener('message', listener));
    }
    return () => {
      for (const stop of stops) stop();
    };
  }, [person]);
}
