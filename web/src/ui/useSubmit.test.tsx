// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ApiError } from '@/api/problem';
import { useSubmit } from './useSubmit';

/** A call that is answered when the test says so. */
function call() {
  const keys: string[] = [];
  let settle: { done: (answer: string) => void; fail: (error: Error) => void } | null = null;
  const send = vi.fn(
    (_: string, key: string) =>
      new Promise<string>((done, fail) => {
        keys.push(key);
        settle = { done, fail };
      }),
  );
  return { send, keys, answer: () => settle?.done('made'), fail: (error: Error) => settle?.fail(error) };
}

test('a second press is nobody’s order, and the lock opens with the screen', async () => {
  const { send, answer, keys } = call();
  const done = vi.fn();
  const { result } = renderHook(() => useSubmit(send, done));
  let first: Promise<boolean> = Promise.resolve(false);
  await act(async () => {
    first = result.current.run('a');
    expect(await result.current.run('a')).toBe(false);
  });
  expect(result.current.busy).toBe(true);
  await act(async () => {
    answer();
    expect(await first).toBe(true);
    // Answered, but the screen still shows the old form.
    expect(await result.current.run('a')).toBe(false);
  });
  expect(result.current.busy).toBe(false);
  expect(done).toHaveBeenCalledExactlyOnceWith('made', 'a');
  await act(async () => {
    const second = result.current.run('b');
    answer();
    expect(await second).toBe(true);
  });
  expect(keys).toHaveLength(2);
  expect(keys[1]).not.toBe(keys[0]);
});

test('what was not answered keeps its key; other fields are another order', async () => {
  const { send, fail, keys } = call();
  const failed = vi.fn();
  const { result } = renderHook(() => useSubmit(send, undefined, failed));
  const attempt = () =>
    act(async () => {
      const run = result.current.run('a');
      fail(new ApiError(0, { code: 'network', errors: { value: ['Sem resposta.'] } }));
      expect(await run).toBe(false);
    });
  await attempt();
  expect(result.current.field('value')).toBe('Sem resposta.');
  expect(failed).toHaveBeenCalledTimes(1);
  act(() => result.current.clear());
  expect(result.current.failure).toBeNull();
  await attempt();
  act(() => result.current.changed());
  await attempt();
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});
