/** The room's types, amounts, calls and caches. */
import { api, body, type Schemas } from '@/api/client';
import { patchRows, showRow } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { QUEUES } from '@/api/queues';
import { queueRows } from '../queue';

export type Deposit = Schemas['ChainDepositView'];
export type Coin = Schemas['Coin'];
/** As people write it. */
export type CoinCode = Uppercase<Coin>;

export const LIST = '/list-deposits';
export const QUEUE = QUEUES.cryptoDeposits.list;

export const REPORT = '/admin/crypto-deposits-report';

const WEI = 18;

/** Whole wei as a decimal string: exact, however many digits. */
export function fromWei(wei: string): string {
  const digits = wei.padStart(WEI + 1, '0');
  const fraction = digits.slice(-WEI).replace(/0+$/, '');
  return fraction ? `${digits.slice(0, -WEI)}.${fraction}` : digits.slice(0, -WEI);
}

const big = (wei: string | null | undefined) => BigInt(wei ?? '0');

/** What has come so far, confirmed or not. */
export const came = (deposit: Deposit): string => fromWei(String(big(deposit.received) + big(deposit.seen)));

/** What an intent still waits for; zero when all of it was seen, none for a plain sum. */
export function missing(deposit: Deposit): string | null {
  if (deposit.due === null || deposit.due === undefined) return null;
  const rest = big(deposit.due) - big(deposit.received) - big(deposit.seen);
  return fromWei(String(rest > 0n ? rest : 0n));
}

export const currencyOf = (coin: Coin | null | undefined): CoinCode =>
  (coin?.toUpperCase() ?? 'USDT') as CoinCode;

/** Asked for, and neither over nor decided. */
export const isOpen = ({ status, expiresAt }: Deposit): boolean =>
  expiresAt !== null && (status === 'waiting_for_buyer_funds' || status === 'pending');

/** Which step of the way a deposit is at, for the line of steps. */
export type Stage = 'waiting' | 'part' | 'seen' | 'review' | 'credited' | 'over';

export function stageOf(deposit: Deposit): Stage {
  switch (deposit.status) {
    case 'waiting_for_buyer_funds':
      return 'waiting';
    case 'pending': {
      const rest = missing(deposit);
      return rest !== null && !/^0(\.0*)?$/.test(rest) ? 'part' : 'seen';
    }
    case 'pending_approval':
      return 'review';
    case 'funds_received_and_confirmed':
    case 'complete':
    case 'completed':
    case 'approved':
      return 'credited';
    default:
      return 'over';
  }
}

/** An address or a hash as it fits a table. */
export const brief = (text: string): string => `${text.slice(0, 8)}…${text.slice(-6)}`;

/** Puts a deposit's newest state into every list that shows it. An older version never wins. */
export const patchLists = (deposit: Deposit): boolean => patchRows([LIST, QUEUE], deposit);

/** The deposits as the facts of staff's queue tell them. */
export const depositRows = queueRows({
  queue: QUEUES.cryptoDeposits,
  pick: (item) => (item.type === 'crypto_deposit' ? item.deposit : null),
  waits: ({ status }) => status === 'pending_approval',
  sums: [REPORT],
});

export const openDeposit = mutation({
  send: (order: { coin: Coin; value: string }, key) =>
    body(api.POST('/deposit', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: [LIST],
  wait: true,
});

export const openIntent = mutation({
  send: (order: Schemas['NewIntent'], key) =>
    body(
      api.POST('/trader/create-deposit-intent', {
        params: { header: { 'Idempotency-Key': key } },
        body: order,
      }),
    ),
  changes: [LIST, '/me/acceptances'],
});

export const cancelDeposit = mutation({
  send: (id: string) => body(api.POST('/deposit/cancel', { body: { id } })),
  patch: patchLists,
  changes: [LIST],
});

/** One's own, as last told; staff's list shows it as well. */
export function showDeposit(deposit: Deposit) {
  showRow([LIST], deposit);
  depositRows.patch(deposit);
}
