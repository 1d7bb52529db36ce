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

/** How long the token is good for, from its own two times, so that a wrong clock on this machine does not matter. */
export function lifetimeSeconds(token: string): number | null {
  try {
    const [, payload = ''] = token.split('.');
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as {
      iat?: number;
      exp?: number;
    };
    return claims.exp !== undefined && claims.iat !== undefined ? claims.exp - claims.iat : null;
  } catch {
    return null;
  }
}
