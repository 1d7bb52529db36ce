/** What somebody has written and the server has not confirmed, kept per person and ticket until it has: it survives a reload, like a draft. */
import type { Pending } from './outbox';

const key = (user: string, ticket: string) => `unsent:${user}:${ticket}`;
/** More than this nobody writes into one ticket without an answer. */
const MOST = 50;

interface Kept {
  clientId: string;
  text: string;
  at: string;
  /** The name of what was attached: a file itself is not kept. */
  file: string | null;
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' &&
  value !== null &&
  'clientId' in value &&
  typeof value.clientId === 'string' &&
  'text' in value &&
  typeof value.text === 'string' &&
  'at' in value &&
  typeof value.at === 'string' &&
  'file' in value &&
  (value.file === null || typeof value.file === 'string');

export function readUnsent(user: string, ticket: string): readonly Pending[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key(user, ticket)) ?? '[]');
    if (!Array.isArray(kept)) return [];
    return kept.filter(isKept).map(
      ({ clientId, text, at, file }): Pending => ({
        clientId,
        text,
        at,
        file: null,
        lost: file,
        // What had a file waits until its author says what becomes of it.
        state: file === null ? 'waiting' : 'failed',
        error: null,
        agreed: false,
      }),
    );
  } catch {
    return [];
  }
}

export function keepUnsent(user: string, ticket: string, items: readonly Pending[]) {
  try {
    const kept = items
      .slice(-MOST)
      .map(({ clientId, text, at, file, lost }): Kept => ({ clientId, text, at, file: file?.name ?? lost }));
    if (kept.length === 0) localStorage.removeItem(key(user, ticket));
    else localStorage.setItem(key(user, ticket), JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing: what waits lives as long as the screen.
  }
}
