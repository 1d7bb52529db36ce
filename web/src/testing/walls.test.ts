// @vitest-environment node

/** The walls of the house, as a test: Biome sees how an import is written, this sees where it leads. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '..');
const walk = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
const files = walk(src).filter((path) => /\.tsx?$/.test(path) && !path.endsWith('schema.d.ts'));
const inTest = (path: string) => /\.test\.tsx?$/.test(path) || path.startsWith(join(src, 'testing'));

function imports(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target]) => target ?? '');
  return found.flatMap((target) => {
    if (target.startsWith('@/')) return [join(src, target.slice(2))];
    return target.startsWith('.') ? [resolve(dirname(path), target)] : [];
  });
}
const place = (path: string) => relative(src, path).split('/');

test('ui, api, live and i18n know no room and no app; rooms know no other room', () => {
  const broken: string[] = [];
  for (const path of files) {
    if (inTest(path)) continue;
    const [floor = '', room = ''] = place(path);
    for (const target of imports(path)) {
      const [otherFloor = '', otherRoom = ''] = place(target);
      const low = ['ui', 'api', 'live', 'i18n'].includes(floor);
      if (low && (otherFloor === 'rooms' || otherFloor === 'app'))
        broken.push(`${relative(src, path)} → ${otherFloor}`);
      if (floor === 'rooms' && (otherFloor === 'app' || (otherFloor === 'rooms' && otherRoom !== room)))
        broken.push(`${relative(src, path)} → ${otherFloor}/${otherRoom}`);
    }
  }
  expect(broken).toEqual([]);
});

test('the dependencies of the floors point one way: i18n, then api, then live, then ui', () => {
  const order = ['i18n', 'api', 'live', 'ui', 'rooms', 'app'];
  const broken: string[] = [];
  for (const path of files) {
    if (inTest(path)) continue;
    const at = order.indexOf(place(path)[0] ?? '');
    for (const target of imports(path)) {
      const other = order.indexOf(place(target)[0] ?? '');
      if (at >= 0 && other > at) broken.push(`${relative(src, path)} → ${relative(src, target)}`);
    }
  }
  expect(broken).toEqual([]);
});

test('no file outgrows a screenful of purpose', () => {
  const long = files.filter((path) => readFileSync(path, 'utf8').split('\n').length > 500);
  expect(long.map((path) => relative(src, path))).toEqual([]);
});

test('a class that is written as a word is one of the styles of all screens', () => {
  const known = new Set(
    [...readFileSync(join(src, 'app/styles.css'), 'utf8').matchAll(/\.([a-z][\w-]*)/g)].map(
      ([, name]) => name,
    ),
  );
  const shown = files.filter((path) => !inTest(path));
  const unknown = shown.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/className="([^"]+)"/g)]
      .flatMap(([, names = '']) => names.split(' '))
      .filter((name) => !known.has(name))
      .map((name) => `${relative(src, path)}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('one file draws bars and areas, so that all of them follow its rules', () => {
  const others = files.filter(
    (path) =>
      !inTest(path) &&
      relative(src, path) !== 'ui/HistoryPlot.tsx' &&
      /from 'recharts'|\b(Bar|Area|Composite)Chart\b/.test(readFileSync(path, 'utf8')),
  );
  expect(others.map((path) => relative(src, path))).toEqual([]);
});

test('the pages are tried with one clock, which the stub sets', () => {
  const face = resolve(src, '../e2e/face');
  const others = walk(face).filter((path) => !['clock.ts', 'stub.ts'].includes(relative(face, path)));
  const broken = others.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/Date\.now\(\)|new Date\(\)|clock\.(install|pauseAt)\(/g)].map(
      ([said]) => `${relative(face, path)}: ${said}`,
    ),
  );
  expect(others.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});
