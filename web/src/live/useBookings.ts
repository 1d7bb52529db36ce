/** What bookings change is asked for anew when facts tell of them: a few times a minute at most, however many come. */
import { useEffect, useEffectEvent } from 'react';
import { onLive } from './live';

const PAUSE_MS = 15_000;

export function useBookings(ask: () => unknown) {
  const latest = useEffectEvent(ask);
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      waiting ??= setTimeout(() => {
        waiting = undefined;
        latest();
      }, PAUSE_MS);
    };
    const stops = [onLive('robots.settled', soon), onLive('balance.changed', soon)];
    return () => {
      for (const stop of stops) stop();
      clearTimeout(waiting);
    };
  }, []);
}
