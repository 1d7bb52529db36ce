/** How today's result came to be what it is now, from the operations themselves: walked back from the present, nothing assumed.
 *  Numbers for drawing only. */

export interface Point {
  /** Seconds since the Unix epoch. */
  time: number;
  value: number;
}

/** A robot's newest operations of today, newest first. */
export interface Recent {
  today: number;
  orders: readonly { at: number; result: number }[];
  /** Older ones of today exist and are not known. */
  more: boolean;
}

/** Today's result after each known operation, oldest first. */
export function robotLine({ today, orders }: Recent): Point[] {
  const line: Point[] = [];
  let value = today;
  for (const { at, result } of orders) {
    line.push({ time: Math.floor(at / 1000), value });
    value -= result;
  }
  return line.reverse();
}

/** The same of all robots together, from where every one of them is known; `rest` is what the others brought. */
export function totalLine(robots: readonly Recent[], rest: number): Point[] {
  let from = 0;
  let total = rest;
  const steps: { at: number; result: number }[] = [];
  for (const { today, orders, more } of robots) {
    total += today;
    for (const step of orders) {
      total -= step.result;
      steps.push(step);
    }
    if (more) from = Math.max(from, orders.at(-1)?.at ?? Number.POSITIVE_INFINITY);
  }
  steps.sort((a, b) => a.at - b.at);
  const line: Point[] = [];
  for (const { at, result } of steps) {
    total += result;
    if (at < from) continue;
    const time = Math.floor(at / 1000);
    if (line.at(-1)?.time === time) line.pop();
    line.push({ time, value: total });
  }
  return line;
}
