/** What a run of all tests says at its end of those of the server that failed. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const OUTCOME = resolve(import.meta.dirname, '../../../tools/outcome.mjs');

function told(log: string, broken: readonly string[] = [], again?: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'outcome.'));
  try {
    writeFileSync(join(folder, 'cargo.log'), log);
    if (again) writeFileSync(join(folder, 'cargo-again.json'), JSON.stringify(again));
    return execFileSync('node', [OUTCOME, folder, ...broken], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const FAILED = `     Running tests/api/main.rs (target/debug/deps/api-0123456789abcdef)

running 3 tests
test pix::late ... FAILED
test pix::quiet ... FAILED
test pix::right ... ok

failures:

---- pix::late stdout ----
thread 'pix::late' panicked at server/tests/api/pix.rs:7:5:
it came too late
stack backtrace:
   0: rust_begin_unwind


failures:
    pix::late
    pix::quiet

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

error: test failed, to rerun pass \`-p server --test api\`
`;

test('a failed test is named, whether it said something or not', () => {
  const lines = told(FAILED).split('\n');
  expect(lines).toContain('FAILED pix::late');
  expect(lines).toContain('  it came too late');
  expect(lines).toContain('FAILED pix::quiet');
  expect(lines.filter((line) => line.startsWith('FAILED'))).toHaveLength(2);
});

test('what passed by itself is told as flaky alone', () => {
  const said = told(FAILED, [], { flaky: ['pix::quiet'], failed: ['pix::late'], unnamed: false });
  expect(said).not.toContain('FAILED pix::quiet');
  expect(said).toContain('flaky: pix::quiet');
});

test('an example that does not build is told with its error', () => {
  const said = told(
    `   Compiling actors v0.1.0 (/there/actors)
error[E0425]: cannot find function \`measured\` in this scope
 --> actors/examples/measure.rs:9:5
  |
9 |     measured();
  |     ^^^^^^^^ not found in this scope

For more information about this error, try \`rustc --explain E0425\`.
error: could not compile \`actors\` (example "measure") due to 1 previous error
warning: build failed, waiting for other jobs to finish...
`,
    ['cargo'],
  );
  expect(said).toMatch(/^FAILED cargo: does not build\n/);
  expect(said).toContain('could not compile `actors` (example "measure")');
  expect(said).toContain('cannot find function `measured`');
  expect(said).toContain('actors/examples/measure.rs:9:5');
  expect(said.match(/FAILED/g)).toHaveLength(1);
});

test('a program that ended before its tests did is told beside what others found', () => {
  const said = told(`${FAILED}     Running tests/money/main.rs (target/debug/deps/money-0123456789abcdef)

running 2 tests
error: test failed, to rerun pass \`-p server --test money\`

Caused by:
  process didn't exit successfully: \`target/debug/deps/money-0123456789abcdef\` (signal: 6, SIGABRT: process abort signal)
`);
  expect(said).toContain('FAILED cargo: tests/money/main.rs did not come to its end');
  expect(said).toContain('SIGABRT');
  expect(said).toContain('FAILED pix::late');
});

test('who broke without a word is named', () => {
  expect(told('', ['tools/check'])).toBe('FAILED tools/check\n');
});
