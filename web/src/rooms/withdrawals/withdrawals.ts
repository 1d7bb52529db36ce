/** The room's types, words and caches. */
import { api, body, type Schemas } from '@/api/client';
import { patchRows, refetch, showRow } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { queueRows } from '@/live/queue';

export type Withdrawal = Schemas['ChainWithdrawalView'];
export type WithdrawalRow = Schemas['WithdrawalRow'];
export type WithdrawalPage = Schemas['WithdrawalPage'];
export type HotWallet = Schemas['HotWalletView'];

export const COINS = ['usdt', 'busd', 'bnb', 'pyx'] as const;
export type PayCoin = (typeof COINS)[number];

export const WITHDRAWALS = '/list-withdraws';
export const QUEUE = QUEUES.cryptoWithdrawals.list;
export const REPORT = '/admin/crypto-withdrawals-report';

/** Nobody has decided on it yet: its user may take it back. */
export const isUndecided = ({ status }: Pick<Withdrawal, 'status'>): boolean =>
  status === 'awaiting_email' || status === 'pending' || status === 'awaiting_confirmation';

/** Decimals that a coin is shown with in lists. */
export const listDigits = (coin: Withdrawal['coin']): 4 | 6 | 8 =>
  coin === 'bnb' ? 8 : coin === 'pyx' ? 6 : 4;

/** What staff can do about it. */
export const toDo = ({ status }: Pick<Withdrawal, 'status'>): 'decide' | 'stop' | 'failed' | null =>
  status === 'pending'
    ? 'decide'
    : status === 'failed'
      ? 'failed'
      : status === 'approved' || status === 'awaiting_confirmation'
        ? 'stop'
        : null;

/** The word that staff's badge shows: what is pending is theirs to decide. */
export const staffWord = ({ status }: Pick<Withdrawal, 'status'>): string =>
  status === 'pending' ? 'pending_approval' : status === 'awaiting_confirmation' ? 'waiting' : status;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Whether a text has an address's shape; whether its letters are its checksum the server says. */
export const looksLikeAddress = (text: string): boolean => ADDRESS.test(text.trim());

/** A known address that begins and ends like this one and is another: somebody may have planted it. */
export function lookAlike(address: string, known: readonly string[]): string | undefined {
  const own = address.trim().toLowerCase();
  if (!looksLikeAddress(own)) return undefined;
  return known.find((one) => {
    const other = one.toLowerCase();
    return other !== own && other.slice(0, 6) === own.slice(0, 6) && other.slice(-4) === own.slice(-4);
  });
}

/** The mailed link's two halves: which withdrawal, and its token. */
export function readLink(param: string | null): { id: string; token: string } | null {
  const [id, token, ...rest] = (param ?? '').split('.');
  return id && token && rest.length === 0 ? { id, token } : null;
}

/** Puts a withdrawal's newest state into every list that shows it; true when one did. An older version never wins. */
export const patchWithdrawals = (withdrawal: Withdrawal): boolean =>
  patchRows([WITHDRAWALS, QUEUE], withdrawal);

/** The withdrawals as the facts of staff's queue tell them. */
export const withdrawalRows = queueRows({
  queue: QUEUES.cryptoWithdrawals,
  pick: (item) => (item.type === 'crypto_withdrawal' ? item.withdrawal : null),
  waits: (withdrawal) => toDo(withdrawal) !== null,
  sums: [REPORT],
});

/** The wallet that pays, as it stands now. */
export function patchHotWallet(wallet: HotWallet) {
  queryClient.setQueriesData<WithdrawalPage>({ queryKey: ['get', QUEUE] }, (page) =>
    page && page.hotWallet.version < wallet.version ? { ...page, hotWallet: wallet } : page,
  );
}

/** What moves money of the balance: the list, and what may still leave. */
const MOVED = [WITHDRAWALS, '/outbound-state'] as const;

export const withdraw = mutation({
  send: (order: { coin: PayCoin; address: string; value: string; securityCode?: string }, key) =>
    body(api.POST('/withdraw', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: MOVED,
});

/** By the mailed link. */
export const confirmWithdrawal = mutation({
  send: (token: string) => body(api.POST('/withdraw/confirm', { body: { token } })),
  patch: (confirmed) => patchWithdrawals(confirmed),
  changes: [WITHDRAWALS],
});

export const resendLink = mutation({
  send: (id: string) => body(api.POST('/withdraw/resend', { body: { id } })),
  patch: (resent) => patchWithdrawals(resent),
  changes: [],
});

export const cancelWithdrawal = mutation({
  send: (id: string, key) =>
    body(api.POST('/withdraw/cancel', { params: { header: { 'Idempotency-Key': key } }, body: { id } })),
  patch: (canceled) => patchWithdrawals(canceled),
  changes: MOVED,
});

/** The rate moved: the new amount is taken. */
export const takeOffer = mutation({
  send: (order: { id: string; amount: string }, key) =>
    body(api.POST('/withdraw/requote', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  patch: (taken) => patchWithdrawals(taken),
  changes: MOVED,
});

export const refetchWithdrawals = () => refetch(WITHDRAWALS);

/** One's own, as last told; staff's list shows it as well. */
export function showWithdrawal(withdrawal: Withdrawal) {
  showRow([WITHDRAWALS], withdrawal);
  withdrawalRows.patch(withdrawal);
}

type Decision = { id: string } & (
  | { status: 'approved'; amount: string }
  | { status: 'retry' }
  | { status: 'rejected'; reason: string }
);

export const decideWithdrawal = mutation({
  send: (order: Decision, key) =>
    body(
      api.PATCH('/admin/crypto-withdrawal-approve-reject', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  patch: (decided) => patchWithdrawals(decided),
  changes: [QUEUE],
});

/** After a transaction of the wallet's that is not ours: somebody has looked. */
export const resumeHotWallet = mutation({
  /** With the transactions that were looked at. A refusal says that the screen is behind. */
  send: (order: { reason: string; seen: string[] }) =>
    body(api.POST('/admin/hot-wallet/resume', { body: order })),
  patch: patchHotWallet,
  changes: [QUEUE],
  always: true,
});
