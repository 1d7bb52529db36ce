import { useState } from 'react';

/** A piece of the program that is fetched when it is first needed. One that does not come takes nothing down with it, as the boundary of a
 *  screen would, and nothing that was typed there: whoever asked says so where they stand, and asks again. `load` stays the same. */
export function usePiece<T>(load: () => Promise<T>) {
  const [piece, setPiece] = useState<T | null>(null);
  const [failed, setFailed] = useState(false);
  const fetch = () => {
    setFailed(false);
    if (piece !== null) return;
    load().then(
      (come) => setPiece(() => come),
      () => setFailed(true),
    );
  };
  return { piece, failed, fetch };
}
