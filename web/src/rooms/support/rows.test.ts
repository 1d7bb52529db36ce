import { describe, expect, it } from 'vitest';
import type { Message } from './conversation';
import type { Pending } from './outbox';
import { type Given, placeOf, rowsOf } from './rows';
import { timeline } from './timeline';

const message = (number: number, more: Partial<Message> = {}): Message => ({
  _id: `id${number}`,
  ticket: 't',
  number,
  author: 'ana',
  authorName: 'Ana',
  side: 'customer',
  text: `texto ${number}`,
  attachment: null,
  edited: false,
  deleted: false,
  clientId: null,
  created_at: new Date(Date.UTC(2026, 10, 20, 12, number)).toISOString(),
  ...more,
});
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => message(from + index));
const pending = (clientId: string): Pending => ({
  clientId,
  text: clientId,
  file: null,
  lost: null,
  at: '2026-11-20T13:00:00Z',
  state: 'waiting',
  error: null,
  agreed: false,
});
const rows = (messages: readonly Message[], more: Partial<Given> = {}) =>
  rowsOf({
    entries: timeline(messages, [], more.hasOlder ?? false),
    pending: [],
    me: 'bia',
    hasOlder: false,
    began: new Set(),
    unread: null,
    day: (at) => at.slice(0, 10),
    ...more,
  });
const keys = (...given: Parameters<typeof rows>) => rows(...given).map(({ key }) => key);

describe('the rows of a conversation', () => {
  it('have a line above each day, and none of which nobody knows whether it begins there', () => {
    const messages = [message(1), message(2, { created_at: '2026-11-21T01:00:00Z' })];
    expect(keys(messages)).toEqual(['day:m1', 'm1', 'day:m2', 'm2']);
    expect(keys(messages, { hasOlder: true })).toEqual(['m1', 'day:m2', 'm2']);
  });

  it('keep their keys and their heights when earlier ones come', () => {
    const before = rows(range(51, 60), { hasOlder: true, began: new Set([51]) });
    const after = rows(range(1, 60), { began: new Set([51, 1]) });
    expect(after.slice(-before.length)).toEqual(before);
  });

  it('name the author of a run once', () => {
    const messages = [message(1), message(2), message(3, { author: 'bia' }), message(4, { author: 'bia' })];
    const first = rows(messages).flatMap((row) => (row.kind === 'message' ? [row.first] : []));
    expect(first).toEqual([true, false, true, false]);
  });

  it('say where reading goes on', () => {
    const shown = rows(range(1, 3), { unread: 2 });
    expect(shown.map(({ key }) => key)).toEqual(['day:m1', 'm1', 'unread', 'm2', 'm3']);
    expect(shown[3]).toMatchObject({ kind: 'message', first: true });
  });

  it('show what is on its way as one row, before and after it has arrived', () => {
    const sent = message(2, { author: 'bia', clientId: 'c1' });
    expect(keys([message(1)], { pending: [pending('c1'), pending('c2')] }).slice(-2)).toEqual(['c1', 'c2']);
    expect(keys([message(1), sent], { pending: [pending('c2')] }).slice(-2)).toEqual(['c1', 'c2']);
    // Known to have arrived while it still waits for the answer: once.
    expect(keys([message(1), sent], { pending: [pending('c1')] }).slice(-2)).toEqual(['m1', 'c1']);
  });

  it('are found by the number of a message', () => {
    expect(placeOf(rows(range(1, 20)), 7)).toBe(7);
    expect(placeOf(rows(range(5, 20)), 3)).toBe(-1);
  });

  it('are many without asking for the day of each', () => {
    let asked = 0;
    const day = (at: string) => {
      asked += 1;
      return at.slice(0, 10);
    };
    const many = Array.from({ length: 10_000 }, (_, index) =>
      message(index + 1, { created_at: new Date(Date.UTC(2026, 10, 1) + index * 60_000).toISOString() }),
    );
    expect(rows(many, { day }).filter(({ kind }) => kind === 'message')).toHaveLength(10_000);
    expect(asked).toBeLessThan(700);
  });
});
