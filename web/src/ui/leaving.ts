/** The router lets one party ask before a navigation. This is that party, for the whole shell: what lies over the page is closed by the
 *  browser's Back, as by Escape, and whoever has something unsaved is asked after that. Where there is no shell, what lies over a page
 *  is that party itself, as long as it does (`BackCloses`). */
import { createElement, useEffect, useEffectEvent, useRef, useState } from 'react';
import { type Blocker, type BlockerFunction, useBlocker } from 'react-router';

interface Asking {
  stops: BlockerFunction;
  tell: (blocker: Blocker | null) => void;
}
const asking = new Set<Asking>();

const OVER = '[role="dialog"][aria-modal="true"]';

/** What closes on Escape closes; what does not, a dialog that must be answered, stays as it is. */
const pressEscape = () =>
  (document.activeElement ?? document.body).dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true }),
  );

let parties = 0;

/** Once, in the shell. `stays`: whether nothing may be left now. */
export function useLeaving(stays: () => boolean) {
  useEffect(() => {
    parties += 1;
    return () => {
      parties -= 1;
    };
  }, []);
  const who = useRef<Asking | null>(null);
  const blocker = useBlocker((move) => {
    const over = move.historyAction === 'POP' && document.querySelector(OVER) !== null;
    who.current = over || stays() ? null : ([...asking].find(({ stops }) => stops(move)) ?? null);
    return who.current !== null || over || stays();
  });
  const settle = useEffectEvent(() => {
    if (who.current) return who.current.tell(blocker);
    if (blocker.state !== 'blocked') return;
    if (!stays()) pressEscape();
    blocker.reset();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of state is answered once.
  useEffect(() => settle(), [blocker.state]);
}

function Party() {
  useLeaving(() => false);
  return null;
}

/** Within what lies over a page that may stand outside of the shell, while it does. */
export function BackCloses() {
  const [alone] = useState(() => parties === 0);
  return alone && createElement(Party);
}

/** The navigation that waits for an answer, if `stops` wants one asked for. */
export function useAskBeforeLeaving(stops: BlockerFunction): Blocker | null {
  const [blocker, tell] = useState<Blocker | null>(null);
  const latest = useEffectEvent(stops);
  useEffect(() => {
    const one: Asking = { stops: (move) => latest(move), tell };
    asking.add(one);
    return () => void asking.delete(one);
  }, []);
  return blocker;
}
