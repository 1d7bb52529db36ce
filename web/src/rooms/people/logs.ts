/** What a line of the audit log says beside its code. Pure. */
import type { Log } from './people';

const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '–' : JSON.stringify(value);

/** Before and after where there was a change, and all else in one line. */
export function detailsOf({ details }: Pick<Log, 'details'>): {
  before: string | null;
  after: string | null;
  rest: string;
} {
  const { before, after, ...rest }: Record<string, unknown> = { ...details };
  return {
    before: before === undefined ? null : text(before),
    after: after === undefined ? null : text(after),
    rest: Object.entries(rest)
      .map(([name, value]) => `${name}: ${text(value)}`)
      .join(' · '),
  };
}
