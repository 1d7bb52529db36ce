/** What bookings change is asked for anew when facts tell of them: a few times a minute at most, however many come. */
import { useEffect, useEffectEvent } from 'react';
import { burst } from './burst';
import { onLive } from './live';

const PAUSE_MS = 15_000;

export function useBookings(ask: () => unknown) {
  const latest = useEffectEvent(ask);
  useEffect(() => {
    const { soon, stop } = burst(PAUSE_MS, () => latest());
    const stops = [onLive('robots.settled', soon), onLive('balance.changed', soon), stop];
    return () => {
      for (const end of stops) end();
    };
  }, []);
}
