/** Who is asked for what an account lacks, and where people get past it to their own money. */
import type { Me } from '@/api/session';

/** Newer terms do not stand before these: taking money out, looking at it, asking for help. */
const ALWAYS_OPEN = [/^\/wallet\/my-withdrawals/, /^\/customer\/extrato$/, /^\/support(\/|$)/];

export function mustComplete({ missing, termsBefore }: Pick<Me, 'missing' | 'termsBefore'>, path: string) {
  const lacking = missing.filter((name) => name !== 'email');
  if (lacking.length === 0) return false;
  const onlyNewerTerms = termsBefore && lacking.every((name) => name === 'terms' || name === 'risk');
  return !(onlyNewerTerms && ALWAYS_OPEN.some((open) => open.test(path)));
}
