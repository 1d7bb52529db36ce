/** What a conversation shows, line by line, as its list draws it: pure. */
import type { Double, Message } from './conversation';
import type { Note } from './desk';
import type { Pending } from './outbox';
import { type Entry, writtenAt } from './timeline';

export type Row = { key: string } & (
  | { kind: 'day'; name: string }
  | { kind: 'unread' }
  | { kind: 'note'; note: Note }
  | { kind: 'earlier'; from: Double }
  | { kind: 'double'; message: Message; from: Double }
  /** `first`: of a run by one author, carries the name. */
  | { kind: 'message'; message: Message; first: boolean }
  | { kind: 'pending'; pending: Pending }
);

export interface Given {
  entries: readonly Entry[];
  pending: readonly Pending[];
  me: string | undefined;
  /** There are earlier ones that are not here. */
  hasOlder: boolean;
  /** Messages that were the first of those that were here: they keep their name when earlier ones of their author come, so that nothing moves. */
  began: ReadonlySet<number>;
  /** Before which message reading goes on. */
  unread: number | null;
  day: (at: string) => string;
}

/** Of what is on its way too: it stays one row when it has arrived. */
const keyOf = (message: Message, me: string | undefined) =>
  message.author === me && message.clientId ? message.clientId : `m${message.number}`;

export function rowsOf({ entries, pending, me, hasOlder, began, unread, day }: Given): Row[] {
  const rows: Row[] = [];
  const dayOf = remembered(day);
  let today: string | null = null;
  let author: string | null = null;
  const add = (entry: Entry, row: Row) => {
    const name = dayOf(writtenAt(entry));
    // Above the first one nobody knows yet whether its day begins with it.
    if (name !== today && !(today === null && hasOlder))
      rows.push({ kind: 'day', key: `day:${row.key}`, name });
    today = name;
    rows.push(row);
  };
  for (const entry of entries) {
    if (entry.kind !== 'message') author = null;
    switch (entry.kind) {
      case 'note':
        add(entry, { kind: 'note', key: entry.note._id, note: entry.note });
        break;
      case 'earlier':
        add(entry, { kind: 'earlier', key: `earlier:${entry.from._id}`, from: entry.from });
        break;
      case 'double':
        add(entry, { kind: 'double', key: entry.message._id, message: entry.message, from: entry.from });
        break;
      case 'message': {
        const { message } = entry;
        const before = rows.length;
        const row: Row = { kind: 'message', key: keyOf(message, me), message, first: true };
        add(entry, row);
        const begins = rows.length - before > 1 || message.number === unread || began.has(message.number);
        row.first = begins || author !== message.author;
        if (message.number === unread) rows.splice(-1, 0, { kind: 'unread', key: 'unread' });
        author = message.author;
      }
    }
  }
  const arrived = new Set(rows.slice(-4 * pending.length - 100).map(({ key }) => key));
  for (const one of pending)
    if (!arrived.has(one.clientId)) rows.push({ kind: 'pending', key: one.clientId, pending: one });
  return rows;
}

/** A day begins at a full quarter of an hour by every clock: what was asked of one quarter holds for all of it. */
function remembered(day: (at: string) => string): (at: string) => string {
  const known = new Map<number, string>();
  return (at) => {
    const quarter = Math.floor(Date.parse(at) / 900_000);
    const name = known.get(quarter) ?? day(at);
    known.set(quarter, name);
    return name;
  };
}

/** Where a message stands; -1 where it is not here. */
export const placeOf = (rows: readonly Row[], number: number): number =>
  rows.findIndex((row) => row.kind === 'message' && row.message.number === number);

/** About how high a row is, until it is drawn. */
export const ESTIMATES: Readonly<Record<Row['kind'], number>> = {
  day: 42,
  unread: 42,
  note: 84,
  earlier: 30,
  double: 92,
  message: 66,
  pending: 92,
};
