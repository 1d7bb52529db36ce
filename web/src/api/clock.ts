/** The server's clock, for countdowns: a wrong clock on this machine must not end a payment early. */
let skewMs = 0;

export function setServerTime(now: string) {
  const at = Date.parse(now);
  if (!Number.isNaN(at)) skewMs = at - Date.now();
}

export const serverNow = () => Date.now() + skewMs;

/** Whose days the business counts. */
export const BUSINESS_ZONE = 'America/Sao_Paulo';
export const DAY_MS = 86_400_000;
const day = new Intl.DateTimeFormat('en-CA', { timeZone: BUSINESS_ZONE });
const time = new Intl.DateTimeFormat('en-GB', { timeZone: BUSINESS_ZONE, timeStyle: 'medium' });

/** The business day of a moment, as the server writes days: `2026-11-23`. */
export const businessDay = (at: number = serverNow()): string => day.format(at);

/** When the business day of a moment is over. */
export function dayEnds(at: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.format(at).split(':').map(Number);
  return at - (at % 1000) + DAY_MS - ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
