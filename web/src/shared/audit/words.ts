/** What a line of the audit log says, in words. Pure. */
import type { Schemas } from '@/api/client';
import type texts from '@/i18n/pt/logs.json';

export type Log = Schemas['AuditRow'];
type Words = typeof texts;
type Named = Readonly<Record<string, string>>;
/** Some deeds are named by one word alone; most by who or what it is about, and what was done. */
type Actions = Readonly<Record<string, string | Named>>;

const found = <T>(words: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(words, name) ? words[name] : undefined;

/** An action's code in words; the code itself where the server knows one that is not known here yet. */
export function actionOf(
  { actions, payouts, deeds }: Pick<Words, 'actions' | 'payouts' | 'deeds'>,
  code: string,
): string {
  const [subject = '', deed = ''] = code.split('.');
  const own = found<string | Named>(actions as Actions, subject);
  if (typeof own === 'string') return own;
  const done = own && found(own, deed);
  if (done) return done;
  const payout = found(payouts as Named, subject);
  const what = found(deeds as Named, deed);
  return payout && what ? `${payout}: ${what}` : code;
}

/** Every action that there are words for: what entries can be narrowed to. The server knows the same ones (a test). */
export function actionsIn({
  actions,
  payouts,
  deeds,
}: Pick<Words, 'actions' | 'payouts' | 'deeds'>): string[] {
  const own = Object.entries(actions as Actions).flatMap(([subject, done]) =>
    typeof done === 'string' ? [subject] : Object.keys(done).map((deed) => `${subject}.${deed}`),
  );
  const paid = Object.keys(payouts).flatMap((way) => Object.keys(deeds).map((deed) => `${way}.${deed}`));
  return [...own, ...paid];
}

type Told = Pick<Words, 'details' | 'values' | 'yes' | 'no'>;

function textOf({ values, yes, no }: Told, value: unknown, name = ''): string {
  // A word of a closed list is said in the reader's language; one that is not known, as it is written.
  if (typeof value === 'string')
    return found(found(values as Record<string, Named>, name) ?? {}, value) ?? value;
  if (typeof value === 'boolean') return value ? yes : no;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return value === null || value === undefined ? '–' : JSON.stringify(value);
}

/** Before and after where there was a change, and all else by its names. */
export function factsOf(
  words: Told,
  { details }: Pick<Log, 'details'>,
): { before: string | null; after: string | null; rest: { name: string; label: string; text: string }[] } {
  const { before, after, ...rest }: Record<string, unknown> = { ...details };
  return {
    before: before === undefined ? null : textOf(words, before),
    after: after === undefined ? null : textOf(words, after),
    rest: Object.entries(rest).map(([name, value]) => ({
      name,
      label: found(words.details as Named, name) ?? name,
      text: textOf(words, value, name),
    })),
  };
}

/** The same with all else in one line. */
export function detailsOf(
  words: Told,
  row: Pick<Log, 'details'>,
): { before: string | null; after: string | null; rest: string } {
  const { rest, ...change } = factsOf(words, row);
  return { ...change, rest: rest.map(({ label, text }) => `${label}: ${text}`).join(' · ') };
}
