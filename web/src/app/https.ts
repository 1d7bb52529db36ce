/** A page served over http goes to https; a machine talking to itself has no certificate and needs none [docs/rules/web.md#routing]. */
export function httpsTarget({
  protocol,
  hostname,
  href,
}: Pick<Location, 'protocol' | 'hostname' | 'href'>): string | null {
  if (protocol !== 'http:' || isLoopback(hostname)) return null;
  return href.replace(/^http:/, 'https:');
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  /^127(?:\.\d{1,3}){3}$/.test(host);
