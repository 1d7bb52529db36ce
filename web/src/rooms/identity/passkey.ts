/** Signing in with a passkey, and the words for what the browser says of one. */
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { showPasskey } from '@/shared/passkeys/authenticator';

/** The access token of a session: by itself, or as the second step of a challenge. */
export async function enterByPasskey(challenge: string | null): Promise<string> {
  const options = await body(api.POST('/auth/passkey/options', { body: { challenge } }));
  const credential = await showPasskey(options);
  const { token } = await body(api.POST('/auth/passkey', { body: { challenge, credential } }));
  return token;
}

/** What to say where the browser, and not the server, refused: by the codes of `shared/passkeys`. */
export function usePasskeyWords(): Readonly<Record<string, string>> {
  const { t } = useTranslation('identity');
  return {
    'passkey.stopped': t(($) => $.passkeys.stopped),
    'passkey.known': t(($) => $.passkeys.known),
    'passkey.failed': t(($) => $.passkeys.failed),
  };
}
