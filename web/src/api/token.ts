/** The access token lives here and nowhere else: memory only, gone with the tab. */
type Listener = (token: string | null) => void;

let current: string | null = null;
const listeners = new Set<Listener>();

export const accessToken = () => current;

export function setAccessToken(token: string | null) {
  if (token === current) return;
  current = token;
  for (const listener of listeners) listener(token);
}

export function onAccessToken(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

interface Claims {
  sub?: string;
  sid?: string;
  iat?: number;
  exp?: number;
}

function claimsOf(token: string): Claims {
  try {
    const [, payload = ''] = token.split('.');
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return {};
  }
}

/** How long the token is good for, from its own two times, so that a wrong clock on this machine does not matter. */
export function lifetimeSeconds(token: string): number | null {
  const { iat, exp } = claimsOf(token);
  return exp !== undefined && iat !== undefined ? exp - iat : null;
}

/** Whose a token is: the person, and which of their sessions. */
export const personOf = (token: string): string => claimsOf(token).sub ?? '';
export const ownerOf = (token: string): string => `${personOf(token)}/${claimsOf(token).sid ?? ''}`;
