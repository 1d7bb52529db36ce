/** Where the built face stands: in the test's own process, beside who answers its calls. They are answered over HTTP, for a route of the
 *  browser's tools stops each of a page's pieces on its way and forbids the browser to keep what it has fetched. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const DIST = join(import.meta.dirname, '../../dist');
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

interface Given {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  contentType?: string;
  json?: unknown;
  body?: string | Buffer;
}

/** A call of the page that waits for its answer, with the words of the browser's tools for one. */
export class Route {
  readonly #asked: IncomingMessage;
  readonly #answer: ServerResponse;
  readonly #body: Buffer;

  constructor(asked: IncomingMessage, answer: ServerResponse, body: Buffer) {
    this.#asked = asked;
    this.#answer = answer;
    this.#body = body;
  }

  request() {
    const { method = '', url, headers } = this.#asked;
    return {
      method: () => method,
      url: () => `http://${headers.host}${url}`,
      headers: () => headers as Record<string, string>,
      postDataBuffer: () => this.#body,
      postDataJSON: () => (this.#body.length === 0 ? null : JSON.parse(this.#body.toString())),
    };
  }

  async fulfill({ status = 200, headers, contentType, json, body }: Given = {}) {
    const type = contentType ?? (json === undefined ? 'text/plain' : 'application/json');
    this.#answer.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', ...headers });
    this.#answer.end(json === undefined ? body : JSON.stringify(json));
  }

  /** The line breaks. */
  async abort() {
    this.#answer.destroy();
  }
}

type Answering = (route: Route) => unknown;

const STUB = 'x-stub';
const stubs = new Map<string, Answering>();
let last = 0;

/** The header by which the calls of a page find who answers them. */
export function answeredBy(answering: Answering): Record<string, string> {
  const id = String(++last);
  stubs.set(id, answering);
  return { [STUB]: id };
}

/** Files of another program, which was put in the place of the built one. */
const instead = new Map<string, string>();
export const serveInstead = (pathname: string, text: string) => void instead.set(pathname, text);

/** Pieces that the other program does not have. */
let lost: RegExp | null = null;
export const lose = (pieces: RegExp) => {
  lost = pieces;
};

/** Nobody answers: every line breaks, as it does where no server is. */
let silent = false;
export const fallSilent = (on: boolean) => {
  silent = on;
};

/** Pages that are gone are answered no more, whatever of theirs is still on its way; what was put there for them goes with them. */
export function forget() {
  stubs.clear();
  instead.clear();
  lost = null;
  silent = false;
}

export const built = (pathname: string): string => readFileSync(join(DIST, pathname), 'utf8');

const kept = new Map<string, Buffer>();
function read(path: string): Buffer {
  const bytes = kept.get(path) ?? readFileSync(path);
  kept.set(path, bytes);
  return bytes;
}

function piece(pathname: string, answer: ServerResponse) {
  const named = join(DIST, pathname);
  const assets = pathname.startsWith('/assets/');
  const found = kept.has(named) || (existsSync(named) && statSync(named).isFile());
  if ((!found && assets) || lost?.test(pathname)) return answer.writeHead(404).end();
  // What is no file is a screen of the program.
  const path = found ? named : join(DIST, 'index.html');
  answer.writeHead(200, {
    'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream',
    'Cache-Control': assets ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  return answer.end(instead.get(found ? pathname : '/index.html') ?? read(path));
}

/** What was sent with it; none of a line that broke meanwhile. */
async function sent(asked: IncomingMessage): Promise<Buffer | null> {
  try {
    const parts: Buffer[] = [];
    for await (const part of asked) parts.push(part);
    return Buffer.concat(parts);
  } catch {
    return null;
  }
}

async function take(asked: IncomingMessage, answer: ServerResponse) {
  const body = await sent(asked);
  const answering = stubs.get(String(asked.headers[STUB]));
  if (!body || !answering) return answer.destroy();
  // What goes wrong there fails the test.
  await answering(new Route(asked, answer, body));
}

export interface Host {
  url: string;
  close: () => void;
}

let standing = '';
/** This process's own, without a slash at its end. */
export const address = () => standing;

export async function open(): Promise<Host> {
  const server = createServer((asked, answer) => {
    const { pathname } = new URL(asked.url ?? '/', 'http://face');
    if (silent) asked.socket.destroy();
    else if (pathname.startsWith('/api/')) void take(asked, answer);
    else piece(pathname, answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  standing = `http://127.0.0.1:${port}`;
  return {
    url: standing,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
