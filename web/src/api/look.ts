/** A tab in which one of the staff looks at an account as its owner sees it [docs/rules/identity.md#looking]. It is one for as long as it is
 *  open: every call names the look, nothing is sent, and nothing of the looker's own is shown in it. */
import { create } from 'zustand';
import { i18n } from '@/i18n';
import { ApiError } from './problem';

const KEY = 'arbora-look';
/** Whose account it is, for the way back: also once the server tells nothing of it any more. */
const OF = 'arbora-look-of';
const ADDRESS = /^\/look\/([0-9a-f-]{36})$/;

let whose: string | null = null;

/** The address of a tab for it. */
export const lookPath = (look: string, whom: string) =>
  `/look/${encodeURIComponent(look)}?of=${encodeURIComponent(whom)}`;

/** Named by the address with which the tab was opened; from then on the tab's own, also when it is loaded again. */
function begun(): string | null {
  if (typeof location === 'undefined') return null;
  const named = ADDRESS.exec(location.pathname)?.[1] ?? null;
  try {
    if (named === null) {
      whose = sessionStorage.getItem(OF);
      return sessionStorage.getItem(KEY);
    }
    whose = new URLSearchParams(location.search).get('of');
    sessionStorage.setItem(KEY, named);
    if (whose === null) sessionStorage.removeItem(OF);
    else sessionStorage.setItem(OF, whose);
  } catch {
    // A browser that keeps nothing: the tab lasts until it is loaded again.
  }
  if (named !== null) history.replaceState(null, '', '/');
  return named;
}

export const LOOK = begun();
export const isLook = LOOK !== null;
/** Whose account is looked at, as far as the tab was told. */
export const LOOKED_AT = whose;

/** Over: the tab shows nothing but that. */
export const useLook = create<{ over: boolean }>()(() => ({ over: false }));
export const lookOver = () => useLook.setState({ over: true });

/** The tab is the looker's own from here on: it is loaded anew. */
export function leaveLook(to: string) {
  try {
    sessionStorage.removeItem(KEY);
    sessionStorage.removeItem(OF);
  } catch {
    // Nothing was kept.
  }
  location.assign(to);
}

/** Said instead of sending. */
export const lookRefused = () =>
  new ApiError(403, { code: 'look.refused', message: i18n.t(($) => $.look.refused) });

/** The tab's own calls, which are not made under the look: whose browser it is, what everybody may read, and the end. */
const OWN = /^\/api\/(auth\/.*|config|privacy\/retention)$/;
const END = /^\/api\/admin\/user\/[^/]+\/look$/;

/** Names the look in a call. Throws where it is one that would change something. */
export function underLook(request: Request): Request {
  if (LOOK === null) return request;
  const { pathname } = new URL(request.url);
  if (OWN.test(pathname) || (request.method === 'DELETE' && END.test(pathname))) return request;
  if (request.method !== 'GET') throw lookRefused();
  request.headers.set('X-Arbora-Look', LOOK);
  return request;
}
