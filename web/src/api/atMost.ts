/** Work that comes in numbers, such as the faces of a long list: so much of it at once, the rest in the order in which it came. Whoever is no
 *  longer wanted when its turn comes gives it on. */
export function atMost(most: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  const done = () => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    if (running < most) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      done();
    }
  };
}
