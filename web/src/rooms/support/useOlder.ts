/** Earlier messages: one page after the other as the reader comes near, one call at a time. What failed is asked for again by hand. */
import { useCallback, useRef, useState } from 'react';

export function useOlder(hasOlder: boolean, loadOlder: (downTo?: number) => Promise<void>) {
  const [older, setOlder] = useState<'still' | 'coming' | 'failed'>('still');
  const way = useRef<Promise<boolean> | null>(null);
  const load = useCallback(
    (downTo?: number): Promise<boolean> => {
      if (!hasOlder) return Promise.resolve(true);
      const ask = async () => {
        setOlder('coming');
        try {
          await loadOlder(downTo);
          setOlder('still');
          return true;
        } catch {
          setOlder('failed');
          return false;
        }
      };
      // A page that is on its way comes first; it may be all that is wanted.
      const after = way.current && downTo !== undefined ? way.current.then(ask) : (way.current ?? ask());
      const mine: Promise<boolean> = after.finally(() => {
        if (way.current === mine) way.current = null;
      });
      way.current = mine;
      return mine;
    },
    [hasOlder, loadOlder],
  );
  return {
    older,
    load,
    /** Near the beginning, of itself. */
    near: () => {
      if (hasOlder && older === 'still') void load();
    },
  };
}
