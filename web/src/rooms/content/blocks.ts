/** A text as it is read: paragraphs, headings and lists. Nothing else in it has a meaning, so that nothing in it can do anything. */
export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; items: readonly string[] };

const HEADING = '## ';
const ITEM = '- ';

/** Empty lines part blocks; a heading is its line, a list the lines that begin alike. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let items: string[] = [];
  const end = () => {
    if (lines.length > 0) blocks.push({ kind: 'paragraph', text: lines.join('\n') });
    if (items.length > 0) blocks.push({ kind: 'list', items });
    lines = [];
    items = [];
  };
  for (const line of text.split('\n').map((one) => one.trimEnd())) {
    if (line === '') end();
    else if (line.startsWith(HEADING)) {
      end();
      blocks.push({ kind: 'heading', text: line.slice(HEADING.length) });
    } else if (line.startsWith(ITEM)) {
      if (lines.length > 0) end();
      items.push(line.slice(ITEM.length));
    } else {
      if (items.length > 0) end();
      lines.push(line);
    }
  }
  end();
  return blocks;
}

/** What a card shows of a text: its words without their form, as far as there is room. */
export function beginning(text: string, most = 150): string {
  const words = blocksOf(text)
    .flatMap((block) => (block.kind === 'list' ? block.items : block.kind === 'heading' ? [] : [block.text]))
    .join(' ')
    .replace(/\s+/g, ' ');
  if (words.length <= most) return words;
  const cut = words.slice(0, most);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 1)).trimEnd()}…`;
}
