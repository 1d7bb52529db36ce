/** A page names the texts of all that it shows: what it names too late is asked for while the page stands there, and takes it from the
 *  screen until it has come. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(path, 'utf8');
/** With the frame around the pages (`inside.ts`), and with the program. */
const COME_BEFORE = ['common', 'shell', 'lists', 'notifications'];

function fileOf(target: string, from: string): string | undefined {
  const bare = target.startsWith('@/')
    ? join(src, target.slice(2))
    : target.startsWith('.')
      ? resolve(dirname(from), target)
      : undefined;
  return bare === undefined
    ? undefined
    : [bare, `${bare}.tsx`, `${bare}.ts`].find((path) => /\.tsx?$/.test(path) && existsSync(path));
}

/** What the file brings with it: what comes later (`lazy`) has a place of its own to wait in. */
function withIt(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const brought = read(path).matchAll(/^(?:import|export)\s(?!type\b)[^;]*?\sfrom '([^']+)'/gm);
  for (const [, target = ''] of brought) {
    const next = fileOf(target, path);
    if (next) withIt(next, seen);
  }
  return seen;
}

const textsOf = (path: string) =>
  [...read(path).matchAll(/\buseTranslation\('(\w+)'\)/g)].map(([, name = '']) => name);

test('each page behind the sign-in names the texts of all that stands on it', () => {
  const lines = [
    ...read(join(src, 'app/pages.ts')).matchAll(/\[([^\]]*)\],\s*\(\) => import\('(@\/[^']+)'\)/g),
  ];
  expect(lines.length).toBeGreaterThan(40);
  const late = lines.flatMap(([, named = '', target = '']) => {
    const texts = [...COME_BEFORE, ...[...named.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)];
    const page = fileOf(target, src);
    if (!page) throw new Error(target);
    const missing = [...withIt(page)].flatMap((path) =>
      textsOf(path)
        .filter((name) => !texts.includes(name))
        .map((name) => `${target}: ${name} (${path.slice(src.length + 1)})`),
    );
    return [...new Set(missing)];
  });
  expect(late).toEqual([]);
});
