/** Replies that are kept ready, chosen by keyboard in the field in which one answers: a stroke at the beginning of a line looks for them. */
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Locale } from '@/i18n/locales';
import { fill, found, put, soughtIn, type Values } from './canned';
import type { Canned } from './desk';

/** What a ticket's replies are chosen from, and what comes into them. */
export interface CannedOf {
  replies: readonly Canned[];
  /** The customer's. */
  locale: Locale;
  values: Values;
}

const MOST = 8;

export function useCanned(
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  change: (text: string) => void,
  canned: CannedOf | null,
) {
  const list = useId();
  const [caret, setCaret] = useState(0);
  const [marked, setMarked] = useState(0);
  /** Where the list was closed with Escape: it stays so until another one is begun. */
  const [closed, setClosed] = useState<number | null>(null);
  const next = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (next.current === null || !field.current) return;
    field.current.focus();
    field.current.setSelectionRange(next.current, next.current);
    setCaret(next.current);
    next.current = null;
  });
  const sought = canned && soughtIn(text, Math.min(caret, text.length));
  const options =
    canned && sought && sought.from !== closed
      ? found(canned.replies, sought.words, canned.locale).slice(0, MOST)
      : [];
  const shown = sought !== null && sought.from !== closed;
  const at = Math.min(marked, options.length - 1);
  const take = (reply: Canned) => {
    if (!canned || !sought) return;
    const written = put(
      text,
      sought,
      Math.min(caret, text.length),
      fill(reply.text[canned.locale], canned.values),
    );
    next.current = written.caret;
    setMarked(0);
    change(written.text);
  };
  const look = () => {
    const now = field.current?.selectionStart ?? 0;
    setCaret(now);
    if (!soughtIn(field.current?.value ?? '', now)) {
      setClosed(null);
      setMarked(0);
    }
  };
  return {
    list,
    shown,
    options,
    marked: at,
    sought: sought?.words ?? '',
    take,
    look,
    /** For who has no key for it: begins to look for one where a line begins. */
    begin: () => {
      const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
      next.current = before.length + 1;
      setClosed(null);
      change(`${before}/`);
    },
    /** True when the key was for the list. */
    onKeyDown: (event: KeyboardEvent): boolean => {
      if (!shown || event.ctrlKey || event.metaKey || event.altKey) return false;
      const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (move !== 0 && options.length > 0) setMarked((at + move + options.length) % options.length);
      else if (event.key === 'Escape') setClosed(sought?.from ?? null);
      else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
        const chosen = options[at];
        if (!chosen) return false;
        take(chosen);
      } else return false;
      event.preventDefault();
      return true;
    },
    aria: canned
      ? {
          'aria-autocomplete': 'list' as const,
          'aria-haspopup': 'listbox' as const,
          ...(shown && { 'aria-controls': list }),
          ...(options.length > 0 && { 'aria-activedescendant': `${list}-${at}` }),
        }
      : {},
  };
}
