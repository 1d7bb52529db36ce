import { expect, test } from 'vitest';
import { nextWaiting } from './nextWaiting';

const waiting = ['a', 'b', 'c'].map((_id) => ({ _id }));
const nobody = new Map<string, string>();

test('goes down the list, and from its top again', () => {
  expect(['a', 'b', 'c'].map((id) => nextWaiting(waiting, id, nobody))).toEqual(['b', 'c', 'a']);
});

test('after one that waits no more comes who waits longest', () => {
  expect(nextWaiting(waiting, 'answered', nobody)).toBe('a');
});

test('passes over what a colleague looks at, while there is another', () => {
  expect(nextWaiting(waiting, 'a', new Map([['b', 'Bia']]))).toBe('c');
  const all = new Map(['b', 'c'].map((id) => [id, 'Bia']));
  expect(nextWaiting(waiting, 'a', all)).toBe('b');
});

test('knows none where nobody else waits', () => {
  expect(nextWaiting([], 'a', nobody)).toBeNull();
  expect(nextWaiting([{ _id: 'a' }], 'a', nobody)).toBeNull();
});
