/** Passkeys as the browser knows them: the server's words made of bytes, and back. Loaded where one is used. */
import type { Answer } from '@/api/client';
import { ApiError } from '@/api/problem';

type Creation = Answer<'/me/passkeys/options', 'post'>;
type Request = Answer<'/auth/passkey/options', 'post'>;
type Named = Request['allowCredentials'][number];

const bytes = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0));

const text = (buffer: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const named = ({ id, transports }: Named): PublicKeyCredentialDescriptor => ({
  type: 'public-key',
  id: bytes(id),
  transports: transports as AuthenticatorTransport[],
});

/** Why the browser gave none, as a refusal with a code of its own. */
function refusal(error: unknown): ApiError {
  const name = error instanceof DOMException ? error.name : '';
  const code =
    name === 'InvalidStateError'
      ? 'passkey.known'
      : name === 'NotAllowedError' || name === 'AbortError'
        ? 'passkey.stopped'
        : 'passkey.failed';
  return new ApiError(422, { code });
}

async function given(asking: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  let credential: Credential | null = null;
  try {
    credential = await asking();
  } catch (error) {
    throw refusal(error);
  }
  if (credential === null) throw refusal(null);
  return credential as PublicKeyCredential;
}

/** Makes a passkey on a device of the person's choice. */
export async function createPasskey(options: Creation) {
  const { challenge, rp, user, pubKeyCredParams, timeout, excludeCredentials } = options;
  const credential = await given(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: bytes(challenge),
        rp,
        user: { ...user, id: bytes(user.id) },
        pubKeyCredParams: pubKeyCredParams.map(({ alg }) => ({ type: 'public-key', alg })),
        timeout,
        excludeCredentials: excludeCredentials.map(named),
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        attestation: 'none',
      },
    }),
  );
  const response = credential.response as AuthenticatorAttestationResponse;
  return {
    id: text(credential.rawId),
    clientDataJSON: text(response.clientDataJSON),
    attestationObject: text(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  };
}

/** Shows a passkey: one of those that are asked for, or any of this site's. With an end it is offered among what the browser fills in, until
 *  then. */
export async function showPasskey(
  { challenge, rpId, timeout, allowCredentials }: Request,
  end?: AbortSignal,
) {
  const credential = await given(() =>
    navigator.credentials.get({
      ...(end && { mediation: 'conditional', signal: end }),
      publicKey: {
        challenge: bytes(challenge),
        rpId,
        timeout,
        allowCredentials: allowCredentials.map(named),
        userVerification: 'required',
      },
    }),
  );
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    id: text(credential.rawId),
    clientDataJSON: text(response.clientDataJSON),
    authenticatorData: text(response.authenticatorData),
    signature: text(response.signature),
    userHandle: response.userHandle && text(response.userHandle),
  };
}

/** What a passkey showed. */
export type Shown = Awaited<ReturnType<typeof showPasskey>>;
