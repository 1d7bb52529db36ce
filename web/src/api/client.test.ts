import { afterEach, expect, test, vi } from 'vitest';
import { i18n, i18nReady } from '@/i18n';
import { api } from './client';
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
