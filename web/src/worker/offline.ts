/** The page that stands in for the program while nobody answers: a document of its own, shown by the service worker at the address that was asked
 *  for. It says the last figures of who is signed in here, as old ones, and makes room for the program as soon as the server is there again. */
import './offline.css';
import { hasSessionCookie } from '../api/cookie';
import { dropFigures } from '../api/dropFigures';
import { lastFigures } from '../api/lastFigures';
import en from '../i18n/en/installed.json';
import es from '../i18n/es/installed.json';
import pt from '../i18n/pt/installed.json';

const TEXTS = { pt, en, es };
const TAGS = { pt: 'pt-BR', en: 'en-US', es: 'es-ES' };
/** How long until it looks again by itself. */
const AGAIN_MS = 15_000;

const chosen = kept('locale');
const locale = chosen === 'en' || chosen === 'es' ? chosen : 'pt';
const say = (pick: (texts: typeof pt) => string): string => pick(TEXTS[locale]);

function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function element(name: string, text = '', parts: readonly Node[] = []): HTMLElement {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...parts);
  return made;
}

function mark(): HTMLElement {
  const image = document.createElement('img');
  image.src = '/icons/icon-192.png';
  image.alt = '';
  image.className = 'mark';
  return image;
}

/** Nobody's figures are shown where nobody is signed in. */
function figures(): HTMLElement[] {
  if (!hasSessionCookie()) {
    dropFigures();
    return [];
  }
  const last = lastFigures();
  if (!last || last.lines.length === 0) return [];
  const title = element('h2', say(($) => $.offline.figures).replace('{{at}}', last.at));
  title.id = 'figures';
  const lines = last.lines.map(([account, amount]) => {
    const value = element('dd', amount);
    value.translate = false;
    return element('div', '', [
      element(
        'dt',
        say(($) => $.accounts[account]),
      ),
      value,
    ]);
  });
  const section = element('section', '', [
    title,
    element('dl', '', lines),
    element(
      'p',
      say(($) => $.offline.old),
    ),
  ]);
  section.setAttribute('aria-labelledby', title.id);
  return [section];
}

/** Not a navigation: the worker leaves it to the network. */
async function look() {
  try {
    const { ok } = await fetch('/', { method: 'HEAD', cache: 'no-store' });
    if (ok) location.reload();
  } catch {
    // Still nobody.
  }
}

function show() {
  const again = element(
    'button',
    say(($) => $.offline.again),
  );
  again.addEventListener('click', () => void look());
  document.body.append(
    element('main', '', [
      mark(),
      element(
        'h1',
        say(($) => $.offline.title),
      ),
      element(
        'p',
        say(($) => $.offline.hint),
      ),
      ...figures(),
      again,
    ]),
  );
}

document.documentElement.lang = TAGS[locale];
if (kept('mantine-color-scheme-value') === 'light')
  document.documentElement.setAttribute('data-mantine-color-scheme', 'light');
document.title = `${say(($) => $.offline.title)} · Arbora`;
document.addEventListener('DOMContentLoaded', show);
addEventListener('online', () => void look());
setInterval(() => void look(), AGAIN_MS);
