import { expect, test } from 'vitest';
import { nextWaiting } from './nextWaiting';

const waiting = ['a', 'b', 'c'].map((_id) => ({ _id }));
const nobody = () => false;
const withColleagues =
  (...ids: string[]) =>
  ({ _id }: { _id: string }) =>
    ids.includes(_id);

test('goes down the list, and from its top again', () => {
  expect(['a', 'b', 'c'].map((id) => nextWaiting(waiting, id, nobody))).toEqual(['b', 'c', 'a']);
});

test('after one that waits no more comes who waits longest', () => {
  expect(nextWaiting(waiting, 'answered', nobody)).toBe('a');
});

test('passes over what a colleague is at, while there is another', () => {
  expect(nextWaiting(waiting, 'a', withColleagues('b'))).toBe('c');
  expect(nextWaiting(waiting, 'a', withColleagues('b', 'c'))).toBe('b');
});

test('knows none where nobody else waits', () => {
  expect(nextWaiting([], 'a', nobody)).toBeNull();
  expect(nextWaiting([{ _id: 'a' }], 'a', nobody)).toBeNull();
});
