/** A text that no screen asks for any more is work in three languages for nobody. What a screen asks for is read from its selectors
 *  (`($) => $.form.title`); where a key is computed (`$.status[row.status]`), a key counts as used when its word stands somewhere in the
 *  pages, in the API document or in the server. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '..');
const root = resolve(src, '../..');
const walk = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
const code = walk(src)
  .filter((path) => /(?<!\.test|schema\.d)\.tsx?$/.test(path) && !path.startsWith(join(src, 'testing')))
  .map((path) => readFileSync(path, 'utf8'));
const server = [join(root, 'server/src'), join(root, 'actors/protocol/src')]
  .flatMap(walk)
  .filter((path) => path.endsWith('.rs'))
  .map((path) => readFileSync(path, 'utf8'));
const words = new Set(
  [...code, ...server, readFileSync(join(src, '../openapi.json'), 'utf8')].flatMap(
    (text) => text.match(/[\w-]+/g) ?? [],
  ),
);

/** A step of a selector: the keys that it may be; null where only the program knows. */
type Step = ReadonlySet<string> | null;

/** Where the bracket that opens before `from` closes. */
function closing(text: string, from: number): number {
  let depth = 1;
  let at = from;
  while (depth > 0 && at < text.length) {
    if ('([{'.includes(text[at] ?? '')) depth += 1;
    else if (')]}'.includes(text[at] ?? '')) depth -= 1;
    at += 1;
  }
  return at;
}

/** The ends of a choice: `a ? 'x' : b ? 'y' : z` has `'x'`, `'y'` and `z`. */
function ends(expression: string): string[] {
  // Marks outside of brackets and words, each with where it stands.
  const marks = [...expression.matchAll(/'[^']*'|\?\.|\?\?|[?:([{)\]}]/g)];
  let depth = 0;
  let open = 0;
  let asks = -1;
  for (const { 0: mark, index } of marks) {
    if (/^[([{]$/.test(mark)) depth += 1;
    else if (/^[)\]}]$/.test(mark)) depth -= 1;
    else if (depth === 0 && mark === '?') {
      if (asks < 0) asks = index;
      open += 1;
    } else if (depth === 0 && mark === ':') {
      open -= 1;
      if (open === 0)
        return [...ends(expression.slice(asks + 1, index)), ...ends(expression.slice(index + 1))];
    }
  }
  return [expression.trim()];
}

/** What a computed key may be: the words that a condition chooses from. */
function chosen(expression: string): Step {
  const literals = ends(expression).map((end) => /^'([^']*)'$/.exec(end)?.[1]);
  const known = literals.filter((literal) => literal !== undefined);
  return known.length === literals.length ? new Set(known) : null;
}

function selectors(text: string): Step[][] {
  const found: Step[][] = [];
  for (const { index } of text.matchAll(/(?<![\w$`])\$(?=\s*(?:\??\.\s*\w|\[))/g)) {
    const steps: Step[] = [];
    let at = index + 1;
    for (;;) {
      const rest = text.slice(at, at + 200);
      const name = /^\s*\??\.\s*(\w+)/.exec(rest);
      const bracket = /^\s*\[/.exec(rest);
      if (name) {
        steps.push(new Set([name[1] ?? '']));
        at += name[0].length;
      } else if (bracket) {
        const from = at + bracket[0].length;
        at = closing(text, from);
        steps.push(chosen(text.slice(from, at - 1)));
      } else break;
    }
    found.push(steps);
  }
  return found;
}

type Tree = { [key: string]: string | Tree };
const folder = join(src, 'i18n/pt');
const namespaces = readdirSync(folder).map((name) => name.replace('.json', ''));
const leaves = (tree: Tree, path: readonly string[] = []): string[][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[...path, key]] : leaves(value, [...path, key]),
  );

const asked = new Map<string, Step[][]>(namespaces.map((name) => [name, []]));
for (const text of code) {
  const named = [...text.matchAll(/useTranslation\('(\w+)'\)|\bns: '(\w+)'/g)].map(
    ([, hook, option]) => hook ?? option ?? '',
  );
  if (/useTranslation\(\)|i18n\.t\(/.test(text)) named.push('common');
  for (const name of named.length > 0 ? new Set(named) : namespaces)
    asked.get(name)?.push(...selectors(text));
}

const covers = (steps: readonly Step[], path: readonly string[]): boolean =>
  steps.length <= path.length &&
  steps.every((step, place) => {
    const key = path[place] ?? '';
    return step === null ? words.has(key) : step.has(key);
  });

/** The sentences of notifications are named by codes of the server, each of which is tried there; a code of its own is none here. */
const isCode = (name: string, key: string) => name === 'notifications' && words.has(key);

test.each(namespaces)('%s has no text that nobody asks for', (name) => {
  const tree = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Tree;
  const unused = leaves(tree).filter((path) => {
    const last = path.at(-1) ?? '';
    // A sentence that counts has a text for each form.
    const base = [...path.slice(0, -1), last.replace(/_(zero|one|two|few|many|other)$/, '')];
    if (isCode(name, base.at(-1) ?? '')) return false;
    return !asked.get(name)?.some((steps) => covers(steps, path) || covers(steps, base));
  });
  expect(unused.map((path) => path.join('.'))).toEqual([]);
});
