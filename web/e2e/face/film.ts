/** A film that a browser plays, made byte by byte: WebM with one picture of VP8 a second, each of them whole and grey. It says where each
 *  second lies, so that a player goes to any of them at once. */
import type { Route } from './window';

/** A whole picture of 16 by 16, the smallest there is. */
const FRAME = Buffer.from('3001009d012a100010000ec0fe25a400037000000000', 'hex');
const SECOND_MS = 1000;
const SECOND_NS = 1_000_000_000;

/** A length in one byte, or in four. */
const length = (bytes: number) => {
  if (bytes < 0x7f) return Buffer.from([0x80 | bytes]);
  const long = Buffer.alloc(4);
  long.writeUInt32BE(0x10000000 + bytes);
  return long;
};
const part = (id: string, ...inner: readonly Buffer[]) => {
  const body = Buffer.concat(inner);
  return Buffer.concat([Buffer.from(id, 'hex'), length(body.length), body]);
};
const number = (id: string, value: number, bytes = 1) => {
  const body = Buffer.alloc(bytes);
  body.writeUIntBE(value, 0, bytes);
  return part(id, body);
};
const text = (id: string, value: string) => part(id, Buffer.from(value));
const float = (id: string, value: number) => {
  const body = Buffer.alloc(8);
  body.writeDoubleBE(value);
  return part(id, body);
};

const HEADER = part(
  '1a45dfa3',
  number('4286', 1),
  number('42f7', 1),
  number('42f2', 4),
  number('42f3', 8),
  text('4282', 'webm'),
  number('4287', 2),
  number('4285', 2),
);
const TRACKS = part(
  '1654ae6b',
  part(
    'ae',
    number('d7', 1),
    number('73c5', 1),
    number('83', 1),
    number('9c', 0),
    number('23e383', SECOND_NS, 4),
    text('86', 'V_VP8'),
    part('e0', number('b0', 16), number('ba', 16)),
  ),
);

/** So many seconds of film. */
export function film(seconds: number): Buffer {
  const info = part(
    '1549a966',
    number('2ad7b1', 1_000_000, 3),
    float('4489', seconds * SECOND_MS),
    text('4d80', 'arbora'),
    text('5741', 'arbora'),
  );
  const pictures = Array.from({ length: seconds }, (_, second) =>
    part('1f43b675', number('e7', second * SECOND_MS, 4), part('a3', Buffer.from([0x81, 0, 0, 0x80]), FRAME)),
  );
  /** Where each lies, counted from where the parts begin: all are of one length. */
  const places = (first: number) =>
    part(
      '1c53bb6b',
      ...pictures.map((picture, second) =>
        part(
          'bb',
          number('b3', second * SECOND_MS, 4),
          part('b7', number('f7', 1), number('f1', first + second * picture.length, 4)),
        ),
      ),
    );
  const head = info.length + TRACKS.length;
  const first = head + places(0).length;
  return Buffer.concat([HEADER, part('18538067', info, TRACKS, places(first), ...pictures)]);
}

/** Gives a film's bytes out as the server does: the range that is asked for. */
export const played = (bytes: Buffer) => (route: Route) => {
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(route.request().headers().range ?? '') ?? [];
  const last = to === '' ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1);
  const body = bytes.subarray(Number(from), last + 1);
  return route.fulfill({
    status: 206,
    contentType: 'video/webm',
    headers: {
      'Accept-Ranges': 'bytes',
      'Content-Length': String(body.length),
      'Content-Range': `bytes ${from}-${last}/${bytes.length}`,
    },
    body,
  });
};
