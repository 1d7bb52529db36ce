import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';

/** One file with all that it is made of, since a worker, and a page without a network, cannot ask for more. */
async function alone(input: string, name: string, define: Record<string, string> = {}): Promise<string[]> {
  const options: InlineConfig = {
    configFile: false,
    logLevel: 'warn',
    define,
    build: {
      target: 'baseline-widely-available',
      emptyOutDir: false,
      copyPublicDir: false,
      modulePreload: false,
      // Else the styles would be written into the page by its program, which its policy forbids.
      cssCodeSplit: false,
      rolldownOptions: {
        input,
        output: { format: 'iife', entryFileNames: name, assetFileNames: 'assets/offline-[hash:7][extname]' },
      },
    },
  };
  const built = (await build(options)) as Rolldown.RolldownOutput;
  return built.output.map(({ fileName }) => fileName);
}

/** What stands beside the program: the page for who has no connection, and the service worker that keeps it. The worker's text differs with each
 *  program, so that a browser sees that there is a new one. */
export function besideProgram(): Plugin {
  return {
    name: 'beside-program',
    apply: 'build',
    // Before the files are compressed.
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const pieces = await alone('src/worker/offline.ts', 'assets/offline-[hash:7].js');
        const tags = pieces.map((file) =>
          file.endsWith('.css')
            ? `<link rel="stylesheet" href="/${file}" />`
            : `<script src="/${file}"></script>`,
        );
        const page = readFileSync('src/worker/offline.html', 'utf8').replace(
          '<!--pieces-->',
          tags.sort().join('\n    '),
        );
        writeFileSync('dist/offline.html', page);
        const program = createHash('sha256')
          .update(readFileSync('dist/index.html'))
          .update(page)
          .digest('hex')
          .slice(0, 12);
        const shell = ['/offline.html', ...pieces.map((file) => `/${file}`), '/icons/icon-192.png'];
        await alone('src/worker/sw.ts', 'sw.js', {
          __SHELL__: JSON.stringify(shell),
          __PROGRAM__: JSON.stringify(program),
        });
      },
    },
  };
}
