/** Which of a face's small squares is shown. */
import type { Size } from '@/api/file';

const SQUARES = [32, 64, 128] as const;

/** The smallest that fills so many points of a screen of so many pixels a point; beyond the largest the picture itself. */
export function squareFor(points: number, pixels: number): Size | undefined {
  const square = SQUARES.find((side) => side >= Math.round(points * pixels));
  return square === undefined ? undefined : `${square}`;
}
