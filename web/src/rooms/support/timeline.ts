/** Messages and internal notes in the order in which they were written: pure. */
import type { Message } from './conversation';
import type { Note } from './desk';

export type Entry = { kind: 'message'; message: Message } | { kind: 'note'; note: Note };

export const writtenAt = (entry: Entry): string =>
  entry.kind === 'message' ? entry.message.created_at : entry.note.created_at;
const at = (entry: Entry) => Date.parse(writtenAt(entry));

/** Notes from before the first message wait until the earlier ones are there (`hasOlder`). Of one moment a message stands first. */
export function timeline(messages: readonly Message[], notes: readonly Note[], hasOlder: boolean): Entry[] {
  const first = messages[0];
  const since = hasOlder && first ? Date.parse(first.created_at) : Number.NEGATIVE_INFINITY;
  const said: Entry[] = messages.map((message) => ({ kind: 'message', message }));
  const noted: Entry[] = notes
    .filter((note) => Date.parse(note.created_at) >= since)
    .map((note) => ({ kind: 'note', note }));
  // Messages keep the order of their numbers, whatever their clocks say: notes are put between them.
  const all: Entry[] = [];
  let next = 0;
  for (const entry of said) {
    for (let note = noted[next]; note !== undefined && at(note) < at(entry); note = noted[next]) {
      all.push(note);
      next++;
    }
    all.push(entry);
  }
  return [...all, ...noted.slice(next)];
}
