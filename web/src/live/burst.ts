/** A burst is one question: asked so long after its first word, however many follow until then. */
export function burst(ms: number, ask: () => unknown) {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  return {
    soon: () => {
      waiting ??= setTimeout(() => {
        waiting = undefined;
        ask();
      }, ms);
    },
    stop: () => {
      clearTimeout(waiting);
      waiting = undefined;
    },
  };
}
