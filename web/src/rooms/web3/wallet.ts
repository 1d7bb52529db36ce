/** The room's types, amounts and caches. */
import { api, body, type Schemas } from '@/api/client';
import { refetch, showRow } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { type Coin, fromWei } from '@/live/chain/deposits';
import { compare, isDecimal, truncate } from '@/ui/money';

export type Wallet = Schemas['UserWalletView'];
export type Balance = Schemas['WalletBalance'];
export type Move = Schemas['WalletMoveView'];
export type SwapQuote = Schemas['SwapQuote'];
export type WhitelistEntry = Schemas['WhitelistEntry'];

export const KINDS: readonly Move['kind'][] = ['send', 'swap', 'receive'];
export const STATUSES: readonly Move['status'][] = ['queued', 'sent', 'mined', 'failed'];
export const SLIPPAGES = ['0.10', '0.50', '1.00', '3.00'] as const;
/** From here on the price of a swap is bad enough to be asked about. */
const IMPACT_WARNS = '3';
const IMPACT_STOPS = '15';
/** All decimals of a coin on the chain. */
export const COIN_DECIMALS = 18;

export const digitsOf = (coin: Coin): 4 | 8 => (coin === 'bnb' ? 8 : 4);

/** What of a coin no order under way needs. */
export const freeOf = (balance: Balance | undefined): string =>
  balance ? fromWei(String(BigInt(balance.wei) - BigInt(balance.aside))) : '0';

export const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text.trim());

export type Impact = 'fine' | 'warns' | 'stops';
export const impactOf = (percent: string): Impact =>
  compare(percent, IMPACT_STOPS) >= 0 ? 'stops' : compare(percent, IMPACT_WARNS) >= 0 ? 'warns' : 'fine';

/** How many of one coin a whole one of the other brings, to six digits. */
export function rateOf(value: string, out: string): string | null {
  if (!isDecimal(value) || compare(value, '0') <= 0) return null;
  const scale = 10n ** 18n;
  const [whole = '0', fraction = ''] = value.split('.');
  const spent = BigInt(whole + fraction.slice(0, 18).padEnd(18, '0'));
  if (spent === 0n) return null;
  return truncate(fromWei(String((BigInt(out) * scale) / spent)), 6);
}

export const isUnderWay = ({ status }: Move): boolean => status === 'queued' || status === 'sent';

const HISTORY = '/web3/historic_wallet/{param}';
/** What a move changes without saying it: what the wallet holds, which the chain is asked for, and what may still leave. */
const UNTOLD = ['/web3/readWalletBalances/{param}', '/outbound-state'] as const;
const MOVED = [HISTORY, ...UNTOLD] as const;

/** A move as last told. */
export function showMove(move: Move) {
  showRow([HISTORY], move, { whole: true });
  void refetch(...UNTOLD);
}

interface Confirmed {
  securityCode: string;
}

export const sendTokens = mutation({
  send: (order: Confirmed & { coin: Coin; address: string; value: string }, key) =>
    body(api.POST('/web3/transferToken', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: MOVED,
});

export const swapTokens = mutation({
  send: (
    order: Confirmed & { coin: Coin; coinOut: Coin; value: string; slippage: string; quote: string },
    key,
  ) => body(api.POST('/web3/swapTokens', { params: { header: { 'Idempotency-Key': key } }, body: order })),
  changes: MOVED,
});

const LISTED = ['/whitelist', '/outbound-state'] as const;
export const refetchWhitelist = () => refetch(...LISTED);

export interface NewEntry {
  kind: WhitelistEntry['kind'];
  destination: string;
  label: string;
}

export type WhitelistChange =
  | { what: 'add'; entry: NewEntry }
  | { what: 'remove'; entry: WhitelistEntry }
  | { what: 'on' }
  | { what: 'off' };

export const changeWhitelist = mutation({
  send: async ({ securityCode, ...change }: WhitelistChange & Confirmed) => {
    switch (change.what) {
      case 'add':
        return api.POST('/whitelist', { body: { ...change.entry, securityCode } });
      case 'remove':
        return api.POST('/whitelist/{id}/remove', {
          params: { path: { id: change.entry._id } },
          body: { securityCode },
        });
      case 'on':
        return api.POST('/whitelist/on', { body: { securityCode } });
      case 'off':
        return api.POST('/whitelist/off', { body: { securityCode } });
    }
  },
  changes: LISTED,
  wait: true,
});
