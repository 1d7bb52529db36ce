/** Only a path of ours is followed after a sign-in. */
export function safeTarget(to: string | null): string {
  if (to === null || !to.startsWith('/') || to.startsWith('//') || to.includes('\\')) return '/';
  const url = new URL(to, location.origin);
  return url.origin === location.origin ? url.pathname + url.search : '/';
}
