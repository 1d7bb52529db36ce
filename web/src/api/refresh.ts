/** Turns the HttpOnly cookie into a new access token. One call per tab at a time, and one tab at a time by a Web Lock, because
 *  each refresh rotates the cookie and a later reuse of an old one ends the whole family of sessions.
 *
 *  The cookie is the browser's, the tab is one person's: a token of anybody else is never used [docs/rules/web.md#session-in-the-browser]. */

import { currentLocale } from '@/i18n';
import { HEADER_LOCALES } from '@/i18n/locales';
import { ApiError, asApiError, problemOf } from './problem';
import { isOwn, reignNow, renew } from './tab';
import { lifetimeSeconds, onAccessToken, ownerOf } from './token';
import { apiUrl } from './url';

let pending: Promise<string> | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

interface Listener {
  /** The server no longer knows this tab's session. */
  ended: () => void;
  /** The cookie is somebody else's by now: the token that it gave. */
  other: (token: string) => void;
}
let listener: Listener = { ended() {}, other() {} };
export const onSessionLost = (listening: Listener) => {
  listener = listening;
};

/** Resolves to the tab's new token; rejects with an `ApiError` whose `unavailable` says whether trying again makes sense. */
export function refresh(): Promise<string> {
  pending ??= renewed().finally(() => {
    pending = null;
  });
  return pending;
}

async function renewed(): Promise<string> {
  const reign = reignNow();
  const token = await draw();
  // Signed in or out meanwhile: the answer is to a question that nobody has any more.
  if (reignNow() !== reign) throw new ApiError(0, { code: 'network' });
  if (!isOwn(token)) {
    listener.other(token);
    throw new ApiError(401, { code: 'session.other' });
  }
  renew(token);
  return token;
}

/** A new token of whoever the browser's cookie is. Whether it may be used is not said here. */
export const draw = (): Promise<string> => locked(ask);

async function ask(): Promise<string> {
  let response: Response;
  try {
    response = await fetch(apiUrl('/auth/refresh'), {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'X-Arbora': '1', locale: HEADER_LOCALES[currentLocale()] },
    });
  } catch {
    throw new ApiError(0, { code: 'network' });
  }
  if (!response.ok) throw await problemOf(response);
  const { token } = (await response.json()) as { token: string };
  return token;
}

/** What a refused call may be sent again with: a newer token of the very person and session that sent it; else null. */
export async function tokenAfter(refused: string): Promise<string | null> {
  try {
    const token = await refresh();
    return ownerOf(token) === ownerOf(refused) ? token : null;
  } catch (error) {
    if (!asApiError(error).unavailable) listener.ended();
    return null;
  }
}

async function locked<T>(work: () => Promise<T>): Promise<T> {
  // Absent outside secure contexts, such as a plain-http address in a local network.
  if (!('locks' in navigator) || !navigator.locks) return work();
  return await navigator.locks.request('arbora-refresh', work);
}

/** A minute before the token ends it is renewed, so that the socket hears of it in band and no call meets a 401. */
onAccessToken((token) => {
  clearTimeout(timer);
  const seconds = token === null ? null : lifetimeSeconds(token);
  if (token !== null && seconds !== null)
    timer = setTimeout(() => void tokenAfter(token), Math.max(5, seconds - 60) * 1000);
});
