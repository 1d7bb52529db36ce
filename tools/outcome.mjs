// What failed, in few words, to stand at the end of a long run's output: `node tools/failures.mjs FOLDER`, the folder with the
// runners' reports. Prints nothing when nothing failed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const folder = process.argv[2];
const SHOWN = 6;
const LENGTH = 600;

const text = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');

/** A JSON report, `{}` when its runner broke before it wrote one. */
const report = (name) => {
  try {
    return JSON.parse(text(name));
  } catch {
    return {};
  }
};

/** Cargo's: each failed test has a section of its own, which begins with its name and ends where the next or the list of names begins. */
const ofCargo = () => {
  const found = [];
  for (const [, name, said] of text('cargo.log').matchAll(/^---- (.+) stdout ----\n([\s\S]*?)(?=^---- .+ stdout ----$|^failures:$)/gm)) {
    const panic = said.indexOf('panicked at');
    found.push([name, said.slice(Math.max(panic, 0))]);
  }
  return found;
};

const ofPlaywright = (name) => {
  const found = [];
  const walk = (suite, path) => {
    for (const spec of suite.specs ?? []) {
      const results = spec.tests.flatMap((test) => (test.status === 'unexpected' ? test.results : []));
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
      .filter((result) => result.status === 'failed')
      .map((result) => [result.fullName, result.failureMessages.join('\n')]),
  );

const failures = [...ofCargo(), ...['face.json', 'flows.json'].flatMap(ofPlaywright), ...ofVitest()];
for (const [name, said] of failures.slice(0, SHOWN)) {
  const lines = stripVTControlCharacters(said)
    .split(/^stack backtrace:$/m)[0]
    .slice(0, LENGTH)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('node_modules'));
  console.log(`FAILED ${name}\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
if (failures.length > SHOWN) console.log(`and ${failures.length - SHOWN} more`);
