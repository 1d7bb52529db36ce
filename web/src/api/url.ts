/** Every call goes to our own origin, under `/api`. */
export const apiUrl = (path: string): string => new URL(`/api${path}`, location.origin).href;

export function socketUrl(): string {
  const url = new URL('/api/ws', location.origin);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}
