// @vitest-environment jsdom
import { afterEach, expect, test, vi } from 'vitest';
import { i18n, i18nReady } from '@/i18n';
import { api, idempotencyKey } from './client';
import { ApiError } from './problem';

afterEach(() => vi.restoreAllMocks());

const answer = (body: string | null, init?: ResponseInit) =>
  vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(
      async () => new Response(body, { headers: { 'Content-Type': 'application/json' }, ...init }),
    );

const orders = (query: { page?: number; format?: string }) =>
  api.GET('/trader/orders-history/{robotId}', { params: { path: { robotId: 'r' }, query } });

test.each([
  ['nothing', null],
  ['no rows', '{}'],
  ['rows that are none', '{"data":null}'],
  ['no JSON', '<html>'],
])('a list answered with %s is an error, in the language of the reader', async (_, body) => {
  await i18nReady;
  answer(body);
  for (const [locale, text] of [
    ['pt', 'Invalid response format'],
    ['en', 'Invalid response format'],
    ['es', 'Formato de respuesta no válido'],
  ] as const) {
    await i18n.changeLanguage(locale);
    const error = await orders({ page: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'invalid_response', message: text, unavailable: false });
  }
  await i18n.changeLanguage('pt');
});

test('a list with rows is left as it is, and so is what is no page', async () => {
  await i18nReady;
  answer('{"data":[],"meta":{}}');
  expect((await orders({ page: 1 })).data).toEqual({ data: [], meta: {} });
  answer('{}');
  expect((await orders({})).data).toEqual({});
});

test('an order that was refused is tried again under a key of its own, one that was not answered under the same', async () => {
  await i18nReady;
  const keys: (string | null)[] = [];
  const answers = [
    () => Promise.reject(new TypeError('no network')),
    () => Promise.resolve(refusal(409, 'licence.state')),
    () => Promise.resolve(refusal(422, 'balance.insufficient')),
    () => Promise.resolve(refusal(503, 'service.busy')),
    () => Promise.resolve(refusal(409, 'idempotency.mismatch')),
    () => Promise.resolve(new Response('{}', { headers: { 'Content-Type': 'application/json' } })),
  ];
  const refusal = (status: number, code: string) =>
    new Response(JSON.stringify({ code, message: 'no' }), {
      status,
      headers: { 'Content-Type': 'application/json' },
    });
  vi.spyOn(globalThis, 'fetch').mockImplementation((request) => {
    keys.push((request as Request).headers.get('Idempotency-Key'));
    return answers[keys.length - 1]?.() ?? Promise.reject(new Error('too often'));
  });
  const key = idempotencyKey();
  for (const _ of answers)
    await api
      .POST('/presale/claim', { params: { header: { 'Idempotency-Key': key } }, body: {} })
      .catch(() => undefined);
  expect(keys.slice(0, 2)).toEqual([key, key]);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).not.toBe(key);
  expect(keys.slice(3)).toEqual([keys[3], keys[3], keys[3]]);
});

test('a refused call rejects with what the server said: its message, its code and its fields', async () => {
  await i18nReady;
  const said = {
    code: 'request.invalid',
    message: 'Confira os campos.',
    errors: { fullName: ['Informe o nome.'] },
  };
  answer(JSON.stringify(said), { status: 422 });
  const refused = await orders({ page: 1 }).catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ status: 422, ...said });
  expect((refused as ApiError).field('fullName')).toBe('Informe o nome.');
  // Of a page that is not the server's own, how it was answered is all that can be said.
  answer('<html>', { status: 502 });
  const stranger = await orders({ page: 1 }).catch((thrown: unknown) => thrown);
  expect(stranger).toMatchObject({ status: 502, code: 'unknown', message: 'HTTP 502', errors: {} });
});
