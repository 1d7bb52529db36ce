// @vitest-environment jsdom
/** A tab of a look names it in every call, sends nothing, and knows when it is over. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const LOOK = '0190a000-0000-7000-8000-00000000100c';
const calls: Request[] = [];
let answer = () => Response.json({ data: [] });

/** The program as a tab loads it that was opened with this address. */
async function opened(path: string) {
  history.replaceState(null, '', path);
  vi.resetModules();
  const [{ i18nReady }, look, { api }, { setAccessToken }, { upload }] = await Promise.all([
    import('@/i18n'),
    import('./look'),
    import('./client'),
    import('./token'),
    import('./upload'),
  ]);
  await i18nReady;
  setAccessToken('token');
  return { ...look, api, upload };
}

beforeEach(() => {
  calls.length = 0;
  answer = () => Response.json({ data: [] });
  vi.stubGlobal('fetch', async (request: Request) => {
    calls.push(request);
    return answer();
  });
});
afterEach(() => {
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

test('every call names the look, also when the tab is loaded again; what everybody may read does not', async () => {
  const { api, isLook } = await opened(`/look/${LOOK}`);
  expect(isLook).toBe(true);
  expect(location.pathname).toBe('/');
  await api.GET('/me/export');
  await api.GET('/config');
  const again = await opened('/wallet/my-deposits-pix');
  expect(again.LOOK).toBe(LOOK);
  await again.api.GET('/me/export');
  expect(calls.map(({ headers }) => headers.get('X-Arbora-Look'))).toEqual([LOOK, null, LOOK]);
});

test('whose account it is stays the tab’s own until it is left, and is not taken over by the next look', async () => {
  const first = await opened(`/look/${LOOK}?of=u-ana`);
  expect([first.LOOKED_AT, location.search]).toEqual(['u-ana', '']);
  expect((await opened('/statement')).LOOKED_AT).toBe('u-ana');
  expect((await opened(`/look/${LOOK}`)).LOOKED_AT).toBeNull();
  expect((await opened('/statement')).LOOKED_AT).toBeNull();
  expect(first.lookPath(LOOK, 'u/á')).toBe(`/look/${LOOK}?of=u%2F%C3%A1`);
});

test('nothing that changes something leaves the tab, but the end of the look', async () => {
  const { api, upload } = await opened(`/look/${LOOK}`);
  const refused = { status: 403, code: 'look.refused' };
  await expect(api.POST('/notifications/read-all', { body: {} })).rejects.toMatchObject(refused);
  await expect(api.DELETE('/me/avatar')).rejects.toMatchObject(refused);
  await expect(upload({ path: '/me/upload-image', form: new FormData() })).rejects.toMatchObject(refused);
  expect(calls).toEqual([]);
  answer = () => new Response(null, { status: 204 });
  await api.DELETE('/admin/user/{id}/look', { params: { path: { id: 'u' } } });
  expect(calls.map(({ method, headers }) => [method, headers.get('X-Arbora-Look')])).toEqual([
    ['DELETE', null],
  ]);
});

test('the server says that it is over', async () => {
  const { api, useLook } = await opened(`/look/${LOOK}`);
  answer = () => Response.json({ code: 'look.refused', message: '' }, { status: 403 });
  await expect(api.GET('/me/export')).rejects.toMatchObject({ code: 'look.refused' });
  expect(useLook.getState().over).toBe(false);
  answer = () => Response.json({ code: 'look.over', message: '' }, { status: 403 });
  await expect(api.GET('/me/export')).rejects.toMatchObject({ code: 'look.over' });
  expect(useLook.getState().over).toBe(true);
});

test('any other tab is as it was', async () => {
  const { api, isLook } = await opened('/look/at-me');
  expect(isLook).toBe(false);
  await api.GET('/me/export');
  expect(calls[0]?.headers.has('X-Arbora-Look')).toBe(false);
});
