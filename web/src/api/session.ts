/** Who is signed in. The access token is in memory (token.ts), the refresh token in an HttpOnly cookie that we cannot read, and
 *  the readable cookie `signed_in=1` says that asking for a profile makes sense. */
import { create } from 'zustand';
import type { AppAbility, Permission, Subject } from './ability';
import { type Answer, api, body, onSessionEnded } from './client';
import { useConnection } from './connection';
import { asApiError } from './problem';
import { refresh } from './refresh';
import { accessToken, setAccessToken } from './token';

export type Me = Answer<'/me', 'get'>['user'];

interface Session {
  user: Me | null;
  /** Null while nobody is signed in: then `Public` is all there is, and the login need not load the rules. */
  ability: AppAbility | null;
}

export const useSession = create<Session>()(() => ({ user: null, ability: null }));

const GIVE_UP_MS = 60_000;
const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('arbora-session');

export const currentUser = () => useSession.getState().user;
export const useUser = () => useSession((state) => state.user);
const reads = ({ ability }: Session, subject: Subject) =>
  ability ? ability.can('read', subject) : subject === 'Public';
export const useCan = (subject: Subject) => useSession((state) => reads(state, subject));
export const mayRead = (subject: Subject) => reads(useSession.getState(), subject);

const STAFF: readonly Permission[] = [
  'admin_dashboard',
  'admin_permissions',
  'customer-service_list-users',
  'customer-service_user-view',
  'customer-service_user-edit',
  'customer-service_list-tickets',
  'customer-service_response-ticket',
];
/** Who works here, whatever the role is called: any right beyond a customer's. */
export const useIsStaff = () => useSession((state) => STAFF.some((right) => reads(state, right)));

export const hasSessionCookie = () => /(?:^|;\s*)signed_in=1(?:;|$)/.test(document.cookie);

function dropCookie() {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and on plain http.
  document.cookie = 'signed_in=; Max-Age=0; path=/; SameSite=Strict';
}

/** Forgets the session on this side: at once on a refusal, on logout, and after a minute without any answer. */
export function dropSession() {
  dropCookie();
  setAccessToken(null);
  useConnection.setState({ retrying: false });
  if (useSession.getState().user) useSession.setState({ user: null, ability: null });
}

let leaving = false;
/** True once after a sign-out on purpose: the login screen then leads home, not back to where one was. */
export function takeLeaving(): boolean {
  const was = leaving;
  leaving = false;
  return was;
}

let loading: Promise<Me | null> | null = null;

/** Before each navigation: a cookie but no user → the profile is fetched; whoever asks meanwhile waits for the same answer. */
export function ensureUser(): Promise<Me | null> {
  const { user } = useSession.getState();
  if (user) return Promise.resolve(user);
  if (!hasSessionCookie() && accessToken() === null) return Promise.resolve(null);
  loading ??= loadWithPatience().finally(() => {
    loading = null;
  });
  return loading;
}

async function loadWithPatience(): Promise<Me | null> {
  const start = Date.now();
  for (let attempt = 0; ; attempt++) {
    try {
      if (accessToken() === null) await refresh();
      return await reloadUser();
    } catch (thrown) {
      const error = asApiError(thrown);
      if (!error.unavailable || Date.now() - start >= GIVE_UP_MS) {
        dropSession();
        return null;
      }
      useConnection.setState({ retrying: true });
      await pause(error.retryAfter !== null ? error.retryAfter * 1000 : 500 * 2 ** Math.min(attempt, 4));
    }
  }
}

/** Waits, but not longer than until the network is back. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, 8_000));
    window.addEventListener('online', done);
  });
}

/** Fetches the profile again, for instance after `user.changed`. */
export async function reloadUser(): Promise<Me> {
  const [{ user }, { abilityFor }] = await Promise.all([body(api.GET('/me')), import('./ability')]);
  useConnection.setState({ retrying: false, freshAt: Date.now() });
  useSession.setState(({ user: before, ability }) => ({
    user,
    // The same rights keep the same object, so that streams and routes are left alone by a mere change of profile.
    ability: ability && before && sameRights(before, user) ? ability : abilityFor(user),
  }));
  return user;
}

const sameRights = (a: Me, b: Me): boolean => JSON.stringify(a.roles) === JSON.stringify(b.roles);

/** After a sign-in or a registration answered with a token. */
export async function startSession(token: string): Promise<Me> {
  setAccessToken(token);
  return reloadUser();
}

export async function signOut(): Promise<void> {
  try {
    await api.POST('/auth/logout');
  } catch {
    // The server forgets us when the token ends; this browser forgets at once.
  }
  leaving = true;
  dropSession();
  tabs?.postMessage('signed-out');
}

onSessionEnded(dropSession);
if (tabs)
  tabs.onmessage = (event) => {
    if (event.data === 'signed-out') dropSession();
  };
