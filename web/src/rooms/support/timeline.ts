/** Messages and internal notes in the order in which they were written: pure. */
import type { Double, Message } from './conversation';
import type { Note } from './desk';

export type Entry =
  | { kind: 'message'; message: Message }
  | { kind: 'note'; note: Note }
  /** A message of another ticket, which was merged into this one. */
  | { kind: 'double'; message: Message; from: Double }
  /** Before the first of them, where it has earlier ones: those are read there. */
  | { kind: 'earlier'; at: string; from: Double };

export function writtenAt(entry: Entry): string {
  if (entry.kind === 'earlier') return entry.at;
  return entry.kind === 'note' ? entry.note.created_at : entry.message.created_at;
}
const at = (entry: Entry) => Date.parse(writtenAt(entry));

/** Notes, and messages of doubles, from before the first message wait until the earlier ones are there (`hasOlder`). Of one moment a message stands
 *  first. */
export function timeline(
  messages: readonly Message[],
  notes: readonly Note[],
  hasOlder: boolean,
  doubles: readonly Double[] = [],
): Entry[] {
  const first = messages[0];
  const since = hasOlder && first ? Date.parse(first.created_at) : Number.NEGATIVE_INFINITY;
  const said: Entry[] = messages.map((message) => ({ kind: 'message', message }));
  const beside: Entry[] = [
    ...notes.map((note): Entry => ({ kind: 'note', note })),
    ...doubles.flatMap(ofDouble),
  ]
    .filter((entry) => at(entry) >= since)
    .sort((one, other) => at(one) - at(other));
  // Messages keep the order of their numbers, whatever their clocks say: the others are put between them.
  const all: Entry[] = [];
  let next = 0;
  for (const entry of said) {
    for (let other = beside[next]; other !== undefined && at(other) < at(entry); other = beside[next]) {
      all.push(other);
      next++;
    }
    all.push(entry);
  }
  return [...all, ...beside.slice(next)];
}

function ofDouble(from: Double): Entry[] {
  const [first] = from.messages;
  const earlier: Entry[] = from.hasOlder && first ? [{ kind: 'earlier', at: first.created_at, from }] : [];
  return [...earlier, ...from.messages.map((message): Entry => ({ kind: 'double', message, from }))];
}
