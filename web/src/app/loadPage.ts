import { i18n } from '@/i18n';
import type { Page } from './pages';

/** A chunk that takes longer than this counts as failed. */
export const CHUNK_TIMEOUT_MS = 120_000;

export class ChunkTimeout extends Error {
  override name = 'ChunkTimeout';
}

export async function withTimeout<T>(work: Promise<T>, ms = CHUNK_TIMEOUT_MS): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ChunkTimeout('the page took too long to load')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The code and the texts of a page, together. */
export const loadPage = (page: Pick<Page, 'load' | 'texts'>) => async () => {
  const [module] = await withTimeout(Promise.all([page.load(), i18n.loadNamespaces([...page.texts])]));
  return { Component: module.default };
};

/** What may come late but must come: a piece that fails for want of a connection is asked for again when there is one, and takes nothing down. */
export async function loadPatiently<T>(load: () => Promise<T>): Promise<T> {
  for (let pause = 1_000; ; pause = Math.min(pause * 2, 60_000)) {
    try {
      return await load();
    } catch {
      await new Promise<void>((resume) => {
        const timer = setTimeout(resume, pause);
        const again = () => {
          clearTimeout(timer);
          resume();
        };
        addEventListener('online', again, { once: true });
      });
    }
  }
}
