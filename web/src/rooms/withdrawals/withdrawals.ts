/** The room's types, words and caches. */
import type { Schemas } from '@/api/client';
import { queryClient } from '@/api/queryClient';

export type Withdrawal = Schemas['ChainWithdrawalView'];
export type WithdrawalRow = Schemas['WithdrawalRow'];
export type WithdrawalPage = Schemas['WithdrawalPage'];
export type HotWallet = Schemas['HotWalletView'];

export const COINS = ['usdt', 'busd', 'bnb', 'pyx'] as const;
export type PayCoin = (typeof COINS)[number];

export const WITHDRAWALS = ['get', '/list-withdraws'] as const;
export const QUEUE = ['get', '/admin/crypto-withdrawal-list'] as const;

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

/** An address in fours, as people compare it. */
export const inFours = (address: string): string =>
  `0x ${(address.replace(/^0x/, '').match(/.{1,4}/g) ?? []).join(' ')}`;

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

interface Listed {
  data: Withdrawal[];
}

/** Puts a withdrawal's newest state into every list that shows it; true when one did. An older version never wins. */
export function patchWithdrawals(withdrawal: Withdrawal, pending?: number): boolean {
  let shown = false;
  for (const queryKey of [WITHDRAWALS, QUEUE])
    queryClient.setQueriesData<Listed & { pending?: number }>({ queryKey }, (page) => {
      if (!page) return page;
      const has = page.data.some(({ _id }) => _id === withdrawal._id);
      shown ||= has;
      return {
        ...page,
        ...(page.pending !== undefined && pending !== undefined && { pending }),
        data: has
          ? page.data.map((row) =>
              row._id === withdrawal._id && row.version < withdrawal.version
                ? { ...row, ...withdrawal }
                : row,
            )
          : page.data,
      };
    });
  return shown;
}

/** The wallet that pays, as it stands now. */
export function patchHotWallet(wallet: HotWallet) {
  queryClient.setQueriesData<WithdrawalPage>({ queryKey: QUEUE }, (page) =>
    page && page.hotWallet.version < wallet.version ? { ...page, hotWallet: wallet } : page,
  );
}

export const refetchWithdrawals = () => queryClient.invalidateQueries({ queryKey: WITHDRAWALS });
export const refetchQueue = () => queryClient.invalidateQueries({ queryKey: QUEUE });
