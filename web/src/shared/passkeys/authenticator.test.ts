// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { asApiError } from '@/api/problem';
import { canUsePasskeys, createPasskey, showPasskey } from './authenticator';

const REQUEST = {
  challenge: '-_8A',
  rpId: 'localhost',
  timeout: 1000,
  allowCredentials: [{ type: 'public-key' as const, id: 'AQID', transports: ['internal'] }],
  userVerification: 'required',
};
const CREATION = {
  challenge: '-_8A',
  rp: { id: 'localhost', name: 'Arbora' },
  user: { id: 'BAUG', name: 'ana@exemplo.com.br', displayName: 'Ana' },
  pubKeyCredParams: [{ type: 'public-key' as const, alg: -7 }],
  timeout: 1000,
  excludeCredentials: [],
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
};

const buffer = (...bytes: number[]) => Uint8Array.from(bytes).buffer;
const create = vi.fn();
const get = vi.fn();

beforeEach(() => {
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('PublicKeyCredential', class {});
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create, get } });
});
afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'credentials');
  create.mockReset();
  get.mockReset();
});

const codeOf = async (asked: Promise<unknown>) => asked.then(String, (error) => asApiError(error).code);

test('what the server writes becomes bytes, and what the browser gives words', async () => {
  get.mockResolvedValue({
    rawId: buffer(1, 2, 3),
    response: {
      clientDataJSON: buffer(251, 255),
      authenticatorData: buffer(0),
      signature: buffer(9, 9),
      userHandle: null,
    },
  });
  expect(await showPasskey(REQUEST)).toEqual({
    id: 'AQID',
    clientDataJSON: '-_8',
    authenticatorData: 'AA',
    signature: 'CQk',
    userHandle: null,
  });
  const { publicKey } = get.mock.calls[0]?.[0] ?? {};
  expect([...publicKey.challenge]).toEqual([251, 255, 0]);
  expect([...publicKey.allowCredentials[0].id]).toEqual([1, 2, 3]);
  expect(publicKey).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
});

test('a passkey is asked for that signs in by itself and asks who touches it', async () => {
  create.mockResolvedValue({
    rawId: buffer(7),
    response: {
      clientDataJSON: buffer(1),
      attestationObject: buffer(2),
      getTransports: () => ['internal', 'hybrid'],
    },
  });
  expect(await createPasskey(CREATION)).toEqual({
    id: 'Bw',
    clientDataJSON: 'AQ',
    attestationObject: 'Ag',
    transports: ['internal', 'hybrid'],
  });
  const { publicKey } = create.mock.calls[0]?.[0] ?? {};
  expect([...publicKey.user.id]).toEqual([4, 5, 6]);
  expect(publicKey.authenticatorSelection).toMatchObject({
    residentKey: 'required',
    userVerification: 'required',
  });
});

test('what the browser refuses has a code of its own', async () => {
  for (const [name, code] of [
    ['NotAllowedError', 'passkey.stopped'],
    ['AbortError', 'passkey.stopped'],
    ['InvalidStateError', 'passkey.known'],
    ['SecurityError', 'passkey.failed'],
  ] as const) {
    create.mockRejectedValueOnce(new DOMException('', name));
    expect(await codeOf(createPasskey(CREATION)), name).toBe(code);
  }
  get.mockResolvedValueOnce(null);
  expect(await codeOf(showPasskey(REQUEST))).toBe('passkey.failed');
});

test('where no passkeys are none is offered', () => {
  expect(canUsePasskeys()).toBe(true);
  vi.stubGlobal('isSecureContext', false);
  expect(canUsePasskeys()).toBe(false);
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('PublicKeyCredential', undefined);
  expect(canUsePasskeys()).toBe(false);
});
