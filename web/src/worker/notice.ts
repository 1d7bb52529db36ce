/** What a push comes to: pure, so that it is tried without a browser. What comes is of a server that may be older or newer, over a service that is
 *  neither's: nothing of it is believed before it was looked at. */

export interface Notice {
  title: string;
  text: string;
  /** The newest of one thing takes the place of those before; empty for a thing of its own. */
  tag: string;
  /** Where it is read: a path of this site. */
  url: string;
  /** When it happened (epoch ms); null where that is not said. */
  at: number | null;
}

/** What is said where a push cannot be read: the browser demands a notice for each. */
export interface Neutral {
  title: string;
  text: string;
}

const HOME = '/';
/** A notice is a line or two; the rest stands on the screen. */
const MOST = { title: 80, text: 240, tag: 120, url: 500 } as const;

function texts(data: Record<string, unknown>) {
  const text = (name: keyof typeof MOST): string => {
    const value = data[name];
    return typeof value === 'string' ? value.trim().slice(0, MOST[name]) : '';
  };
  return { title: text('title'), text: text('text'), tag: text('tag') };
}

/** A path of this site, with what is asked of it: never another site's address, however it is written. */
export function ownPath(url: unknown, origin: string): string {
  if (typeof url !== 'string' || url.length > MOST.url || !/^\/(?![/\\])/.test(url)) return HOME;
  try {
    const { origin: whose, pathname, search, hash } = new URL(url, origin);
    // Calls and files are no screens.
    if (whose !== origin || pathname.startsWith('/api')) return HOME;
    return pathname + search + hash;
  } catch {
    return HOME;
  }
}

function momentOf(at: unknown): number | null {
  const moment = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  return Number.isNaN(moment) ? null : moment;
}

function parsed(payload: string | null): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(payload ?? '');
    return typeof data === 'object' && data !== null && !Array.isArray(data) ? { ...data } : {};
  } catch {
    return {};
  }
}

export function noticeOf(payload: string | null, origin: string, neutral: Neutral): Notice {
  const data = parsed(payload);
  const { title, text, tag } = texts(data);
  const at = momentOf(data.at);
  // Half a notice says less than none.
  if (title === '' || text === '') return { ...neutral, tag: 'neutral', url: HOME, at };
  return { title, text, tag, url: ownPath(data.url, origin), at };
}

/** Which of the languages that there are a browser wants most. */
export function languageOf(wanted: readonly string[]): 'pt' | 'en' | 'es' {
  for (const tag of wanted) {
    const [language] = tag.toLowerCase().split('-');
    if (language === 'pt' || language === 'en' || language === 'es') return language;
  }
  return 'pt';
}
