/** What a ticket can be about: its kinds, its calls, and where staff see such a thing. */
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { QUEUES, type QueueRow } from '@/api/queues';
import { screenAt } from '@/api/screens';
import { meaningOf } from '@/shared/status/StatusBadge';
import { useFormat } from '@/ui/format';

export type Subject = Schemas['SubjectView'];

export const KINDS = [
  'pix_deposit',
  'pix_withdrawal',
  'crypto_deposit',
  'crypto_withdrawal',
  'transfer',
  'licence',
] as const;
export type Kind = (typeof KINDS)[number];

const isKind = (name: string): name is Kind => (KINDS as readonly string[]).includes(name);

/** One's own latest things of every kind, newest first. */
export const useSubjects = () => $api.useQuery('get', '/support/subjects');

/** A kind's name. One that this face does not know yet keeps the server's word. */
export function useKindName() {
  const { t } = useTranslation('support');
  return (name: string) => (isKind(name) ? t(($) => $.panel.kind[name]) : name);
}

/** What a thing is worth, in what it is counted in. */
export function useWorth() {
  const format = useFormat();
  return ({ amount, currency }: Subject) =>
    currency === 'USDT' ? format.usdt(amount) : `${format.decimal(amount)}\u00a0${currency}`;
}

/** A thing in one line: worth, state, when it last changed. */
export function useSubjectLine() {
  const { t } = useTranslation('shell');
  const format = useFormat();
  const worth = useWorth();
  return (subject: Subject) =>
    [worth(subject), t(($) => $.status[meaningOf(subject.status)]), format.dateTime(subject.at)].join(' · ');
}

/** The screen of staff that lists such things, searched for their owner; a licence has none. */
export function screenOf(kind: string, username: string): string | null {
  const all = (row: QueueRow) => screenAt(row, { tab: 'all', search: username });
  switch (kind) {
    case 'pix_deposit':
      return all(QUEUES.pixDeposits);
    case 'pix_withdrawal':
      return all(QUEUES.pixWithdrawals);
    case 'crypto_deposit':
      return all(QUEUES.cryptoDeposits);
    case 'crypto_withdrawal':
      return all(QUEUES.cryptoWithdrawals);
    case 'transfer':
      return all(QUEUES.transfers);
    default:
      return null;
  }
}
