// @vitest-environment jsdom
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { i18nReady } from '@/i18n';
import { api } from './client';
import { useConnection } from './connection';
import { ApiError } from './problem';
import { dropSession, ensureUser, hasSessionCookie, mayRead, startSession, useSession } from './session';
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

test('a refusal drops token, user and cookie at once', async () => {
  cookie();
  server.use(
    http.post('*/api/auth/refresh', () => HttpResponse.json({ code: 'x', message: '' }, { status: 401 })),
  );
  expect(await ensureUser()).toBeNull();
  expect(hasSessionCookie()).toBe(false);
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

test('a session that the server no longer knows is dropped by any call', async () => {
  await startSession('old');
  const gone = () => HttpResponse.json({ code: 'auth.required', message: 'Entre de novo.' }, { status: 401 });
  server.use(http.get('*/api/sessions', gone), http.post('*/api/auth/refresh', gone));
  await expect(api.GET('/sessions')).rejects.toMatchObject({ status: 401, code: 'auth.required' });
  expect(useSession.getState().user).toBeNull();
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
