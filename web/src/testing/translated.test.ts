// @vitest-environment node

/** A page that the browser translates has other text nodes than React wrote: those are gone, and what React writes into them nobody
 *  sees. A text that is its element's only child is written anew with the element; among others it stands still for ever. So whatever
 *  may change stands in an element of its own, or where nothing is translated [docs/rules/web.md#translated-pages]. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '..');
const walk = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });

interface Part {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}
const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && 'type' in value;
const part = (of: Part, field: string): Part | null => {
  const value = of[field];
  return isPart(value) ? value : null;
};
const parts = (of: Part, field: string): Part[] => {
  const value = of[field];
  return Array.isArray(value) ? value.filter(isPart) : [];
};
const word = (of: Part | null, field: string) => (of && typeof of[field] === 'string' ? of[field] : '');

/** Values of these names are elements. */
const ELEMENTS =
  /^(children|action|badge|icon|hint|filterBar|empty|value|shown|content|warning|title|trigger|none|claim|back|onBack|line|evidence|body|controls|detail|failed|once|above|own|asks|bids|render|undefined)$/;
/** These calls answer with elements. */
const MAKERS = /^(map|from|heading|button|tile|rows|decision|render)$/;

/** Whether an expression may come to a bare text that is not always the same. */
function changes(it: Part | null): boolean {
  switch (it?.type) {
    case undefined:
    case 'JSXEmptyExpression':
    case 'JSXElement':
    case 'JSXFragment':
    case 'Literal':
      return false;
    case 'LogicalExpression':
      return changes(part(it, 'right')) || (it.operator !== '&&' && changes(part(it, 'left')));
    case 'ConditionalExpression':
      return changes(part(it, 'consequent')) || changes(part(it, 'alternate'));
    case 'CallExpression': {
      const callee = part(it, 'callee');
      return !MAKERS.test(word(callee, 'name') || word(callee && part(callee, 'property'), 'name'));
    }
    case 'Identifier':
      return !ELEMENTS.test(word(it, 'name'));
    case 'MemberExpression':
      return !ELEMENTS.test(word(part(it, 'property'), 'name'));
    default:
      return true;
  }
}

const blank = ({ type, value }: Part) =>
  type === 'JSXText' && typeof value === 'string' && value.trim() === '' && value.includes('\n');

function look(it: Part, text: string, found: string[]) {
  if (it.type === 'JSXElement') {
    const attributes = parts(part(it, 'openingElement') ?? it, 'attributes');
    if (attributes.some((one) => word(part(one, 'name'), 'name') === 'translate')) return;
  }
  if (it.type === 'JSXElement' || it.type === 'JSXFragment') {
    const children = parts(it, 'children').filter(
      (child) => !blank(child) && part(child, 'expression')?.type !== 'JSXEmptyExpression',
    );
    if (children.length > 1)
      for (const child of children)
        if (child.type === 'JSXExpressionContainer' && changes(part(child, 'expression')))
          found.push(text.slice(child.start, child.end).replace(/\s+/g, ' '));
  }
  for (const value of Object.values(it))
    for (const one of Array.isArray(value) ? value : [value]) if (isPart(one)) look(one, text, found);
}

test('a text that may change stands in an element of its own, or is not translated', () => {
  const found = walk(src)
    .filter((path) => path.endsWith('.tsx') && !path.endsWith('.test.tsx'))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const program: unknown = parseAst(text, { lang: 'tsx' });
      const own: string[] = [];
      if (isPart(program)) look(program, text, own);
      return own.map((one) => `${relative(src, path)}: ${one}`);
    });
  expect(found).toEqual([]);
});
