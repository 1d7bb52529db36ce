import { useEffect, useState } from 'react';

/** The time of now, renewed every `everyMs`; components that show an age or a countdown share nothing else. */
export function useNow(everyMs = 1000, clock: () => number = Date.now): number {
  const [now, setNow] = useState(clock);
  useEffect(() => {
    const timer = setInterval(() => setNow(clock()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, clock]);
  return now;
}
