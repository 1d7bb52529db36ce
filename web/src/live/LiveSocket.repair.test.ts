/** What the socket does about answers that never come, come twice or are not for it. */
import { expect, test, vi } from 'vitest';
import {
  connect,
  follow,
  onTheWire,
  open,
  seen,
  server,
  settle,
  subscribed,
  until,
} from '@/testing/liveServer';

onTheWire();

test('online while a try is under way: should that one fail, the next comes soon', async () => {
  const tries: { onclose: (event: { code: number }) => void }[] = [];
  class Vain {
    onclose = (_: { code: number }) => {};
    constructor() {
      tries.push(this);
    }
    close() {}
  }
  vi.stubGlobal('WebSocket', Vain);
  const live = connect({ baseDelayMs: 100 });
  const fail = () => tries.at(-1)?.onclose({ code: 1006 });
  for (let failed = 0; failed < 10; failed++) {
    fail();
    await vi.runOnlyPendingTimersAsync();
  }
  live.hurry();
  const before = tries.length;
  fail();
  await vi.advanceTimersByTimeAsync(100);
  expect(tries.length).toBe(before + 1);
  live.stop();
});

test('a subscribe that nobody answers is asked again', async () => {
  let lost = true;
  server.onSubscribe = () => {
    if (!lost) return true;
    lost = false;
    return false;
  };
  const reset = vi.fn();
  const live = connect({ answerMs: 60 });
  follow(live, reset);
  await subscribed(2);
  await until(() => expect(reset).toHaveBeenCalledTimes(1));
  server.fact();
  await until(() => expect(seen).toEqual([1]));
  await settle(150);
  expect(server.asked().length).toBe(2);
});

test('a server that could not do something is asked again soon, then ever more slowly', async () => {
  let refusals = 3;
  const times: number[] = [];
  server.onSubscribe = (peer) => {
    times.push(Date.now());
    if (refusals-- <= 0) return true;
    server.send({ type: 'error', code: 'service.unavailable' }, peer);
    return false;
  };
  const live = connect({ answerMs: 60_000, busyMs: 40 });
  follow(live);
  await subscribed(4);
  server.fact();
  await until(() => expect(seen).toEqual([1]));
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(waits[2]).toBeGreaterThan(waits[0] ?? 0);
});

test('an answer above our place, with nothing replayed, is a new beginning', async () => {
  const live = connect();
  await open(live);
  server.onSubscribe = (peer, message) => {
    server.answer(peer, message);
    // Told to nobody who has left meanwhile.
    server.fact('f', false);
    return false;
  };
  const reset = vi.fn();
  // The first listener leaves before its answer comes; the second one takes that answer for its own.
  follow(live)();
  follow(live, reset);
  await until(() => expect(reset).toHaveBeenCalledTimes(2));
  server.onSubscribe = null;
  server.fact('f', false);
  server.tell(2);
  server.tell(3);
  await until(() => expect(seen).toEqual([2, 3]));
  expect(server.asked().length).toBe(2);
});

test('an answer that comes twice is no new beginning', async () => {
  const live = connect();
  const reset = vi.fn();
  follow(live, reset);
  await until(() => expect(reset).toHaveBeenCalledTimes(1));
  server.fact();
  await until(() => expect(seen).toEqual([1]));
  server.send({ type: 'subscribed', stream: 's', epoch: 1, seq: 0 });
  server.send({ type: 'subscribed', stream: 's', epoch: 1, seq: 1 });
  server.fact();
  await until(() => expect(seen).toEqual([1, 2]));
  expect(reset).toHaveBeenCalledTimes(1);
});

test('denied for a word that came before the subscribe: the stream stays followed', async () => {
  const live = connect();
  server.onSubscribe = (peer, message) => {
    server.send({ type: 'denied', stream: 's' }, peer);
    server.answer(peer, message);
    return false;
  };
  follow(live);
  await subscribed();
  server.fact();
  await until(() => expect(seen).toEqual([1]));
  server.onSubscribe = null;
  // Nothing was asked: the server does not have us on the stream any more.
  server.send({ type: 'denied', stream: 's' });
  await subscribed(2);
  server.peer.terminate();
  server.fact('f', false);
  await until(() => expect(seen).toEqual([1, 2]));
});
