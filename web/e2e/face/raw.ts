/** What no screen may show: what was meant for a program. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from './window';

const TEXTS = join(import.meta.dirname, '../../src/i18n/pt');
/** A text that is missing is shown as the way to it, which begins with one of these. */
const GROUPS = readdirSync(TEXTS).flatMap((name) =>
  Object.entries<unknown>(JSON.parse(readFileSync(join(TEXTS, name), 'utf8')))
    .filter(([, within]) => typeof within === 'object')
    .map(([group]) => group),
);

/** Texts of the page, also those that are only read out, that are a key, a code or a place that nothing was filled into. */
export const raw = (page: Page) =>
  page.evaluate((groups) => {
    const isKey = (text: string) =>
      /^[\w-]+(\.[\w-]+)+$/.test(text) && groups.includes(text.split('.')[0] ?? '');
    const isCode = (text: string) => /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(text);
    const isNothing = (text: string) => /\{\{|\}\}|\[object |\b(undefined|NaN)\b|Invalid Date/.test(text);
    const found: string[] = [];
    const look = (where: Element | null, said: string) => {
      const text = said.trim();
      // A code that is shown as one, as in the audit, says that it is no word of a language.
      const asItIs = where?.closest('[translate=no], code, pre') != null;
      if (isNothing(text) || (!asItIs && (isKey(text) || isCode(text)))) found.push(text);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { currentNode: node } = walker;
      const { parentElement: parent } = node;
      if (!parent?.closest('script, style, noscript, textarea')) look(parent, node.textContent ?? '');
    }
    for (const name of ['aria-label', 'alt', 'placeholder', 'title'])
      for (const one of document.querySelectorAll(`[${name}]`)) look(one, one.getAttribute(name) ?? '');
    return found;
  }, GROUPS);

/** What the program says is wrong, from here on. */
export function complaints(page: Page): string[] {
  const said: string[] = [];
  page.on('pageerror', ({ message }) => {
    // The browser's own word on sizes that it looks at with the next frame: nothing is broken.
    if (!message.includes('ResizeObserver loop')) said.push(message);
  });
  page.on('console', (message) => {
    // The browser's own word on an answer that was a refusal: what the screen makes of it is looked at there.
    const refused = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !refused) said.push(message.text());
  });
  return said;
}
