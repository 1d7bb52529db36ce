/** Apart from the figures themselves (`lastFigures.ts`): whoever only signs in loads no more than how they are forgotten. */
export const FIGURES = 'arbora-last';

export function dropFigures() {
  try {
    localStorage.removeItem(FIGURES);
  } catch {
    // Nothing was kept.
  }
}
