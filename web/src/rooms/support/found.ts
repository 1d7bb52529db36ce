/** Where the words that were searched for stand in a text: pure. As the server chooses what it shows of a message: a word begins as they do, without its
 *  ending, accents and capitals. */

export interface Piece {
  text: string;
  hit: boolean;
}

const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Endings are left to the language. */
const ENDING = 3;
/** Shorter ones are taken as they are: "de" begins many words. */
const SHORTEST = 3;

const stemsOf = (search: string) =>
  folded(search)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => ({ word, stem: word.slice(0, Math.max(word.length - ENDING, SHORTEST)) }));

/** The whole text, in pieces. */
export function piecesOf(text: string, search: string): Piece[] {
  const stems = stemsOf(search);
  const hits = (word: string) =>
    stems.some(({ word: asked, stem }) =>
      asked.length <= SHORTEST ? word === asked : word.startsWith(stem),
    );
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (!hits(folded(word))) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), hit: false });
    pieces.push({ text: word, hit: true });
    from = index + word.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hit: false });
  return pieces;
}
