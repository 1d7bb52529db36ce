// What failed and what passed only at a later try, in few words, to stand at the end of a long run's output: `node tools/outcome.mjs
// FOLDER`, the folder with the runners' reports. Exits with 1 when too many needed another try: those are cured, not collected.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const folder = process.argv[2];
const SHOWN = 6;
const LENGTH = 600;
const MOST_FLAKY = 8;

const text = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');

/** A JSON report, `{}` when its runner broke before it wrote one. */
const report = (name) => {
  try {
    return JSON.parse(text(name));
  } catch {
    return {};
  }
};

/** Of a runner whose failed tests were run again: what passed then. */
const passedAgain = (runner) => report(`${runner}-again.json`).flaky ?? [];

/** Cargo's: each failed test has a section of its own, which begins with its name and ends where the next or the list of names begins. */
const ofCargo = () => {
  const found = [];
  for (const [, name, said] of text('cargo.log').matchAll(/^---- (.+) stdout ----\n([\s\S]*?)(?=^---- .+ stdout ----$|^failures:$)/gm)) {
    if (passedAgain('cargo').includes(name)) continue;
    const panic = said.indexOf('panicked at');
    found.push([name, said.slice(Math.max(panic, 0))]);
  }
  return found;
};

/** Playwright's: those that ended so, with what each try said. */
const ofPlaywright = (name, status) => {
  const found = [];
  const walk = (suite, path) => {
    for (const spec of suite.specs ?? []) {
      const results = spec.tests.flatMap((test) => (test.status === status ? test.results : []));
      const message = results.flatMap((result) => result.errors.map((error) => error.message));
      if (results.length > 0) found.push([`${path} › ${spec.title}`, message.join('\n')]);
    }
    for (const inner of suite.suites ?? []) walk(inner, inner.file === inner.title ? inner.file : `${path} › ${inner.title}`);
  };
  for (const suite of report(name).suites ?? []) walk(suite, suite.file);
  return found;
};

const ofVitest = () =>
  (report('vitest.json').testResults ?? []).flatMap((file) =>
    file.assertionResults
      .filter((result) => result.status === 'failed' && !passedAgain('vitest').includes(result.fullName.trim()))
      .map((result) => [result.fullName, result.failureMessages.join('\n')]),
  );

const inBrowser = (status) => ['face.json', 'flows.json'].flatMap((name) => ofPlaywright(name, status));
const shorten = (said, length) =>
  stripVTControlCharacters(said)
    .split(/^stack backtrace:$/m)[0]
    .slice(0, length)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('node_modules'))
    .map((line) => `  ${line}`)
    .join('\n');

const failures = [...ofCargo(), ...inBrowser('unexpected'), ...ofVitest()];
for (const [name, said] of failures.slice(0, SHOWN)) console.log(`FAILED ${name}\n${shorten(said, LENGTH)}`);
if (failures.length > SHOWN) console.log(`and ${failures.length - SHOWN} more`);

const flaky = [...passedAgain('cargo'), ...passedAgain('vitest'), ...inBrowser('flaky').map(([name]) => name)];
for (const name of flaky) console.log(`flaky: ${name}`);
if (flaky.length > MOST_FLAKY) {
  console.log(`FAILED more than ${MOST_FLAKY} tests needed another try`);
  process.exitCode = 1;
}
