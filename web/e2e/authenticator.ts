/** The browser's own authenticator for tests: it has a finger on it always, and knows whose. */
import type { CDPSession, Page } from '@playwright/test';

export interface Authenticator {
  /** How many passkeys it has made and keeps. */
  held: () => Promise<number>;
  /** Whether whoever touches it is who it knows: else it refuses. */
  knows: (them: boolean) => Promise<void>;
  end: () => Promise<void>;
}

/** One that stands in the person's device. It lives as long as the page does, or until it is taken away. */
export async function authenticator(page: Page): Promise<Authenticator> {
  // It touches whatever asks: what the browser would offer at a field, and nobody chose, it would answer as well.
  await page.addInitScript(() => {
    if (typeof PublicKeyCredential === 'function')
      PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  });
  const tools: CDPSession = await page.context().newCDPSession(page);
  await tools.send('WebAuthn.enable');
  const { authenticatorId } = await tools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    held: async () => (await tools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    knows: async (isUserVerified) => {
      await tools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    end: async () => {
      await tools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
      await tools.detach();
    },
  };
}
