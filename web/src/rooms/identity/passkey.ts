/** Signing in with a passkey. */
import { api, body } from '@/api/client';
import { type Shown, showPasskey } from '@/shared/passkeys/authenticator';

/** The access token of a session for what a passkey showed. */
export async function enterWith(credential: Shown, challenge: string | null): Promise<string> {
  const { token } = await body(api.POST('/auth/passkey', { body: { challenge, credential } }));
  return token;
}

/** The access token of a session: by itself, or as the second step of a challenge. */
export async function enterByPasskey(challenge: string | null): Promise<string> {
  const options = await body(api.POST('/auth/passkey/options', { body: { challenge } }));
  return enterWith(await showPasskey(options), challenge);
}
