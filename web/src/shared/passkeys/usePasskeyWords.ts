import { useTranslation } from 'react-i18next';

/** What to say where the browser, and not the server, refused: by the codes of `authenticator`. */
export function usePasskeyWords(): Readonly<Record<string, string>> {
  const { t } = useTranslation();
  return {
    'passkey.stopped': t(($) => $.code.passkey.stopped),
    'passkey.known': t(($) => $.code.passkey.known),
    'passkey.failed': t(($) => $.code.passkey.failed),
  };
}
