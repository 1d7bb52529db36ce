/** Turns the HttpOnly cookie into a new access token. One call per tab at a time, and one tab at a time by a Web Lock, because
 *  each refresh rotates the cookie and a later reuse of an old one ends the whole family of sessions. */

import { currentLocale } from '@/i18n';
import { HEADER_LOCALES } from '@/i18n/locales';
import { ApiError, problemOf } from './problem';
import { lifetimeSeconds, onAccessToken, setAccessToken } from './token';
import { apiUrl } from './url';

let pending: Promise<string> | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Resolves to the new token; rejects with an `ApiError` whose `unavailable` says whether trying again makes sense. */
export function refresh(): Promise<string> {
  pending ??= locked(ask).finally(() => {
    pending = null;
  });
  return pending;
}

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
  setAccessToken(token);
  return token;
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
  if (seconds !== null)
    timer = setTimeout(() => void refresh().catch(() => {}), Math.max(5, seconds - 60) * 1000);
});
