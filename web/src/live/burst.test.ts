// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { burst } from './burst';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a burst is one question, the next one another; none is left when it is stopped', () => {
  const ask = vi.fn();
  const { soon, stop } = burst(1_000, ask);
  for (let n = 0; n < 9; n++) {
    soon();
    vi.advanceTimersByTime(100);
  }
  expect(ask).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(ask).toHaveBeenCalledTimes(1);
  soon();
  stop();
  vi.advanceTimersByTime(9_000);
  expect(ask).toHaveBeenCalledTimes(1);
  soon();
  vi.advanceTimersByTime(1_000);
  expect(ask).toHaveBeenCalledTimes(2);
});
