/** Who is signed in. The access token is in memory (token.ts), the refresh token in an HttpOnly cookie that we cannot read, and
 *  the readable cookie `signed_in=1` says that asking for a profile makes sense. */
import { create } from 'zustand';
import type { AppAbility, Permission, Subject } from './ability';
import { type Answer, api, body, type Schemas } from './client';
import { useConnection } from './connection';
import { hasSessionCookie } from './cookie';
import { dropFigures } from './dropFigures';
import { isLook, lookOver } from './look';
import { ApiError, asApiError, ProfileError } from './problem';
import { draw, onSessionLost, refresh } from './refresh';
import { isOwner, leave, reignNow, type Shut, shutTab, take, useShut } from './tab';
import { accessToken, ownerOf, personOf } from './token';
import { apiUrl } from './url';

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

function dropCookie() {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and on plain http.
  document.cookie = 'signed_in=; Max-Age=0; path=/; SameSite=Strict';
}

/** Forgets the session on this side: at once on a refusal, on logout, and after a minute without any answer. */
export function dropSession() {
  // The cookie is the looker's, whose other tabs go on.
  if (isLook) return lookOver();
  dropCookie();
  forget();
}

/** The cookie may be somebody else's by now: it stays. */
function forget() {
  leave();
  dropFigures();
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

let lost: 'ended' | 'unread' | null = null;
/** What became of the session with which this page was opened: it is over, or its profile could not be fetched for a minute. The login then
 *  says why it is there. */
export const wasLost = () => lost;

let loading: Promise<Me | null> | null = null;

/** Before each navigation: a cookie but no user → the profile is fetched; whoever asks meanwhile waits for the same answer. */
export function ensureUser(): Promise<Me | null> {
  const { user } = useSession.getState();
  if (user) return Promise.resolve(user);
  if (!hasSessionCookie() && accessToken() === null) {
    // Nobody signs in here: the look was another session's.
    if (isLook) lookOver();
    // A session that ran out while the program was closed took nothing along.
    else dropFigures();
    return Promise.resolve(null);
  }
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
        lost = error.unavailable ? 'unread' : 'ended';
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

/** Where the streams stood that tell of the person, before the profile was read. */
let places: readonly Schemas['StreamPlace'][] = [];

/** Whether the profile is as of that place of a stream, so that nothing happened which it lacks. */
export const isAsOf = (stream: string, at: { epoch: number; seq: number } | null): boolean =>
  at !== null &&
  places.some(({ stream: of, epoch, seq }) => of === stream && epoch === at.epoch && seq === at.seq);

/** Fetches the profile again, for instance after `user.changed`. */
export async function reloadUser(): Promise<Me> {
  const reign = reignNow();
  const fetched = Promise.all([body(api.GET('/me')), import('./ability')]).catch((thrown) => {
    const error = asApiError(thrown);
    throw error.unexplained ? new ProfileError(error) : error;
  });
  const [{ user, places: read }, { abilityFor }] = await fetched;
  // Of somebody who has left this tab meanwhile.
  if (reignNow() !== reign) throw new ApiError(0, { code: 'network' });
  // A node of the version before says none.
  places = read ?? [];
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
  take(token);
  lost = null;
  const user = await reloadUser();
  tell(token, user.fullName);
  return user;
}

let signingOut = false;
const farewells = new Set<() => Promise<unknown>>();
/** What is done on a sign-out on purpose while the session still stands; it does not take long, whatever happens to it. */
export const onSignOut = (farewell: () => Promise<unknown>) => void farewells.add(farewell);

/** `stay`: for who goes on as somebody else where they are. */
export async function signOut(stay = false): Promise<void> {
  signingOut = true;
  const said = Promise.allSettled([...farewells].map((farewell) => farewell()));
  // First the tabs: the server, when it ends the session, tells each of them that it is over, as if that were news.
  tabs?.postMessage('signed-out');
  await said;
  try {
    await api.POST('/auth/logout');
  } catch {
    // The server forgets us when the token ends; this browser forgets at once.
  }
  signingOut = false;
  leaving = !stay;
  lost = null;
  dropSession();
}

/** The session of this tab is over. With somebody's work on screen the tab is shut, else there is nothing to keep. */
export function sessionEnded() {
  if (signingOut) return;
  if (isLook) return lookOver();
  if (currentUser()) shutTab({ why: 'ended', now: null });
  else dropSession();
}

/** Somebody signed in with this browser, elsewhere. */
async function otherSession(now: SignedIn['now'], ask?: () => Promise<string | null>) {
  if (isLook) return lookOver();
  const user = currentUser();
  if (!user) return forget();
  const own = now.id === user._id;
  shutTab({ why: 'other', now: own ? { ...now, name: user.fullName } : now });
  const name = own || !ask ? null : await ask();
  const { shut } = useShut.getState();
  if (name !== null && shut?.now?.id === now.id)
    useShut.setState({ shut: { ...shut, now: { ...now, name } } });
}

const foreign = (token: string) =>
  void otherSession({ id: personOf(token), name: null }, () => nameBehind(token));

/** All that a foreign token is good for: how its person is called. */
async function nameBehind(token: string): Promise<string | null> {
  try {
    const headers = { Authorization: `Bearer ${token}`, 'X-Arbora': '1' };
    const response = await fetch(apiUrl('/me'), { headers });
    const { user }: Answer<'/me', 'get'> = await response.json();
    return user.fullName;
  } catch {
    return null;
  }
}

/** A shut tab goes on with a new token: the same person goes on where they were; for anybody else the program begins anew, so that
 *  nothing of the one before is left. */
async function enter(token: string) {
  if (personOf(token) === currentUser()?._id) {
    take(token);
    await reloadUser();
    useShut.setState({ shut: null });
    return;
  }
  // What is not saved was the other one's: nobody is asked about it.
  window.addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), { capture: true });
  location.assign('/');
}

/** A shut tab goes on as whoever is signed in now. */
export async function goOn(): Promise<void> {
  const { shut } = useShut.getState();
  const token = await draw().catch((error) => {
    if (!asApiError(error).unavailable) useShut.setState({ shut: { why: 'ended', now: null } });
    throw error;
  });
  // Yet another one, since the name was said.
  if (personOf(token) !== shut?.now?.id) return foreign(token);
  await enter(token);
}

/** A shut tab goes on after a sign-in of its own. */
export async function signInAgain(token: string): Promise<void> {
  const user = currentUser();
  tell(token, user?._id === personOf(token) ? user.fullName : await nameBehind(token));
  await enter(token);
}

/** What the other tabs are told of a sign-in: whose it is, never the token. */
interface SignedIn {
  owner: string;
  now: NonNullable<Shut['now']>;
}
function tell(token: string, name: string | null) {
  const said: SignedIn = { owner: ownerOf(token), now: { id: personOf(token), name } };
  tabs?.postMessage(said);
}

const arrivals = new Set<() => void>();
/** Somebody signed in in another tab, and nobody was in this one. */
export const onArrival = (listener: () => void) => void arrivals.add(listener);

onSessionLost({ ended: sessionEnded, other: foreign });
if (tabs)
  tabs.onmessage = ({ data }: MessageEvent<'signed-out' | SignedIn>) => {
    if (data === 'signed-out') return dropSession();
    if (isOwner(data.owner) && currentUser()) return;
    void otherSession(data.now);
    if (!currentUser()) for (const arrived of arrivals) arrived();
  };
