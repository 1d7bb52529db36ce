// A test that failed is run once more by itself, alone: `node tools/again.mjs cargo|vitest FOLDER`, the folder with the runner's report.
// Writes `<runner>-again.json` there: `flaky`, the names that passed now; `failed`, those that did not; `unnamed`, whether something
// broke that no test's name stands for. A busy machine may cost a try, never a landing; what is wrong stays wrong.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [runner, folder] = process.argv.slice(2);
// More are no accident.
const MOST = 16;

const run = (command, args, options = {}) =>
  spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });

/** Cargo's log, program by program: each begins with the line that names it and ends with its list of what failed. */
const cargo = () => {
  const log = readFileSync(join(folder, 'cargo.log'), 'utf8');
  const found = [];
  let programs = 0;
  for (const [, what, file, said] of log.matchAll(
    /^ +Running (unittests )?\S+ \((\S+)\)\n([\s\S]*?)(?=^ +Running |^ +Doc-tests |(?![\s\S]))/gm,
  )) {
    const names = /^failures:\n((?: {4}\S.*\n)+)\ntest result: FAILED/m.exec(said)?.[1];
    if (!names) continue;
    programs++;
    const target = file.replace(/^.*\//, '').replace(/-[0-9a-f]+$/, '');
    const where = what ? ['--lib', '--bins'] : ['--test', target];
    for (const name of names.trim().split(/\n\s*/)) found.push({ name, where });
  }
  const broken = Number(/^error: (\d+) targets? failed:/m.exec(log)?.[1] ?? 0);
  const again = ({ name, where }) => {
    const { status, stdout } = run('cargo', ['test', '--workspace', '--locked', '--quiet', ...where, '--', '--exact', name]);
    return status === 0 && /^test result: ok\. [1-9]/m.test(stdout);
  };
  return { found, again, unnamed: broken !== programs };
};

const vitest = () => {
  const report = JSON.parse(readFileSync(join(folder, 'vitest.json'), 'utf8'));
  const files = report.testResults.filter(({ status }) => status === 'failed');
  const found = files.flatMap(({ name: file, assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => ({ name: fullName.trim(), file })),
  );
  const again = ({ name, file }) => {
    const pattern = `${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
    const args = ['node_modules/vitest/vitest.mjs', 'run', file, '--testNamePattern', pattern, '--reporter=json'];
    const { status, stdout } = run('node', args, { cwd: 'web' });
    return status === 0 && /"numPassedTests":[1-9]/.test(stdout);
  };
  const unnamed = files.some(({ assertionResults }) => assertionResults.every(({ status }) => status !== 'failed'));
  return { found, again, unnamed };
};

const { found, again, unnamed } = { cargo, vitest }[runner]();
const flaky = [];
const failed = [];
for (const [at, one] of found.entries()) {
  const passed = at < MOST && again(one);
  if (at < MOST) console.log(`again, alone: ${one.name} ${passed ? 'passed' : 'failed'}`);
  (passed ? flaky : failed).push(one.name);
}
writeFileSync(join(folder, `${runner}-again.json`), JSON.stringify({ flaky, failed, unnamed }));
