// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { offeredPasskey } from './offered';

const buffer = (...bytes: number[]) => Uint8Array.from(bytes).buffer;
const CHOSEN = {
  rawId: buffer(1, 2, 3),
  response: {
    clientDataJSON: buffer(0),
    authenticatorData: buffer(0),
    signature: buffer(9),
    userHandle: buffer(4),
  },
};
const TIMEOUT = 300_000;

const get = vi.fn();
let able: boolean;
let asked: number;

/** As browsers do: it waits for a choice, until its end. */
const waiting = ({ signal }: { signal: AbortSignal }) =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
  );

beforeEach(() => {
  vi.useFakeTimers();
  able = true;
  asked = 0;
  vi.stubGlobal('PublicKeyCredential', { isConditionalMediationAvailable: async () => able });
  vi.stubGlobal('fetch', async () => {
    asked++;
    return Response.json({
      challenge: 'AAEC',
      rpId: 'localhost',
      timeout: TIMEOUT,
      allowCredentials: [],
      userVerification: 'required',
    });
  });
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { get } });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'credentials');
  get.mockReset();
});

const somebody = async () => {
  window.dispatchEvent(new Event('pointermove'));
  await vi.waitFor(() => expect(get).toHaveBeenCalled());
};

test('what is chosen in the list is shown; nobody is asked before somebody is there', async () => {
  get.mockResolvedValue(CHOSEN);
  const shown = offeredPasskey(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(0);
  await somebody();
  expect(await shown).toMatchObject({ id: 'AQID', signature: 'CQ', userHandle: 'BA' });
  expect(asked).toBe(1);
  expect(get.mock.calls[0]?.[0]).toMatchObject({
    mediation: 'conditional',
    publicKey: { rpId: 'localhost' },
  });
});

test('a browser that offers none so is not asked', async () => {
  able = false;
  expect(await offeredPasskey(new AbortController().signal)).toBeNull();
  expect([asked, get.mock.calls.length]).toEqual([0, 0]);
});

test('it ends when a passkey is asked for in another way', async () => {
  get.mockImplementation(waiting);
  const until = new AbortController();
  const shown = offeredPasskey(until.signal);
  await vi.advanceTimersByTimeAsync(0);
  await somebody();
  until.abort();
  expect(await shown).toBeNull();
  // Also before anybody was there.
  const gone = new AbortController();
  const nothing = offeredPasskey(gone.signal);
  await vi.advanceTimersByTimeAsync(0);
  gone.abort();
  expect(await nothing).toBeNull();
  expect(asked).toBe(1);
});

test('a challenge that runs out is asked for anew, for who is still there', async () => {
  get.mockImplementationOnce(waiting).mockResolvedValueOnce(CHOSEN);
  const shown = offeredPasskey(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(0);
  await somebody();
  await vi.advanceTimersByTimeAsync(TIMEOUT);
  expect(asked).toBe(1);
  window.dispatchEvent(new Event('keydown'));
  expect(await shown).toMatchObject({ id: 'AQID' });
  expect(asked).toBe(2);
});

test('what the browser refuses is not asked for again and again', async () => {
  get.mockRejectedValue(new DOMException('', 'NotAllowedError'));
  const shown = offeredPasskey(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(0);
  await somebody();
  expect(await shown).toBeNull();
  expect(get).toHaveBeenCalledTimes(1);
});
