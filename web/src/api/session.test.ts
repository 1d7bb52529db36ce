// @vitest-environment jsdom
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { i18nReady } from '@/i18n';
import { api } from './client';
import { useConnection } from './connection';
import { hasSessionCookie } from './cookie';
import { ApiError } from './problem';
import {
  dropSession,
  ensureUser,
  goOn,
  mayRead,
  onSignOut,
  signInAgain,
  signOut,
  startSession,
  useSession,
  wasLost,
} from './session';
import { useShut } from './tab';
import { safeTarget } from './target';
import { accessToken, lifetimeSeconds, setAccessToken } from './token';

const user = {
  _id: 'u1',
  fullName: 'Ana',
  roles: [{ permissions: [{ action: 'read', subject: 'registered-user' }] }],
};
const server = setupServer();
const calls: string[] = [];
beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  server.events.on('request:start', ({ request }) => {
    calls.push(`${request.method} ${new URL(request.url).pathname}`);
  });
  await i18nReady;
});
beforeEach(() => {
  calls.length = 0;
  server.use(
    http.post('*/api/auth/refresh', () => HttpResponse.json({ token: 'fresh' })),
    http.get('*/api/me', () => HttpResponse.json({ user })),
  );
});
afterEach(() => {
  server.resetHandlers();
  dropSession();
});
afterAll(() => server.close());

const cookie = () => {
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no cookie store.
  document.cookie = 'signed_in=1; path=/';
};

test('without the cookie nothing is asked', async () => {
  expect(await ensureUser()).toBeNull();
  expect(calls).toEqual([]);
  expect([mayRead('Public'), mayRead('registered-user')]).toEqual([true, false]);
});

test('with the cookie: a token, then the profile, once for all who ask meanwhile', async () => {
  cookie();
  const [first, second] = await Promise.all([ensureUser(), ensureUser()]);
  expect(first?._id).toBe('u1');
  expect(second).toBe(first);
  expect(calls).toEqual(['POST /api/auth/refresh', 'GET /api/me']);
  expect([mayRead('registered-user'), mayRead('admin_permissions')]).toEqual([true, false]);
});

test('who signs out says farewell while the session still stands, and nothing of them is kept', async () => {
  const said: (string | null)[] = [];
  onSignOut(async () => void said.push(accessToken()));
  // One that fails holds nobody back.
  onSignOut(() => Promise.reject(new Error('no net')));
  server.use(http.post('*/api/auth/logout', () => HttpResponse.json({})));
  await startSession('token');
  localStorage.setItem('arbora-last', '{}');
  await signOut();
  expect(said).toEqual(['token']);
  expect(calls.at(-1)).toBe('POST /api/auth/logout');
  expect([accessToken(), localStorage.getItem('arbora-last')]).toEqual([null, null]);
});

test('a refusal drops token, user and cookie at once', async () => {
  cookie();
  server.use(
    http.post('*/api/auth/refresh', () => HttpResponse.json({ code: 'x', message: '' }, { status: 401 })),
  );
  expect(await ensureUser()).toBeNull();
  expect([hasSessionCookie(), wasLost()]).toEqual([false, 'ended']);
  expect(calls).toEqual(['POST /api/auth/refresh']);
});

test('no answer is retried for a minute, under the banner, and only then given up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  try {
    cookie();
    server.use(http.post('*/api/auth/refresh', () => HttpResponse.error()));
    const done = ensureUser();
    let settled = false;
    void done.then(() => {
      settled = true;
    });
    while (Date.now() < vi.getRealSystemTime() + 45_000) await vi.advanceTimersByTimeAsync(1000);
    expect(useConnection.getState().retrying).toBe(true);
    expect([settled, hasSessionCookie()]).toEqual([false, true]);
    for (let second = 0; second < 40 && !settled; second++) await vi.advanceTimersByTimeAsync(1000);
    expect(await done).toBeNull();
    expect(wasLost()).toBe('unread');
    expect([useConnection.getState().retrying, hasSessionCookie()]).toEqual([false, false]);
  } finally {
    vi.useRealTimers();
  }
});

test('calls carry token, language and our header; a 401 is worth one refresh and the same call again', async () => {
  await startSession('old');
  const seen: (string | null)[][] = [];
  server.use(
    http.patch('*/api/me', async ({ request }) => {
      const { headers } = request;
      seen.push([
        headers.get('authorization'),
        headers.get('locale'),
        headers.get('x-arbora'),
        await request.text(),
      ]);
      return headers.get('authorization') === 'Bearer fresh'
        ? HttpResponse.json({ user })
        : HttpResponse.json({ code: 'auth.expired', message: '' }, { status: 401 });
    }),
  );
  await api.PATCH('/me', { body: { securityCode: '123456' } });
  expect(seen).toEqual([
    ['Bearer old', 'pt-br', '1', '{"securityCode":"123456"}'],
    ['Bearer fresh', 'pt-br', '1', '{"securityCode":"123456"}'],
  ]);
  expect(accessToken()).toBe('fresh');
});

test('a profile that cannot be fetched says so; a refusal keeps its own words', async () => {
  server.use(http.get('*/api/me', () => HttpResponse.error()));
  await expect(startSession('new')).rejects.toMatchObject({ name: 'ProfileError', status: 0 });
  server.use(
    http.get('*/api/me', () =>
      HttpResponse.json({ code: 'rate.limited', message: 'Muitas tentativas.' }, { status: 429 }),
    ),
  );
  await expect(startSession('new')).rejects.toMatchObject({
    name: 'ApiError',
    message: 'Muitas tentativas.',
  });
});

const refused = () =>
  HttpResponse.json({ code: 'auth.required', message: 'Entre de novo.' }, { status: 401 });

test('a session that the server no longer knows shuts the tab at any call: what is typed stays there, unsent', async () => {
  await startSession('old');
  server.use(http.patch('*/api/me', refused), http.post('*/api/auth/refresh', refused));
  const change = () => api.PATCH('/me', { body: { securityCode: '123456' } });
  await expect(change()).rejects.toMatchObject({ status: 401, code: 'auth.required' });
  expect(useSession.getState().user?._id).toBe('u1');
  expect([useShut.getState().shut, accessToken()]).toEqual([{ why: 'ended', now: null }, null]);
  calls.length = 0;
  await expect(change()).rejects.toMatchObject({ status: 401, code: 'session.shut' });
  expect(calls).toEqual([]);
});

/** A token as the server makes it. */
const tokenOf = (sub: string, sid: string, mark = 0) =>
  `x.${btoa(JSON.stringify({ sub, sid, iat: mark, exp: mark + 900 })).replaceAll('=', '')}.y`;
const people: Record<string, typeof user> = { u1: user, u2: { ...user, _id: 'u2', fullName: 'Bia' } };
/** `/me` as the server answers it: by the token. */
const me = ({ request }: { request: Request }) => {
  const [, payload = ''] = (request.headers.get('authorization') ?? '').split('.');
  const { sub } = JSON.parse(atob(payload));
  return HttpResponse.json({ user: people[sub] });
};

describe('one person per tab', () => {
  /** What each call to change something was signed with. */
  let sent: (string | null)[] = [];
  /** Whose the browser's cookie is. */
  let cookieOf = tokenOf('u1', 's1', 1);
  beforeEach(async () => {
    sent = [];
    cookieOf = tokenOf('u1', 's1', 1);
    server.use(
      http.get('*/api/me', me),
      http.post('*/api/auth/refresh', () => HttpResponse.json({ token: cookieOf })),
      http.patch('*/api/me', ({ request }) => {
        sent.push(request.headers.get('authorization'));
        return sent.length === 1 ? refused() : HttpResponse.json({ user });
      }),
    );
    await startSession(tokenOf('u1', 's1'));
    calls.length = 0;
  });
  const change = () => api.PATCH('/me', { body: { securityCode: '123456' } });

  test('a renewed token of the same person and session is used', async () => {
    await change();
    expect(sent).toEqual([`Bearer ${tokenOf('u1', 's1')}`, `Bearer ${cookieOf}`]);
    expect(useShut.getState().shut).toBeNull();
  });

  test.each([
    ['another person', 'u2', 's2', 'Bia'],
    ['another session of the same person', 'u1', 's9', 'Ana'],
  ])(
    'of %s it is not: nothing is sent with it, and the tab says who is signed in now',
    async (_, sub, sid, name) => {
      cookieOf = tokenOf(sub, sid);
      await expect(change()).rejects.toMatchObject({ status: 401 });
      expect(sent).toEqual([`Bearer ${tokenOf('u1', 's1')}`]);
      await vi.waitFor(() =>
        expect(useShut.getState().shut).toEqual({ why: 'other', now: { id: sub, name } }),
      );
      expect([accessToken(), useSession.getState().user?.fullName]).toEqual([null, 'Ana']);
      await expect(change()).rejects.toMatchObject({ code: 'session.shut' });
      expect(sent).toHaveLength(1);
    },
  );

  test('what is only looked at waits until the same person goes on', async () => {
    cookieOf = tokenOf('u1', 's9');
    await expect(change()).rejects.toMatchObject({ status: 401 });
    const seen: (string | null)[] = [];
    server.use(
      http.get('*/api/sessions', ({ request }) => {
        seen.push(request.headers.get('authorization'));
        return HttpResponse.json({ data: [] });
      }),
    );
    const looking = api.GET('/sessions');
    expect(seen).toEqual([]);
    await goOn();
    await looking;
    expect(seen).toEqual([`Bearer ${cookieOf}`]);
    expect(useShut.getState().shut).toBeNull();
    await change();
    expect(sent.at(-1)).toBe(`Bearer ${cookieOf}`);
  });

  test('a sign-in of its own opens the tab again', async () => {
    cookieOf = tokenOf('u2', 's2');
    await expect(change()).rejects.toMatchObject({ status: 401 });
    await signInAgain(tokenOf('u1', 's3'));
    expect(useShut.getState().shut).toBeNull();
    await change();
    expect(sent.at(-1)).toBe(`Bearer ${tokenOf('u1', 's3')}`);
  });

  test('a call of who has left is not sent again as who has come', async () => {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      server.use(
        http.patch('*/api/me', async ({ request }) => {
          sent.push(request.headers.get('authorization'));
          if (sent.length > 1) return HttpResponse.json({ user });
          resolve();
          await new Promise<void>((go) => {
            answer = go;
          });
          return refused();
        }),
      );
    });
    const changed = change();
    await asked;
    dropSession();
    cookieOf = tokenOf('u2', 's2', 1);
    await startSession(tokenOf('u2', 's2'));
    answer();
    await expect(changed).rejects.toMatchObject({ status: 401 });
    expect(sent).toHaveLength(1);
    expect(useSession.getState().user?.fullName).toBe('Bia');
  });

  test('a sign-in and a sign-out elsewhere are heard at once', async () => {
    const elsewhere = new BroadcastChannel('arbora-session');
    elsewhere.postMessage({ owner: 'u1/s1', now: { id: 'u1', name: 'Ana' } });
    elsewhere.postMessage({ owner: 'u2/s2', now: { id: 'u2', name: 'Bia' } });
    await vi.waitFor(() =>
      expect(useShut.getState().shut).toEqual({ why: 'other', now: { id: 'u2', name: 'Bia' } }),
    );
    elsewhere.postMessage('signed-out');
    await vi.waitFor(() => expect(useSession.getState().user).toBeNull());
    elsewhere.close();
  });
});

test('a server that cannot answer does not sign anybody out', async () => {
  await startSession('old');
  server.use(
    http.get('*/api/sessions', () => HttpResponse.json({ code: 'x', message: '' }, { status: 401 })),
    http.post(
      '*/api/auth/refresh',
      () => new HttpResponse(null, { status: 503, headers: { 'Retry-After': '2' } }),
    ),
  );
  await expect(api.GET('/sessions')).rejects.toBeInstanceOf(ApiError);
  expect(useSession.getState().user?._id).toBe('u1');
});

test('errors by field, and how long to wait', async () => {
  server.use(
    http.post('*/api/auth/login', () =>
      HttpResponse.json(
        { code: 'validation', message: 'Confira.', errors: { email: ['Inválido.'] } },
        { status: 422, headers: { 'Retry-After': '30' } },
      ),
    ),
  );
  const error = (await api
    .POST('/auth/login', { body: { email: 'x', password: 'y' } })
    .catch((thrown: unknown) => thrown)) as ApiError;
  expect(error.field('email')).toBe('Inválido.');
  expect([error.message, error.retryAfter, error.unavailable]).toEqual(['Confira.', 30, false]);
});

test.each([
  [null, '/'],
  ['/licences?page=2', '/licences?page=2'],
  ['https://evil.example/', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['javascript:alert(1)', '/'],
])('after a sign-in %s leads to %s', (to, target) => {
  expect(safeTarget(to)).toBe(target);
});

test('a token tells its life by its own times', () => {
  const token = (claims: object) => `x.${btoa(JSON.stringify(claims)).replaceAll('=', '')}.y`;
  expect(lifetimeSeconds(token({ iat: 1000, exp: 1900 }))).toBe(900);
  expect(lifetimeSeconds('nonsense')).toBeNull();
  setAccessToken(null);
});
