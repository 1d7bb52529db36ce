import { expect, test } from 'vitest';
import type { Message } from './conversation';
import type { Note } from './desk';
import { type Entry, timeline } from './timeline';

const minute = (at: number) => new Date(Date.UTC(2026, 10, 20, 12, at)).toISOString();
const message = (number: number, at: number): Message => ({
  _id: `m${number}`,
  ticket: 't',
  number,
  author: 'a',
  authorName: 'Ana',
  side: 'customer',
  text: '',
  attachment: null,
  edited: false,
  deleted: false,
  clientId: null,
  created_at: minute(at),
});
const note = (number: number, at: number): Note => ({
  _id: `n${number}`,
  number,
  author: { _id: 'b', name: 'Bia' },
  text: '',
  created_at: minute(at),
});
const name = (entry: Entry) =>
  entry.kind === 'note'
    ? entry.note._id
    : entry.kind === 'earlier'
      ? `before ${entry.from._id}`
      : entry.message._id;
const names = (...given: Parameters<typeof timeline>) => timeline(...given).map(name);

test('notes stand where they were written', () => {
  const messages = [message(1, 0), message(2, 10)];
  expect(names(messages, [note(1, 5), note(2, 10), note(3, 20)], false)).toEqual([
    'm1',
    'n1',
    'm2',
    'n2',
    'n3',
  ]);
  expect(names([], [note(1, 5)], false)).toEqual(['n1']);
});

test('what is older than the first message waits for the earlier ones', () => {
  const messages = [message(51, 10)];
  expect(names(messages, [note(1, 5), note(2, 15)], true)).toEqual(['m51', 'n2']);
  expect(names(messages, [note(1, 5), note(2, 15)], false)).toEqual(['n1', 'm51', 'n2']);
});

test('messages keep the order of their numbers', () => {
  expect(names([message(1, 10), message(2, 9)], [note(1, 9)], false)).toEqual(['n1', 'm1', 'm2']);
});

test('messages of doubles stand among the others as they were written', () => {
  const from = (id: string, given: readonly Message[]) => ({
    _id: id,
    number: 7,
    messages: given.map((one) => ({ ...one, _id: `${id}${one._id}`, ticket: id })),
    hasOlder: false,
  });
  const doubles = [from('a', [message(1, 2), message(2, 6)]), from('b', [message(1, 4)])];
  const messages = [message(1, 0), message(2, 5)];
  expect(timeline(messages, [note(1, 3)], false, doubles).map((entry) => entry.kind)).toEqual([
    'message',
    'double',
    'note',
    'double',
    'message',
    'double',
  ]);
  // Earlier ones of a double wait as well.
  const late = timeline([message(51, 5)], [], true, doubles);
  expect(late.map(name)).toEqual(['m51', 'am2']);
  // Of which there are earlier ones, that stands before the first, once that one is shown.
  const long = { ...from('a', [message(101, 2), message(102, 6)]), hasOlder: true };
  expect(names(messages, [], false, [long])).toEqual(['m1', 'before a', 'am101', 'm2', 'am102']);
  expect(names([message(51, 5)], [], true, [long])).toEqual(['m51', 'am102']);
});
