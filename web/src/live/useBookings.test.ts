// @vitest-environment jsdom
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dispatch } from './live';
import type { LiveEvent } from './protocol';
import { useBookings } from './useBookings';

const META = { stream: 'user:u', epoch: 1, seq: 1, at: '2026-11-24T12:00:00Z' };
const booked = (kind: string) => dispatch({ kind } as LiveEvent, META);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('many facts are one question, the next facts another one, and none is left of a screen that is gone', () => {
  const first = vi.fn();
  const second = vi.fn();
  const { rerender, unmount } = renderHook(({ ask }) => useBookings(ask), { initialProps: { ask: first } });
  vi.advanceTimersByTime(60_000);
  expect(first).not.toHaveBeenCalled();
  for (let n = 0; n < 40; n++) {
    booked(n % 2 ? 'robots.settled' : 'balance.changed');
    vi.advanceTimersByTime(100);
  }
  booked('user.changed');
  expect(first).not.toHaveBeenCalled();
  // Another answer is shown meanwhile: it is that which is asked for anew.
  rerender({ ask: second });
  vi.advanceTimersByTime(15_000);
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(60_000);
  expect(second).toHaveBeenCalledTimes(1);
  booked('robots.settled');
  vi.advanceTimersByTime(15_000);
  expect(second).toHaveBeenCalledTimes(2);
  booked('robots.settled');
  unmount();
  vi.advanceTimersByTime(60_000);
  expect(second).toHaveBeenCalledTimes(2);
});
