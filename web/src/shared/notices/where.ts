/** Where a notice leads: the screen on which its reader sees the thing itself. */
import { QUEUES } from '@/api/queues';

/** What a code begins with, and its screen; the first that fits. */
const SCREENS: readonly (readonly [begins: string, screen: string])[] = [
  ['pix_deposit_', '/wallet/my-deposits-pix'],
  ['pix_withdrawal_', '/wallet/my-withdrawals-pix'],
  ['crypto_deposit_', '/wallet/my-deposits'],
  ['crypto_withdrawal_', '/wallet/my-withdrawals'],
  ['pyx_withdrawal_', '/exchange/negotiate-igc'],
  ['order_', '/exchange/negotiate-igc'],
  ['licence_', '/licences'],
  ['loan_called', '/licences'],
  ['result_reversed', '/customer/extrato'],
  ['following_', '/robots-without-operation'],
  ['bonus_', '/affiliate-network/bonus-report'],
  ['closing_', '/affiliate-network/bonus-report'],
  ['rank_reached', '/affiliate-network/dashboard'],
  ['graduation_bonus_', '/affiliate-network/dashboard'],
  ['transfer_', '/wallet/transfers'],
  ['wallet_', '/account-setting?tab=crypto'],
  ['ticket_deleted', '/support'],
  ['data_export_ready', '/account-setting?tab=privacy'],
  ['account_seen', '/account-setting?tab=privacy'],
  ['payout_', '/payout-report'],
  ['chain_reorganised', QUEUES.cryptoDeposits.screen],
  ['desk_halted', QUEUES.live.screen],
  ['admin_', QUEUES.grants.screen],
  ['queue_old_tickets', QUEUES.tickets.screen],
  ['queue_old_compliance', QUEUES.compliance.screen],
];

/** None for what has no screen of its own. */
export function screenOf(code: string, params: Record<string, unknown>): string | null {
  const { ticket } = params;
  if (code !== 'ticket_deleted' && code.startsWith('ticket_'))
    return typeof ticket === 'string' ? `/support/ticket/${encodeURIComponent(ticket)}` : '/support';
  const named = SCREENS.find(([begins]) => code.startsWith(begins));
  if (named) return named[1];
  const queue = Object.values(QUEUES).find(({ counter }) => code === `queue_old_${counter}`);
  return queue?.screen ?? null;
}
