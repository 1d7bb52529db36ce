/** Replies that staff keep ready, as they come into what is being written: pure. */
import type { Locale } from '@/i18n/locales';
import type { Canned } from './desk';

/** What may stand in braces (docs/rules/support.md#canned-replies). */
export const VARIABLES = ['name', 'ticket', 'subject', 'agent'] as const;
export type Values = Readonly<Record<(typeof VARIABLES)[number], string>>;

const isVariable = (name: string): name is keyof Values => (VARIABLES as readonly string[]).includes(name);

/** A text with its values in it, once: what a value says is shown as it stands, whatever braces are in it. */
export const fill = (template: string, values: Values): string =>
  template.replace(/\{(\w+)\}/g, (whole, name: string) => (isVariable(name) ? values[name] : whole));

export const firstName = (fullName: string): string => fullName.trim().split(/\s+/)[0] ?? '';

/** What is looked for, and where it stands in the text: behind a stroke at the beginning of a line, up to the caret. */
export interface Sought {
  from: number;
  words: string;
}

export function soughtIn(text: string, caret: number): Sought | null {
  const from = text.lastIndexOf('\n', caret - 1) + 1;
  return caret > from && text[from] === '/' ? { from, words: text.slice(from + 1, caret) } : null;
}

/** Letters alone, as one types them in a hurry. */
const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Those in use in which every word stands: by their title first, then by what they say; else in their own order. */
export function found(replies: readonly Canned[], words: string, locale: Locale): Canned[] {
  const sought = plain(words)
    .split(/\s+/)
    .filter((word) => word !== '');
  const has = (text: string) => {
    const known = plain(text);
    return sought.every((word) => known.includes(word));
  };
  const used = replies.filter(({ retired }) => !retired);
  const byTitle = used.filter(({ title }) => has(title));
  return [
    ...byTitle,
    ...used.filter((reply) => !byTitle.includes(reply) && has(`${reply.title} ${reply.text[locale]}`)),
  ];
}

/** The text with one in the place of what was looked for, and where one writes on. */
export function put(text: string, sought: Sought, caret: number, filled: string) {
  return {
    text: text.slice(0, sought.from) + filled + text.slice(caret),
    caret: sought.from + filled.length,
  };
}

/** Moves one of a list by one place; the same list where it stands at that end. */
export function moved<T>(list: readonly T[], place: number, by: -1 | 1): readonly T[] {
  const here = list[place];
  const there = list[place + by];
  if (here === undefined || there === undefined) return list;
  const next = [...list];
  next[place] = there;
  next[place + by] = here;
  return next;
}
