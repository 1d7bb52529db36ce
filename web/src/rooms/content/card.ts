/** Share cards: what stands where on them, in two formats. Pure: where a text breaks is asked of whoever draws. Nothing on them promises
 *  anything; one's own result stands there with its period and its mode, or not at all. */

export type Format = 'square' | 'story';
export const SIZES: Record<Format, { width: number; height: number }> = {
  square: { width: 1080, height: 1080 },
  story: { width: 1080, height: 1920 },
};

/** What a card says, in its language. */
export interface CardWords {
  brand: string;
  headline: string;
  body: string;
  by: string;
  link: string;
  scan: string;
  /** About risk: on every card. */
  note: string;
  result?: { label: string; value: string; period: string; mode: string; past: string } | undefined;
}

export interface Words {
  text: string;
  x: number;
  y: number;
  size: number;
  weight: number;
  color: string;
}
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Sheet {
  width: number;
  height: number;
  words: readonly Words[];
  /** White ground of the code, which stands within it. */
  qr: Box;
  /** Around the result. */
  frame?: Box;
}

/** How wide a text is drawn. */
export type Measure = (text: string, size: number, weight: number) => number;

const MARGIN = 84;
const COLORS = { strong: '#e9edf3', calm: '#a9b4c4', mint: '#4be3a6', gold: '#f6c863' };

/** A text in lines no wider than that; a word that is wider is broken between its letters. */
export function linesOf(
  text: string,
  width: number,
  size: number,
  weight: number,
  measure: Measure,
): string[] {
  const lines: string[] = [];
  let line = '';
  const fits = (candidate: string) => measure(candidate, size, weight) <= width;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const letter of word) {
      if (line !== '' && !fits(line + letter)) {
        lines.push(line);
        line = '';
      }
      line += letter;
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

export function sheetOf(card: CardWords, format: Format, measure: Measure): Sheet {
  const { width, height } = SIZES[format];
  const tall = format === 'story';
  const inner = width - 2 * MARGIN;
  const words: Words[] = [];
  let y = tall ? 190 : MARGIN;
  const put = (text: string, size: number, weight: number, color: string, room = inner, x = MARGIN) => {
    for (const line of linesOf(text, room, size, weight, measure)) {
      y += size;
      words.push({ text: line, x, y, size, weight, color });
      y += Math.round(size * 0.3);
    }
  };
  put(card.brand, tall ? 46 : 40, 700, COLORS.mint);
  y += tall ? 90 : 34;
  // A square with a result has less room for the rest.
  const dense = !tall && card.result !== undefined;
  put(card.headline, tall ? 78 : dense ? 50 : 62, 720, COLORS.strong);
  y += tall ? 28 : 14;
  put(card.body, tall ? 40 : dense ? 27 : 32, 450, COLORS.calm);
  let frame: Box | undefined;
  if (card.result) {
    const { label, value, period, mode, past } = card.result;
    y += tall ? 60 : 26;
    const top = y;
    y += 20;
    put(`${label} · ${mode}`, tall ? 34 : 27, 650, COLORS.gold, inner - 64, MARGIN + 32);
    put(value, tall ? 64 : 48, 720, COLORS.strong, inner - 64, MARGIN + 32);
    put(period, tall ? 32 : 26, 450, COLORS.calm, inner - 64, MARGIN + 32);
    put(past, tall ? 28 : 23, 450, COLORS.calm, inner - 64, MARGIN + 32);
    y += 18;
    frame = { x: MARGIN, y: top, width: inner, height: y - top };
  }
  const side = tall ? 340 : 236;
  const bottom = height - (tall ? 190 : MARGIN);
  // The note stands at the foot, what leads to the person above it.
  const noteSize = tall ? 28 : 22;
  const note = linesOf(card.note, inner, noteSize, 450, measure);
  const noteTop = bottom - note.length * Math.round(noteSize * 1.3);
  const qr = { x: MARGIN, y: noteTop - side - (tall ? 44 : 26), width: side, height: side };
  const beside = MARGIN + side + 40;
  const room = width - MARGIN - beside;
  y = qr.y + (tall ? 40 : 14);
  put(card.by, tall ? 44 : 36, 680, COLORS.strong, room, beside);
  y += 10;
  put(card.scan, tall ? 32 : 26, 450, COLORS.calm, room, beside);
  y += 6;
  put(card.link, tall ? 30 : 24, 550, COLORS.mint, room, beside);
  y = noteTop;
  put(card.note, noteSize, 450, COLORS.calm);
  return { width, height, words, qr, ...(frame && { frame }) };
}
