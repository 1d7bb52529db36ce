/** A site is a domain: browsers make no passkey for an address of the network. */
const ADDRESS = /^[\d.]+$|^\[/;

/** Whether this browser uses passkeys on this page at all. */
export const canUsePasskeys = (): boolean =>
  window.isSecureContext && typeof PublicKeyCredential === 'function' && !ADDRESS.test(location.hostname);
