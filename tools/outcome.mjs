// What failed and what passed only at a later try, in few words, to stand at the end of a long run's output: `node tools/outcome.mjs
// FOLDER [BROKEN...]`, the folder with the runners' reports and who broke without naming a test. Exits with 1 when too many needed
// another try: those are cured, not collected.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const [folder, ...broken] = process.argv.slice(2);
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

/** Cargo's: a failed test that has said something has a section of its own, which begins with its name and ends where the next or the
 *  list of names begins; one that said nothing stands in that list alone. */
const ofCargo = () => {
  const log = text('cargo.log');
  const found = new Map();
  for (const [, name, said] of log.matchAll(/^---- (.+) stdout ----\n([\s\S]*?)(?=^---- .+ stdout ----$|^failures:$)/gm))
    found.set(name, said.slice(Math.max(said.indexOf('panicked at'), 0)));
  for (const [, names] of log.matchAll(/^failures:\n((?: {4}\S.*\n)+)\ntest result: FAILED/gm))
    for (const name of names.trim().split(/\n\s*/)) if (!found.has(name)) found.set(name, '');
  for (const name of passedAgain('cargo')) found.delete(name);
  return [...found];
};

/** Who broke without naming a test; of cargo also why: what does not build, or which program did not come to its end. */
const ofBroken = () => {
  const log = text('cargo.log');
  const found = broken.filter((name) => name !== 'cargo').map((name) => [name, '']);
  const unbuilt = [...log.matchAll(/^error: (could not compile .*)$/gm)].map(([, what]) => what);
  const first = /^error(?:\[\w+\])?: (?!could not compile).*(?:\n *--> .*)?/m.exec(log)?.[0] ?? '';
  if (unbuilt.length > 0) return [...found, ['cargo: does not build', [...unbuilt, first].join('\n')]];
  const dead = [...log.matchAll(/^ +Running (?:unittests )?(\S+) \(\S+\)\n([\s\S]*?)(?=^ +Running |^ +Doc-tests |(?![\s\S]))/gm)]
    .filter(([, , said]) => said.includes('error: test failed') && !/^test result:/m.test(said))
    .map(([, what, said]) => [`cargo: ${what} did not come to its end`, said.slice(-LENGTH)]);
  if (dead.length === 0 && broken.includes('cargo')) dead.push(['cargo', first]);
  return [...found, ...dead];
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

const failures = [...ofBroken(), ...ofCargo(), ...inBrowser('unexpected'), ...ofVitest()];
for (const [name, said] of failures.slice(0, SHOWN))
  console.log([`FAILED ${name}`, shorten(said, LENGTH)].filter((line) => line !== '').join('\n'));
if (failures.length > SHOWN) console.log(`and ${failures.length - SHOWN} more`);

const flaky = [...passedAgain('cargo'), ...passedAgain('vitest'), ...inBrowser('flaky').map(([name]) => name)];
for (const name of flaky) console.log(`flaky: ${name}`);
if (flaky.length > MOST_FLAKY) {
  console.log(`FAILED more than ${MOST_FLAKY} tests needed another try`);
  process.exitCode = 1;
}
