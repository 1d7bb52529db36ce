/** Keeps a log at its end while the reader is there, counts what arrives below while they are not, and keeps their place when
 *  earlier messages come in above. */
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

const NEAR = 48;

export function useEnd(
  box: RefObject<HTMLElement | null>,
  first: number | undefined,
  last: number,
  tail: number,
) {
  const [atBottom, setAtBottom] = useState(true);
  const seen = useRef(last);
  const before = useRef({ first, height: 0 });
  const stick = useRef(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is in the log changed, that is when it may have to move.
  useLayoutEffect(() => {
    const log = box.current;
    if (!log) return;
    const { first: old, height } = before.current;
    if (stick.current) log.scrollTop = log.scrollHeight;
    else if (old !== undefined && first !== undefined && first < old)
      log.scrollTop += log.scrollHeight - height;
    before.current = { first, height: log.scrollHeight };
    if (stick.current) seen.current = last;
  }, [first, last, tail]);

  // Pictures and growing fields change heights without a message.
  useLayoutEffect(() => {
    const log = box.current;
    if (!log) return;
    const observer = new ResizeObserver(() => {
      if (stick.current) log.scrollTop = log.scrollHeight;
    });
    observer.observe(log);
    for (const child of log.children) observer.observe(child);
    return () => observer.disconnect();
  });

  return {
    atBottom,
    below: atBottom ? 0 : Math.max(0, last - seen.current),
    onScroll: () => {
      const log = box.current;
      if (!log) return;
      const near = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
      stick.current = near;
      before.current.height = log.scrollHeight;
      if (near) seen.current = last;
      setAtBottom(near);
    },
    toEnd: () => {
      const log = box.current;
      if (!log) return;
      stick.current = true;
      seen.current = last;
      setAtBottom(true);
      log.scrollTop = log.scrollHeight;
    },
  };
}
