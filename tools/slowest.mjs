// The slowest tests of each suite: `node tools/slowest.mjs FOLDER`, the folder with the runners' reports. Seconds of a first try, beside
// whatever else ran then.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const SHOWN = 20;

const text = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
const report = (name) => JSON.parse(text(name) || '{}');

const cargo = () =>
  [...text('cargo.log').matchAll(/^test (\S+).* \.\.\. .*<([\d.]+)s>$/gm)].map(([, name, seconds]) => [name, Number(seconds)]);

const playwright = (name) => {
  const found = [];
  const walk = (suite) => {
    for (const spec of suite.specs ?? [])
      for (const { results } of spec.tests)
        found.push([`${spec.file}:${spec.line} ${spec.title}`, (results[0]?.duration ?? 0) / 1000]);
    for (const inner of suite.suites ?? []) walk(inner);
  };
  for (const suite of report(name).suites ?? []) walk(suite);
  return found;
};

const vitest = () =>
  (report('vitest.json').testResults ?? []).flatMap(({ assertionResults }) =>
    assertionResults.map(({ fullName, duration }) => [fullName, (duration ?? 0) / 1000]),
  );

const suites = { server: cargo(), face: playwright('face.json'), flows: playwright('flows.json'), pages: vitest() };
for (const [suite, tests] of Object.entries(suites)) {
  const total = tests.reduce((sum, [, seconds]) => sum + seconds, 0);
  console.log(`${suite}: ${tests.length} tests, ${total.toFixed(0)} s one after the other`);
  for (const [name, seconds] of tests.sort(([, a], [, b]) => b - a).slice(0, SHOWN))
    console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${name}`);
}
