/** The server's clock, for countdowns: a wrong clock on this machine must not end a payment early. */
let skewMs = 0;

export function setServerTime(now: string) {
  const at = Date.parse(now);
  if (!Number.isNaN(at)) skewMs = at - Date.now();
}

export const serverNow = () => Date.now() + skewMs;
