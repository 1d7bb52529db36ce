/** Whose this tab is: one person in one session, from the first token until it is left [docs/rules/web.md#session-in-the-browser].
 *  A tab that has lost its session is shut: what is on it stays, nothing leaves it, and somebody says how it goes on. */
import { create } from 'zustand';
import { ownerOf, setAccessToken } from './token';

export interface Shut {
  /** Somebody else is signed in now, or the same person anew; or nobody is any more. */
  why: 'other' | 'ended';
  /** Who is signed in now; the name comes after, or never. */
  now: { id: string; name: string | null } | null;
}

export const useShut = create<{ shut: Shut | null }>()(() => ({ shut: null }));
export const isShut = () => useShut.getState().shut !== null;

let owner: string | null = null;
let reign = 0;

/** Changes with every person or session that the tab takes or leaves: what was asked for under another one is none of this one's. */
export const reignNow = () => reign;

/** From here on the tab is that token's person's. */
export function take(token: string) {
  owner = ownerOf(token);
  reign++;
  setAccessToken(token);
}

/** The tab is nobody's. */
export function leave() {
  owner = null;
  reign++;
  setAccessToken(null);
  if (isShut()) useShut.setState({ shut: null });
}

/** A tab without an owner takes whoever comes. */
export const isOwner = (other: string): boolean => owner === null || owner === other;
export const isOwn = (token: string): boolean => isOwner(ownerOf(token));

/** A new token of the tab's own person and session; the first one says whose the tab is. */
export function renew(token: string) {
  if (owner === null) take(token);
  else setAccessToken(token);
}

/** Who is signed in now is more to know than that nobody is. */
export function shutTab(shut: Shut) {
  setAccessToken(null);
  if (shut.why === 'other' || !isShut()) useShut.setState({ shut });
}

/** Resolves when the tab goes on as the person that it is of; rejects when it is left. */
export function opened(signal: AbortSignal): Promise<void> {
  if (!isShut()) return Promise.resolve();
  return new Promise((go, stop) => {
    const before = owner;
    const off = useShut.subscribe(({ shut }) => {
      if (shut !== null) return;
      off();
      // The owner is another one after a new sign-in, and none when the tab was left.
      if (owner === null && before !== null) stop(new DOMException('the tab was left', 'AbortError'));
      else go();
    });
    signal.addEventListener(
      'abort',
      () => {
        off();
        stop(signal.reason);
      },
      { once: true },
    );
  });
}
