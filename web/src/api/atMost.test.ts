import { expect, test, vi } from 'vitest';
import { atMost } from './atMost';

/** Work that ends when it is told to. */
function pieces() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((end) => {
      begun.push(name);
      ends.set(name, () => end(name));
    });
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}

test('so many run at once, and the others in their order', async () => {
  const run = atMost(2);
  const { begun, work, end } = pieces();
  const all = ['a', 'b', 'c', 'd'].map((name) => run(work(name)));
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b']);
  end('b');
  await all[1];
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b', 'c']);
  end('a');
  end('c');
  await Promise.all([all[0], all[2]]);
  end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

test('who is no longer wanted and what fails give their turn on', async () => {
  const run = atMost(1);
  const { begun, work, end } = pieces();
  const stop = new AbortController();
  const first = run(async () => {
    await work('first')();
    throw new Error('it fails');
  });
  const gone = run(work('gone'), stop.signal);
  const last = run(work('last'));
  const settled = Promise.allSettled([first, gone, last]);
  stop.abort();
  end('first');
  await vi.waitFor(() => expect(begun).toEqual(['first', 'last']));
  end('last');
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
