/** Passkeys among what the browser offers at the e-mail's field: nobody presses anything before they choose one. */
import { api, body } from '@/api/client';
import { type Shown, showPasskey } from '@/shared/passkeys/authenticator';

/** How long before its challenge runs out another one is asked for: whoever chooses then is still heard. */
const SPARE_MS = 30_000;
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'focusin'] as const;

/** Somebody is there: nothing is asked of the server for a page that lies open. */
const somebody = (until: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      for (const sign of SIGNS) removeEventListener(sign, done);
      resolve();
    };
    for (const sign of SIGNS) addEventListener(sign, done, { passive: true });
    until.addEventListener('abort', done, { once: true });
  });

/** What was chosen; none where the browser offers none so, where it could not be asked for, or `until` it is asked for in another way. */
export async function offeredPasskey(until: AbortSignal): Promise<Shown | null> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return null;
  while (!until.aborted) {
    await somebody(until);
    if (until.aborted) break;
    const over = new AbortController();
    const end = () => over.abort();
    until.addEventListener('abort', end, { once: true });
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const options = await body(
        api.POST('/auth/passkey/options', { body: { challenge: null }, signal: over.signal }),
      );
      timer = setTimeout(end, options.timeout - SPARE_MS);
      return await showPasskey(options, over.signal);
    } catch {
      // Only what ran out is asked for again.
      if (!over.signal.aborted) return null;
    } finally {
      clearTimeout(timer);
      until.removeEventListener('abort', end);
    }
  }
  return null;
}
