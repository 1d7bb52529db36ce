// @vitest-environment jsdom
/** The day turns by the server's clock, whenever this machine learns of it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setServerTime } from '@/api/clock';
import { clearLicences, type Licence, put, useLicences } from './licences';
import { licencesLive } from './licencesLive';

vi.mock('@/api/session', async (original) => ({ ...(await original<object>()), mayRead: () => true }));
const asked = vi.fn(async () => ({ data: { data: [] } }));
vi.mock('@/api/client', async (original) => ({
  ...(await original<object>()),
  api: { GET: () => asked() },
  body: async (call: Promise<{ data: unknown }>) => (await call).data,
}));

const today = () => Object.values(useLicences.getState().byId).map((one) => one.today);

beforeEach(() => {
  clearLicences();
  vi.useFakeTimers({ now: Date.parse('2026-11-24T02:59:00Z') });
  setServerTime('2026-11-24T02:59:00Z');
});
afterEach(() => vi.useRealTimers());

test.each<[string, number]>([
  ['as this machine says it', 0],
  ['said late: this machine is ahead by a day', -86_400_000],
  ['said late: this machine is ahead by seconds', -9_000],
  ['said late: this machine is behind', 9_000],
])('today begins anew at the midnight of the server, %s', async (_, skew) => {
  const stop = licencesLive.listen();
  setServerTime(new Date(Date.now() + skew).toISOString());
  put([{ _id: 'one', today: '4.000000', version: 1, joinsAt: null } as Licence]);
  expect(today()).toEqual(['4.000000']);
  await vi.advanceTimersByTimeAsync(75_000);
  expect(today()).toEqual(['0.000000']);
  stop();
});
