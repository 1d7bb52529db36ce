/** Single-letter keys: off in fields, in dialogs, and by preference. `g` and a letter go elsewhere, whoever else takes that letter. */
import { useEffect, useEffectEvent } from 'react';
import { usePrefs } from './prefs';

const CHORD_MS = 1200;
let chordAt = 0;

export const beginChord = () => {
  chordAt = Date.now();
};
export const endChord = () => {
  chordAt = 0;
};
export const inChord = () => Date.now() - chordAt < CHORD_MS;

/** The key is for a field, a dialog, or the browser. */
export function isBusy(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const target = event.target as HTMLElement | null;
  if (target?.closest('input, textarea, select, [contenteditable="true"]')) return true;
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
}

/** What one letter does on this screen. */
export function useLetterKey(letter: string, act: () => void) {
  const letters = usePrefs((prefs) => prefs.letterKeys);
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (!letters || event.key !== letter || inChord() || isBusy(event)) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => pressed(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}
