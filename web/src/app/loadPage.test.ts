// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadPatiently } from './loadPage';

describe('a piece that may come late', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is asked for again, ever more slowly, until it is there', async () => {
    const load = vi.fn(async () => 'banner').mockRejectedValueOnce(new Error('no net'));
    load.mockRejectedValueOnce(new Error('no net'));
    const piece = loadPatiently(load);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(load).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(load).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1);
    await expect(piece).resolves.toBe('banner');
  });

  test('is asked for at once when the connection is back', async () => {
    const load = vi.fn(async () => 'banner').mockRejectedValueOnce(new Error('no net'));
    const piece = loadPatiently(load);
    await vi.advanceTimersByTimeAsync(0);
    dispatchEvent(new Event('online'));
    await expect(piece).resolves.toBe('banner');
    expect(load).toHaveBeenCalledTimes(2);
  });
});
