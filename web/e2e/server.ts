/** A server of a flow's own: its data folder, its port, its beginning and its ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const READY_MS = 90_000;

function program(): string {
  const path = process.env.E2E_SERVER;
  if (!path) throw new Error('E2E_SERVER is not set: run tools/e2e');
  return path;
}

/** A port that nobody listens on now. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

/** Settings of the surroundings would make it another server than the one meant. */
function environment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, REDIS_URL: __, ...rest } = process.env;
  return { ...rest, ARBORA_LIFT_LIMITS: 'true' };
}

export class OwnServer {
  readonly dataDir: string;
  readonly url: string;
  readonly #options: readonly string[];
  #process: ChildProcess | null = null;
  #ended: Promise<number | null> = Promise.resolve(null);
  /** The last lines that it wrote, for a failure's message. */
  #said = '';

  private constructor(port: number, options: readonly string[]) {
    this.dataDir = mkdtempSync(join(tmpdir(), 'arbora-own.'));
    // The user that runs PostgreSQL must be able to pass.
    chmodSync(this.dataDir, 0o755);
    this.url = `http://127.0.0.1:${port}`;
    this.#options = ['--data-dir', join(this.dataDir, 'data'), '--bind', `127.0.0.1:${port}`, ...options];
  }

  /** Chosen beforehand, so that it can come back on the same port. */
  static async make(options: readonly string[] = []): Promise<OwnServer> {
    return new OwnServer(await freePort(), options);
  }

  get secrets(): string {
    return join(this.dataDir, 'data');
  }

  /** Comes back when it says that it is ready. */
  async start(): Promise<void> {
    const child = spawn(program(), ['serve', ...this.#options], {
      cwd: ROOT,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    this.#ended = new Promise((done) => child.once('exit', (code) => done(code)));
    let out = '';
    const ready = new Promise<void>((done, fail) => {
      const late = setTimeout(() => fail(new Error(`not ready in time: ${this.#said}`)), READY_MS);
      child.once('exit', (code) => fail(new Error(`ended with ${code} before it was ready: ${this.#said}`)));
      child.stdout.on('data', (part) => {
        out += part;
        if (!out.includes(' is ready: ')) return;
        clearTimeout(late);
        done();
      });
      const keep = (part: Buffer) => {
        this.#said = `${this.#said}${part}`.slice(-4000);
      };
      child.stderr.on('data', keep);
    });
    await ready;
  }

  /** Power cut: no chance to say goodbye. */
  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL');
    await this.#ended;
    this.#process = null;
  }

  /** Ctrl-C; gives the exit code. */
  async interrupt(): Promise<number | null> {
    this.#process?.kill('SIGINT');
    const code = await this.#ended;
    this.#process = null;
    return code;
  }

  /** `server verify` on the data folder of a server that has stopped: its exit code and its words. */
  async verify(): Promise<{ code: number | null; words: string }> {
    const child = spawn(program(), ['verify', '--data-dir', this.secrets], { cwd: ROOT, env: environment() });
    let words = '';
    for (const pipe of [child.stdout, child.stderr])
      pipe.on('data', (part) => {
        words += part;
      });
    const code = await new Promise<number | null>((done) => child.once('close', done));
    return { code, words };
  }

  /** Whatever state it is in: stopped, and nothing left of it. */
  async dispose(): Promise<void> {
    if (this.#process) await this.interrupt();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
