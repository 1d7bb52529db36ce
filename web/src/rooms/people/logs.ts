/** What a line of the audit log says, in words. Pure. */
import type texts from '@/i18n/pt/logs.json';
import type { Log } from './people';

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

/** Before and after where there was a change, and all else in one line. */
export function detailsOf(
  { details: names, yes, no }: Pick<Words, 'details' | 'yes' | 'no'>,
  { details }: Pick<Log, 'details'>,
): {
  before: string | null;
  after: string | null;
  rest: string;
} {
  const text = (value: unknown): string => {
    if (typeof value === 'string') return value;
    if (typeof value === 'boolean') return value ? yes : no;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
    return value === null || value === undefined ? '–' : JSON.stringify(value);
  };
  const { before, after, ...rest }: Record<string, unknown> = { ...details };
  return {
    before: before === undefined ? null : text(before),
    after: after === undefined ? null : text(after),
    rest: Object.entries(rest)
      .map(([name, value]) => `${found(names as Named, name) ?? name}: ${text(value)}`)
      .join(' · '),
  };
}
