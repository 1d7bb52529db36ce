/** The typed client. Every refusal is an `ApiError`; a 401 is answered once by a refresh and the same request again,
 *  if that is still the same person's. */
import createClient, { type Middleware } from 'openapi-fetch';
import { currentLocale, i18n } from '@/i18n';
import { HEADER_LOCALES } from '@/i18n/locales';
import { isLook, lookOver, underLook } from './look';
import { ApiError, problemOf } from './problem';
import { tokenAfter } from './refresh';
import type { components, paths } from './schema';
import { isShut, opened } from './tab';
import { accessToken } from './token';
import { apiUrl } from './url';

export type Schemas = components['schemas'];

/** The document writes whole paths; we call them as the product's specification names them, below `/api`. */
export type Calls = { [P in keyof paths as P extends `/api${infer Rest}` ? Rest : P]: paths[P] };

type Method = 'get' | 'post' | 'patch' | 'delete';
type JsonOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
/** What a call answers with, by its path: `Answer<'/me', 'get'>`. Holds whatever the document names its schemas. */
export type Answer<P extends keyof Calls, M extends Method> = Calls[P] extends {
  [key in M]: { responses: { 200: infer Ok } };
}
  ? JsonOf<Ok>
  : never;

let reads = (): Promise<unknown> | null => null;
/** What is read waits for this: an answer from before a stream's first number would have to be asked for again. */
export const holdReads = (until: () => Promise<unknown> | null) => {
  reads = until;
};

/** Signing in is what a shut tab waits for. */
const signsIn = ({ url }: Request) => new URL(url).pathname.startsWith('/api/auth/');

export async function send(request: Request): Promise<Response> {
  underLook(request);
  if (request.method === 'GET') await reads();
  const token = accessToken();
  if (token === null && isShut() && !signsIn(request)) {
    // What was typed waits for whoever typed it, who sends it again; what is only looked at comes when the tab goes on.
    if (request.method !== 'GET')
      throw new ApiError(401, { code: 'session.shut', message: i18n.t(($) => $.error.shut) });
    await opened(request.signal);
    return send(request);
  }
  const again = token === null ? null : request.clone();
  if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
  const response = await reach(request);
  if (response.status !== 401 || token === null || again === null) return response;
  const fresh = await tokenAfter(token);
  if (fresh === null) return isShut() && again.method === 'GET' ? send(again) : response;
  again.headers.set('Authorization', `Bearer ${fresh}`);
  return reach(again);
}

async function reach(request: Request): Promise<Response> {
  try {
    const response = await globalThis.fetch(request);
    if (isLook && response.status === 403) await overIfSaid(response.clone());
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new ApiError(0, { code: 'network' });
  }
}

/** The look that a call was made under does not stand any more. */
async function overIfSaid(response: Response): Promise<void> {
  const { code } = await problemOf(response);
  if (code === 'look.over') lookOver();
}

/** A call of a list: pages are of lists alone. Its file is no JSON. */
function isPage(request: Request): boolean {
  const { searchParams } = new URL(request.url);
  return request.method === 'GET' && searchParams.has('page') && !searchParams.has('format');
}

/** An answer that is none of this call's: a fault to show, not something to wait for. */
export const invalidAnswer = (status = 200) =>
  new ApiError(status, { code: 'invalid_response', message: i18n.t(($) => $.error.invalidResponse) });

/** A list's answer without rows is a fault to show, not something to wait for. */
async function requireRows(response: Response): Promise<void> {
  const page: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const rows = typeof page === 'object' && page !== null && 'data' in page ? page.data : null;
  if (!Array.isArray(rows)) throw invalidAnswer(response.status);
}

const KEY = 'Idempotency-Key';

/** Keys that a refusal has used up, each with the one of the next try: the server would answer the same again, whatever has
 *  changed since. What was not answered keeps its key, so that it is not done twice. */
const usedUp = new Map<string, string>();

function nextKey(key: string): string {
  const next = usedUp.get(key);
  return next === undefined ? key : nextKey(next);
}

/** Final or not, the server said no to this order; a key that it knows from another order stays refused. */
const isRefusal = ({ status, code }: ApiError) =>
  (status === 403 || status === 404 || status === 409 || status === 422) && code !== 'idempotency.mismatch';

const headers: Middleware = {
  onRequest({ request }) {
    const key = request.headers.get(KEY);
    if (key !== null) request.headers.set(KEY, nextKey(key));
    request.headers.set('locale', HEADER_LOCALES[currentLocale()]);
    request.headers.set('X-Arbora', '1');
    return request;
  },
  async onResponse({ request, response }) {
    if (!response.ok) {
      const problem = await problemOf(response);
      const key = request.headers.get(KEY);
      if (key !== null && isRefusal(problem)) usedUp.set(key, idempotencyKey());
      throw problem;
    }
    if (isPage(request)) await requireRows(response);
    return response;
  },
};

export const api = createClient<Calls, 'application/json'>({
  baseUrl: apiUrl(''),
  credentials: 'same-origin',
  fetch: send,
});
api.use(headers);

/** The body of a call that answers with one: `const { user } = await body(api.GET('/me'))`. */
export async function body<T>(call: Promise<{ data?: T }>): Promise<NonNullable<T>> {
  const { data } = await call;
  if (data === undefined || data === null) throw new ApiError(502, { code: 'empty_answer' });
  return data;
}

/** A key for one money order; draw it once per opened dialog so that a second click repeats the first order. */
export const idempotencyKey = (): string => crypto.randomUUID?.() ?? randomHex();

function randomHex(): string {
  // randomUUID exists in secure contexts only.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
