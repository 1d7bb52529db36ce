// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fitted, scaleDown } from './scaleDown';

const MB = 1024 * 1024;
/** Bytes a pixel of what the canvas writes. */
let weight = 0.1;
let size = { width: 4000, height: 3000 };
const close = vi.fn();
const read = vi.fn(async (..._: unknown[]) => ({ ...size, close }));

function file(type: string, bytes: number): File {
  const made = new File(['x'], `recibo.${type.split('/')[1]}`, { type, lastModified: 7 });
  Object.defineProperty(made, 'size', { value: bytes });
  return made;
}

beforeEach(() => {
  weight = 0.1;
  vi.stubGlobal('createImageBitmap', read);
  const pen: CanvasRenderingContext2D = Object.create({ drawImage: () => {} });
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(pen);
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(function (
    this: HTMLCanvasElement,
    done,
    type,
  ) {
    done(new Blob([new Uint8Array(Math.floor(this.width * this.height * weight))], { type: type ?? '' }));
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('fitted', () => {
  test.each([
    [4000, 3000, 16e6, 4000, 3000],
    [8000, 6000, 16e6, 4618, 3464],
    [20_000, 1, 16e6, 20_000, 1],
    [1, 90_000_000, 16e6, 1, 37_947_331],
  ])('%i × %i into %i pixels', (width, height, pixels, w, h) => {
    expect(fitted(width, height, pixels)).toEqual({ width: w, height: h });
  });
});

test('what fits goes as it is, with the turn of its camera left to the server', async () => {
  size = { width: 4000, height: 4000 };
  const photo = file('image/jpeg', 3 * MB);
  expect(await scaleDown(photo, 8 * MB)).toBe(photo);
  expect(close).toHaveBeenCalled();
});

test.each(['image/jpeg', 'image/png'])(
  'a larger %s is scaled to 16 megapixels and keeps its type',
  async (type) => {
    size = { width: 8000, height: 6000 };
    const sent = await scaleDown(file(type, 3 * MB), 8 * MB);
    expect([sent.type, sent.name, sent.lastModified]).toEqual([type, `recibo.${type.split('/')[1]}`, 7]);
    expect(sent.size).toBe(Math.floor(4618 * 3464 * 0.1));
    expect(read).toHaveBeenCalledWith(expect.anything(), { imageOrientation: 'from-image' });
  },
);

test('too many bytes: smaller until it fits', async () => {
  size = { width: 4000, height: 4000 };
  weight = 2;
  const sent = await scaleDown(file('image/png', 20 * MB), 8 * MB);
  expect(sent.size).toBeLessThanOrEqual(8 * MB);
  expect(sent.size).toBeGreaterThan(4 * MB);
});

test('animations, documents and what cannot be read go as they are', async () => {
  for (const type of ['image/gif', 'application/pdf', 'text/csv']) {
    const other = file(type, 20 * MB);
    expect(await scaleDown(other, 8 * MB)).toBe(other);
  }
  expect(read).not.toHaveBeenCalledWith(expect.objectContaining({ type: 'image/gif' }), expect.anything());
  vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('not a picture')));
  const broken = file('image/png', 9 * MB);
  expect(await scaleDown(broken, 8 * MB)).toBe(broken);
});
