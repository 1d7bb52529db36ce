import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { besideProgram } from './worker.config.ts';

/** Writes `file.br` beside each text asset: the server sends what is already compressed instead of doing it per request. */
function precompress(): Plugin {
  const walk = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? walk(path) : [path];
    });
  return {
    name: 'precompress',
    apply: 'build',
    closeBundle() {
      for (const path of walk('dist')) {
        if (!/\.(js|css|svg|html|json)$/.test(path)) continue;
        const bytes = readFileSync(path);
        if (bytes.length > 1024) writeFileSync(`${path}.br`, brotliCompressSync(bytes));
      }
    },
  };
}

/** Writes into the document which pieces the sign-in is made of, so that `skin.js` can ask for them before the program has come to it, and its outline. */
function loginPieces(): Plugin {
  return {
    name: 'login-pieces',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
        const pieces = (source: string, found = new Set<string>()): Set<string> => {
          const add = (file: string) => {
            const chunk = chunks.find((one) => one.fileName === file);
            if (!chunk || found.has(file) || html.includes(file)) return;
            found.add(file);
            chunk.imports.forEach(add);
          };
          const own = chunks.find((one) => one.facadeModuleId?.endsWith(source));
          if (!own) throw new Error(`no chunk of ${source}`);
          add(own.fileName);
          return found;
        };
        const all: Record<string, string[]> = { code: [...pieces('src/rooms/identity/LoginPage.tsx')] };
        for (const locale of ['pt', 'en', 'es'])
          all[locale] = ['common', 'login'].flatMap((texts) => [
            ...pieces(`src/i18n/${locale}/${texts}.json`),
          ]);
        const said = (name: 'title' | 'subtitle') =>
          (['pt', 'en', 'es'] as const)
            .map((locale) => {
              const texts = JSON.parse(readFileSync(`src/i18n/${locale}/login.json`, 'utf8'));
              return `<span lang="${locale === 'pt' ? 'pt-BR' : locale}">${texts[name]}</span>`;
            })
            .join('');
        const outline = `<div class="first-card"><p>${said('title')}</p><p>${said('subtitle')}</p><i></i><i></i><b></b></div>`;
        const content = JSON.stringify(all).replaceAll('"', '&quot;');
        // Nothing is painted without the styles: they are asked for before the program is, which can wait for them.
        const styles = /<link rel="stylesheet"[^>]*>/.exec(html)?.[0] ?? '';
        return html
          .replace(styles, '')
          .replace(/<(script type="module"|link rel="modulepreload")/g, '<$1 fetchpriority="low"')
          .replace(
            '<script src="/skin.js"',
            `${styles}\n    <meta name="login-pieces" content="${content}" />\n    $&`,
          )
          .replace('<!--sign-in-->', outline);
      },
    },
  };
}

const server = process.env.ARBORA_SERVER ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), loginPieces(), besideProgram(), precompress()],
  // The server puts a fresh nonce here on each answer; its policy allows no other style tag.
  html: { cspNonce: '__CSP_NONCE__' },
  resolve: { tsconfigPaths: true },
  build: {
    target: 'baseline-widely-available',
    manifest: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // The entry lists the pieces of all pages by name: each letter counts.
        chunkFileNames: 'assets/[name]-[hash:7].js',
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 30 },
            { name: 'i18n', test: /node_modules[\\/](i18next|react-i18next)[\\/]/, priority: 20 },
          ],
        },
      },
    },
  },
  server: { port: 5173, strictPort: true, proxy: { '/api': { target: server, ws: true } } },
  preview: { port: 4173, strictPort: true, proxy: { '/api': { target: server, ws: true } } },
  test: {
    // A window is made for those alone that ask for one in their first line: it takes longer than most tests.
    environment: 'node',
    // Two cores are shared with the server's own tests.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    globals: false,
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: false,
  },
});
