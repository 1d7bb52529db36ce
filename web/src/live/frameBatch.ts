/** Collects values and hands them over once per animation frame; a hidden tab, which has no frames, gets them on a timer. */
export function createFrameBatch<T>(flush: (batch: T[]) => void) {
  let queue: T[] = [];
  let scheduled = false;
  const run = () => {
    scheduled = false;
    const batch = queue;
    queue = [];
    flush(batch);
  };
  return (value: T) => {
    queue.push(value);
    if (scheduled) return;
    scheduled = true;
    if (document.visibilityState === 'hidden') setTimeout(run, 1000);
    else requestAnimationFrame(run);
  };
}
