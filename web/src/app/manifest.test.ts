/** What a browser reads when the program is installed, in each language: files of their own, alike but for their words. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { pages } from './pages';

const web = resolve(import.meta.dirname, '../..');
const place = join(web, 'public');
const manifests = ['', '.en', '.es'].map((language) =>
  JSON.parse(readFileSync(join(place, `manifest${language}.webmanifest`), 'utf8')),
);

interface Icon {
  src: string;
  sizes: string;
  purpose?: string;
}

/** Width and height as a PNG itself says them. */
function sizeOf(src: string): string {
  const bytes = readFileSync(join(place, src));
  expect(bytes.subarray(1, 4).toString('latin1'), src).toBe('PNG');
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

test('they are one program in three languages', () => {
  const bare = manifests.map(({ description, lang, shortcuts, ...rest }) => ({
    ...rest,
    shortcuts: shortcuts.map(({ name, ...one }: { name: string }) => one),
  }));
  expect(bare[1]).toEqual(bare[0]);
  expect(bare[2]).toEqual(bare[0]);
  expect(manifests.map(({ lang }) => lang)).toEqual(['pt-BR', 'en', 'es']);
  expect(new Set(manifests.map(({ description }) => description)).size).toBe(3);
});

test('icons are there in the size that is said, one pair to be cut by the system', () => {
  const { icons } = manifests[0] as { icons: Icon[] };
  for (const { src, sizes } of icons) expect(sizeOf(src), src).toBe(sizes);
  for (const purpose of ['any', 'maskable'])
    expect(icons.filter((icon) => icon.purpose === purpose).map(({ sizes }) => sizes)).toEqual([
      '192x192',
      '512x512',
    ]);
  expect(sizeOf('/icons/apple-touch-icon.png')).toBe('180x180');
  expect(existsSync(join(place, 'icons/badge-96.png'))).toBe(true);
});

test('a shortcut leads to a screen', () => {
  const paths = new Set(pages.map(({ path }) => path));
  for (const { url } of manifests[0].shortcuts) expect(paths).toContain(url);
  expect(manifests[0]).toMatchObject({ id: '/', scope: '/', start_url: '/', display: 'standalone' });
});

test('the document names them', () => {
  const html = readFileSync(join(web, 'index.html'), 'utf8');
  expect(html).toContain('<link rel="manifest" href="/manifest.webmanifest" />');
  expect(html).toContain('<link rel="apple-touch-icon" href="/icons/apple-touch-icon.png" />');
});
