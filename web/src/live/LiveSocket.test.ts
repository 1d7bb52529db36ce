import { expect, test, vi } from 'vitest';
import {
  connect,
  follow,
  onTheWire,
  open,
  seen,
  server,
  settle,
  states,
  subscribed,
  until,
} from '@/testing/liveServer';
import { LiveSocket } from './LiveSocket';

onTheWire();

test('speaks its token first, then asks for its streams and topics', async () => {
  const live = connect();
  follow(live);
  live.watch('desk');
  await subscribed();
  expect(server.heard.map(({ op }) => op)).toEqual(['auth', 'watch', 'subscribe']);
  expect(server.asked()[0]).toEqual({ op: 'subscribe', stream: 's', epoch: null, seq: null });
  expect(states).toEqual(['connecting', 'open']);
});

test('resumes after a cut from the last number, every fact once and in order', async () => {
  const live = connect();
  follow(live);
  await subscribed();
  server.fact();
  server.fact();
  await until(() => expect(seen).toEqual([1, 2]));
  server.peer.terminate();
  server.fact('f', false);
  server.fact('f', false);
  await until(() => expect(seen).toEqual([1, 2, 3, 4]));
  expect(server.asked()[1]).toEqual({ op: 'subscribe', stream: 's', epoch: 1, seq: 2 });
  expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open']);
});

test('a gap is asked for once, however much arrives before the answer', async () => {
  const live = connect();
  follow(live);
  await subscribed();
  server.fact();
  await until(() => expect(seen).toEqual([1]));
  server.onSubscribe = (peer, message) => {
    setTimeout(() => server.answer(peer, message), 60);
    return false;
  };
  server.fact('f', false);
  for (let burst = 0; burst < 20; burst++) server.fact();
  await until(() => expect(seen.length).toBe(22));
  expect(seen).toEqual(Array.from({ length: 22 }, (_, index) => index + 1));
  expect(server.asked().length).toBe(2);
  expect(server.asked()[1]).toMatchObject({ seq: 1 });
});

test('a repeated fact does nothing', async () => {
  const live = connect();
  follow(live);
  await subscribed();
  server.fact();
  server.tell(1);
  server.tell(1);
  server.fact();
  await until(() => expect(seen).toEqual([1, 2]));
});

test('after a reset listeners refetch first; only newer facts are applied, and only then', async () => {
  const live = connect();
  let refetched = 0;
  let finish = () => {};
  follow(live, () => {
    refetched++;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  await until(() => expect(refetched).toBe(1));
  finish();
  server.fact();
  await until(() => expect(seen).toEqual([1]));

  for (let missed = 0; missed < 5; missed++) server.fact('f', false);
  server.oldest = 6;
  server.peer.terminate();
  await until(() => expect(refetched).toBe(2));
  server.tell(6);
  server.fact();
  await settle();
  expect(seen).toEqual([1]);
  finish();
  await until(() => expect(seen).toEqual([1, 7]));
});

test('a first number makes listeners refetch, for what they loaded before may be older', async () => {
  const live = connect();
  server.facts = [
    { seq: 1, kind: 'f' },
    { seq: 2, kind: 'f' },
  ];
  const reset = vi.fn();
  follow(live, reset);
  await until(() => expect(reset).toHaveBeenCalledTimes(1));
  server.fact();
  await until(() => expect(seen).toEqual([3]));
});

test('another epoch is never mixed with the one we hold', async () => {
  const live = connect();
  const reset = vi.fn();
  follow(live, reset);
  await subscribed();
  server.fact();
  await until(() => expect(seen).toEqual([1]));
  server.epoch = 2;
  server.facts = [];
  server.fact();
  await until(() => expect(reset).toHaveBeenCalledTimes(2));
  server.fact();
  await until(() => expect(seen).toEqual([1, 2]));
});

test('a heartbeat with a higher number than ours is a gap', async () => {
  const alive = vi.fn();
  const live = connect({ onAlive: alive });
  follow(live);
  await subscribed();
  server.fact();
  await until(() => expect(seen).toEqual([1]));
  server.send({ type: 'heartbeat', hb: { s: 1 } });
  await until(() => expect(alive).toHaveBeenCalled());
  expect(server.asked().length).toBe(1);
  server.fact('f', false);
  server.send({ type: 'heartbeat', hb: { s: 2, other: 9 } });
  await until(() => expect(seen).toEqual([1, 2]));
});

test('silence means dead, though the connection looks open', async () => {
  const live = connect({ silenceMs: 80 });
  follow(live);
  await open(live);
  await until(() => expect(server.peers.length).toBe(2));
  await open(live);
});

test('4001: a new token, then back', async () => {
  let token = 'old';
  const renew = vi.fn(async () => {
    token = 't1';
  });
  const live = connect({ token: () => token, renew });
  await open(live);
  expect(renew).toHaveBeenCalledTimes(1);
  expect(server.heard.map((message) => message.op === 'auth' && message.token)).toEqual(['old', 't1']);
});

test('4001 again and again is not a tight loop', async () => {
  server.goodTokens.clear();
  const renew = vi.fn(() => Promise.resolve());
  connect({ renew, baseDelayMs: 40 });
  await settle(300);
  expect(renew.mock.calls.length).toBeLessThan(6);
});

test('a renewal that is refused for good ends the session', async () => {
  server.goodTokens.clear();
  const onRevoked = vi.fn();
  const live = connect({ renew: () => Promise.reject(new Error('401')), isFinal: () => true, onRevoked });
  await until(() => expect(onRevoked).toHaveBeenCalledTimes(1));
  expect(live.state).toBe('idle');
});

test('4002: signed out, no way back', async () => {
  const onRevoked = vi.fn();
  const live = connect({ onRevoked });
  await open(live);
  server.peer.close(4002, 'revoked');
  await until(() => expect(onRevoked).toHaveBeenCalledTimes(1));
  await settle(80);
  expect(server.peers.length).toBe(1);
  expect(live.state).toBe('idle');
});

test('4003: the profile first, then back, and a refused stream is asked for again', async () => {
  let refuse = true;
  server.onSubscribe = (peer, { stream }) => {
    if (refuse) server.send({ type: 'denied', stream }, peer);
    return !refuse;
  };
  const onScopeChanged = vi.fn(() => Promise.resolve());
  const live = connect({ onScopeChanged });
  follow(live);
  await subscribed();
  await settle();
  server.send({ type: 'heartbeat', hb: { s: 5 } });
  await settle();
  expect(server.asked().length).toBe(1);
  refuse = false;
  server.peer.close(4003, 'scope changed');
  await subscribed(2);
  expect(onScopeChanged).toHaveBeenCalledTimes(1);
});

test('4004: slow, so it comes back and resumes', async () => {
  const live = connect();
  follow(live);
  await subscribed();
  server.fact();
  await until(() => expect(seen).toEqual([1]));
  server.peer.close(4004, 'slow');
  server.fact('f', false);
  await until(() => expect(seen).toEqual([1, 2]));
});

test('4005: backs off', async () => {
  const live = connect({ backOffMs: 150 });
  await open(live);
  const before = Date.now();
  server.peer.close(4005, 'too many');
  await until(() => expect(server.peers.length).toBe(2));
  expect(Date.now() - before).toBeGreaterThanOrEqual(150);
});

test('a drain is left within its window, and nothing is lost', async () => {
  const live = connect();
  follow(live);
  await subscribed();
  server.fact();
  await until(() => expect(seen).toEqual([1]));
  server.send({ type: 'drain', withinMs: 50 });
  server.fact();
  await until(() => expect(server.peers.length).toBe(2));
  server.fact();
  await until(() => expect(seen).toEqual([1, 2, 3]));
});

test('a renewed token goes in band, without a reconnect', async () => {
  const live = connect();
  await open(live);
  live.renewed('t2');
  await until(() => expect(server.heard.at(-1)).toEqual({ op: 'refresh', token: 't2' }));
  expect(server.peers.length).toBe(1);
});

test('offline cuts at once, online does not sit out the wait', async () => {
  const live = connect({ baseDelayMs: 60_000 });
  await open(live);
  live.cut();
  expect(live.state).toBe('waiting');
  live.hurry();
  await open(live);
  expect(server.peers.length).toBe(2);
});

test('waits grow and are drawn from the whole range', async () => {
  const waits: number[] = [];
  const spy = vi.spyOn(globalThis, 'setTimeout');
  const live = new LiveSocket({
    url: () => 'not a url',
    token: () => 't',
    renew: () => Promise.resolve(),
    random: () => 0.5,
    baseDelayMs: 100,
    maxDelayMs: 1_000,
  });
  live.start();
  for (let round = 0; round < 6; round++) {
    waits.push(Number(spy.mock.calls.at(-1)?.[1]));
    await vi.runOnlyPendingTimersAsync();
  }
  live.stop();
  expect(waits).toEqual([50, 100, 200, 400, 500, 500]);
});

test('one broken listener does not cost the others their facts', async () => {
  const thrown: unknown[] = [];
  const catchIt = (error: unknown) => thrown.push(error);
  process.on('uncaughtException', catchIt);
  const live = connect();
  live.subscribe('s', {
    event: () => {
      throw new Error('broken');
    },
  });
  follow(live);
  await subscribed();
  server.fact();
  server.fact();
  await until(() => expect(seen).toEqual([1, 2]));
  process.off('uncaughtException', catchIt);
});

test('leaves a stream when its last listener does, and a topic when nobody watches', async () => {
  const live = connect();
  const first = follow(live);
  const second = follow(live);
  const unwatch = [live.watch('desk'), live.watch('desk')];
  await subscribed();
  first();
  unwatch[0]?.();
  await settle();
  expect(server.heard.some(({ op }) => op === 'unsubscribe' || op === 'unwatch')).toBe(false);
  second();
  unwatch[1]?.();
  await until(() => expect(server.heard.at(-1)).toEqual({ op: 'unwatch', topic: 'desk' }));
  expect(server.heard.filter(({ op }) => op === 'unsubscribe').length).toBe(1);
});

test('hands glimpses over as they come, and frames that are no JSON to nobody', async () => {
  const live = connect();
  const keys: string[] = [];
  live.onGlimpse((key) => keys.push(key));
  await open(live);
  server.peer.send('{');
  server.send({
    type: 'glimpse',
    key: 'quote:a',
    glimpse: { kind: 'quote', venue: 'a', symbol: 'b', bid: '1', ask: '2' },
  });
  await until(() => expect(keys).toEqual(['quote:a']));
});
