/** Mantine's styles come file by file, so that nobody loads what no screen shows; a component whose file is missing looks broken and
 *  fails nothing. So: every component that a screen uses, with all that it is made of inside, has its styles imported. What belongs
 *  to what is read from the installed packages, never from a list of ours. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '..');
const packages = resolve(src, '../node_modules/@mantine');
const walk = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
const own = walk(src).filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path));

interface Source {
  /** Local name → what is imported under it, and from where. */
  imports: Map<string, { name: string; from: string }>;
  /** Parts that hang on a component and come with it unused: `Radio.Card = RadioCard`. */
  parts: Map<string, string>;
  /** What remains once imports and parts are taken out. */
  code: string;
}

const IMPORT = /import\s+(?!type\b)(?:([\w$]+)\s*,?\s*)?(?:\{([^}]*)\})?\s*from\s*["']([^"']+)["'];?/g;
const known = new Map<string, Source>();
function read(path: string): Source {
  const before = known.get(path);
  if (before) return before;
  const text = readFileSync(path, 'utf8');
  const imports: Source['imports'] = new Map();
  for (const [, whole, named = '', from = ''] of text.matchAll(IMPORT)) {
    if (whole) imports.set(whole, { name: 'default', from });
    for (const one of named.split(',').filter((name) => name.trim() !== '' && !/^\s*type\s/.test(name))) {
      const [name = '', local = name] = one.trim().split(/\s+as\s+/);
      imports.set(local, { name, from });
    }
  }
  const parts: Source['parts'] = new Map();
  const code = text
    .replace(IMPORT, '')
    .replace(/^[\w$]+\.([A-Z][\w$]*) = ([\w$]+);$/gm, (line, part: string, local: string) => {
      if (!imports.has(local)) return line;
      parts.set(part, local);
      return '';
    });
  const source = { imports, parts, code };
  known.set(path, source);
  return source;
}

const uses = (code: string, local: string) => new RegExp(`\\b${local.replaceAll('$', '\\$')}\\b`).test(code);
const partsOf = (code: string, local: string) =>
  [...code.matchAll(new RegExp(`\\b${local.replaceAll('$', '\\$')}\\.([A-Z][\\w$]*)`, 'g'))].map(
    ([, part = '']) => part,
  );

/** The style sheets that a file's own imports draw in. */
function sheets(path: string, wanted: readonly string[], found: Set<string>, seen: Set<string>) {
  const { imports, parts, code } = read(path);
  const follow = (local: string, members: readonly string[]) => {
    const target = imports.get(local);
    if (!target?.from.startsWith('.')) return;
    const to = resolve(dirname(path), target.from);
    if (to.endsWith('.module.mjs')) found.add(to);
    else sheets(to, members, found, seen);
  };
  for (const part of wanted) {
    const local = parts.get(part);
    const key = `${path}#${part}`;
    if (local === undefined || seen.has(key)) continue;
    seen.add(key);
    follow(local, []);
  }
  if (seen.has(path)) return;
  seen.add(path);
  for (const local of imports.keys()) if (uses(code, local)) follow(local, partsOf(code, local));
}

const drawn = new Map<string, readonly string[]>();
/** What one component and these of its parts need, as `core/RadioCard`; some packages have a single sheet. */
function sheetsOf(kit: string, name: string, parts: readonly string[]): readonly string[] {
  const key = [kit, name, ...parts].join(' ');
  const before = drawn.get(key);
  if (before) return before;
  const index = join(packages, kit, 'esm/index.mjs');
  const target = read(index).imports.get(name);
  if (!target) throw new Error(`@mantine/${kit} has no ${name}`);
  const found = new Set<string>();
  sheets(resolve(dirname(index), target.from), parts, found, new Set());
  const each = existsSync(join(packages, kit, 'styles'));
  const all = [...found].map((sheet) => (each ? `${kit}/${basename(sheet, '.module.mjs')}` : kit));
  drawn.set(key, all);
  return all;
}

/** Style sheets of our screens, and who needs them. */
function needed(): Map<string, string> {
  const by = new Map<string, string>();
  for (const path of own) {
    const { imports, code } = read(path);
    for (const [local, { name, from }] of imports) {
      const [scope, kit = ''] = from.split('/');
      if (scope !== '@mantine' || !uses(code, local)) continue;
      const parts = [...new Set(partsOf(code, local))].sort();
      for (const sheet of sheetsOf(kit, name, parts)) by.set(sheet, `${relative(src, path)} uses ${name}`);
    }
  }
  return by;
}

function imported(): Set<string> {
  const sheet = /@mantine\/([\w-]+)\/styles(?:\/([\w-]+))?(?:\.layer)?\.css/g;
  const files = [join(src, 'app/mantine.css'), ...own];
  return new Set(
    files.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(sheet)].map(([, kit, name]) =>
        name ? `${kit}/${name}` : `${kit}`,
      ),
    ),
  );
}

test('every Mantine component comes with its styles', () => {
  const there = imported();
  const missing = [...needed()]
    .filter(([sheet]) => !there.has(sheet))
    .map(([sheet, who]) => `${sheet}: ${who}`);
  expect(missing).toEqual([]);
});

test('no style sheet is loaded for nobody', () => {
  const wanted = needed();
  // What stands under everything, and belongs to no component.
  const base = new Set(['core/default-css-variables', 'core/baseline', 'core/global']);
  expect([...imported()].filter((sheet) => !wanted.has(sheet) && !base.has(sheet))).toEqual([]);
});

test('the test sees compound parts and what a component is made of inside', () => {
  const of = (name: string, ...parts: string[]) =>
    sheetsOf('core', name, parts).map((sheet) => basename(sheet));
  expect(of('Radio', 'Card')).toContain('RadioCard');
  expect(of('Radio')).not.toContain('RadioCard');
  expect(of('Select')).toEqual(expect.arrayContaining(['Combobox', 'Input', 'ScrollArea', 'Popover']));
  expect(of('Code')).toEqual(['Code']);
});
