// @vitest-environment node

/** Streams that begin at the same moment catch up together, and what is read waits for their numbers. */
import { expect, test, vi } from 'vitest';
import { connect, onTheWire, open, server, settle, until } from '@/testing/liveServer';
import type { LiveSocket } from './LiveSocket';

onTheWire();

const follow = (live: LiveSocket, name: string, reset: (streams: ReadonlySet<string>) => unknown) =>
  live.subscribe(name, { event: () => {}, reset });
const told = (reset: ReturnType<typeof vi.fn>) => reset.mock.calls.map(([names]) => [...names].sort());

test('one catch-up for a connection: a function that several streams have is called once, with their names', async () => {
  const live = connect();
  const all = vi.fn();
  const own = vi.fn();
  for (const name of ['a', 'b', 'c']) follow(live, name, all);
  follow(live, 'b', own);
  await until(() => expect(all).toHaveBeenCalled());
  await settle();
  expect(told(all)).toEqual([['a', 'b', 'c']]);
  expect(told(own)).toEqual([['a', 'b', 'c']]);
});

test('an answer that does not come holds the others up for a moment only; late it comes by itself', async () => {
  const live = connect({ gatherMs: 50, answerMs: 60_000 });
  const all = vi.fn();
  server.onSubscribe = (_, { stream }) => stream !== 'b';
  for (const name of ['a', 'b', 'c']) follow(live, name, all);
  await until(() => expect(told(all)).toEqual([['a', 'c']]));
  server.answer(server.peer, { op: 'subscribe', stream: 'b', epoch: null, seq: null });
  await until(() => expect(told(all)).toEqual([['a', 'c'], ['b']]));
});

test('who falls behind while others catch up comes with the next one', async () => {
  const live = connect();
  let finish = () => {};
  const all = vi.fn(
    (_: ReadonlySet<string>) =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  for (const name of ['a', 'b', 'c']) follow(live, name, all);
  await until(() => expect(all).toHaveBeenCalledTimes(1));
  for (const stream of ['a', 'b', 'c']) server.send({ type: 'reset', stream, epoch: 2, seq: 0 });
  await settle();
  expect(all).toHaveBeenCalledTimes(1);
  finish();
  await until(() =>
    expect(told(all)).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]),
  );
});

test('numbers are waited for until all are there, and not where they do not come', async () => {
  const live = connect();
  expect(live.numbered()).toBeNull();
  const waiting: (() => void)[] = [];
  server.onSubscribe = (peer, message) => {
    waiting.push(() => server.answer(peer, message));
    return false;
  };
  for (const name of ['a', 'b']) follow(live, name, () => {});
  let there = false;
  void live.numbered()?.then(() => {
    there = true;
  });
  await open(live);
  await until(() => expect(waiting).toHaveLength(2));
  waiting[0]?.();
  await settle();
  expect(there).toBe(false);
  waiting[1]?.();
  await until(() => expect(there).toBe(true));
  expect(live.numbered()).toBeNull();
  // One more stream, and then the wire breaks.
  follow(live, 'c', () => {});
  let over = false;
  void live.numbered()?.then(() => {
    over = true;
  });
  await settle();
  expect(over).toBe(false);
  server.peer.terminate();
  await until(() => expect(over).toBe(true));
});
