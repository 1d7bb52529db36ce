/** The room's types, calls and caches. */
import { api, body, type Schemas } from '@/api/client';
import { patchRows } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { QUEUES, type QueueRow } from '@/api/queues';
import { screenAt } from '@/api/screens';
import { WAITING } from '@/live/waiting';

export type Case = Schemas['ComplianceCaseView'];
export type CasePage = Schemas['CasePage'];
export type Pause = Schemas['PauseView'];

export const CASES = QUEUES.compliance.list;
export const PAUSES = QUEUES.pauses.list;
export const RELATED = '/admin/related-accounts';

/** The screen on which what waits for a case is decided, found by its user. */
export function screenOf({ waits, username }: Pick<Case, 'waits' | 'username'>): string | null {
  const found = (row: QueueRow) => screenAt(row, { search: username });
  switch (waits) {
    case 'transfer':
      return found(QUEUES.transfers);
    case 'pix_deposit':
      return found(QUEUES.pixDeposits);
    case 'pix_withdrawal':
      return found(QUEUES.pixWithdrawals);
    case 'crypto_deposit':
      return found(QUEUES.cryptoDeposits);
    case 'crypto_withdrawal':
      return found(QUEUES.cryptoWithdrawals);
    case 'graduation_bonus':
      return found(QUEUES.graduationBonuses);
    default:
      return null;
  }
}

/** What waits until its case is decided here. All else is decided on its own screen, and the case with it. */
const FIRST = new Set(['pix_deposit', 'graduation_bonus']);

export const isDecidedHere = ({ status, waits }: Pick<Case, 'status' | 'waits'>): boolean =>
  status === 'open' && (waits === null || waits === undefined || FIRST.has(waits));

/** Writes a case's newest state over the rows that show it; true when one did. */
export const patchCases = (fresh: Case): boolean => patchRows([CASES], fresh, { whole: true });

export const decideCase = mutation({
  /** With what it was worth when it was looked at. A refusal says that the screen is behind. */
  send: (order: { id: string; cleared: boolean; note?: string; value: string }) =>
    api.PATCH(CASES, { body: order }),
  changes: [CASES],
  always: true,
});

/** What is paused stands still at once. */
export const startPause = mutation({
  send: (order: { reason: string; reviewDate: string; username?: string; what?: Pause['what'] }) =>
    api.POST(PAUSES, { body: order }),
  changes: [PAUSES],
});

/** One of two words that end a pause: the first says why, and those whom it concerned read it. */
export const liftPause = mutation({
  send: ({ id, reason }: { id: string; reason: string }) =>
    body(
      api.POST('/admin/outbound-pauses/{id}/lift', {
        params: { path: { id } },
        body: reason ? { reason } : {},
      }),
    ),
  changes: [PAUSES, WAITING],
});
