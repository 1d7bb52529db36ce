/** Where a notice leads: the screen on which its reader sees the thing itself. */
import type { Permission } from '@/api/ability';
import { QUEUES } from '@/api/queues';

interface Place {
  screen: string;
  /** Who has left the staff keeps the notice, and not the screen. */
  permission: Permission;
}

/** What a code begins with, and its screen of a member's own; the first that fits. */
const SCREENS: readonly (readonly [begins: string, screen: string])[] = [
  ['pix_deposit_', '/wallet/my-deposits-pix'],
  ['pix_withdrawal_', '/wallet/my-withdrawals-pix'],
  ['crypto_deposit_', '/wallet/my-deposits'],
  ['crypto_withdrawal_', '/wallet/my-withdrawals'],
  ['pyx_withdrawal_', '/wallet/my-withdrawals'],
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
  ['pool_', '/licences?tab=pools'],
  ['announcement', '/notifications'],
  ['data_export_ready', '/account-setting?tab=privacy'],
  ['account_seen', '/account-setting?tab=privacy'],
];

/** The same of what staff alone are told. */
const STAFF: readonly (readonly [begins: string, place: Place])[] = [
  ['payout_', { screen: '/payout-report', permission: 'admin_permissions' }],
  ['chain_reorganised', QUEUES.cryptoDeposits],
  ['desk_halted', QUEUES.live],
  [
    'account_closing_late',
    { screen: '/administrator/users/list', permission: 'customer-service_list-users' },
  ],
  ['admin_', QUEUES.grants],
  ['queue_old_tickets', QUEUES.tickets],
  ['queue_old_compliance', QUEUES.compliance],
];

const own = (screen: string): Place => ({ screen, permission: 'registered-user' });

/** None for what has no screen of its own. */
export function placeOf(code: string, params: Record<string, unknown>): Place | null {
  const { ticket } = params;
  if (code !== 'ticket_deleted' && code.startsWith('ticket_'))
    return own(typeof ticket === 'string' ? `/support/ticket/${encodeURIComponent(ticket)}` : '/support');
  const { user } = params;
  if (code === 'account_closing_late' && typeof user === 'string')
    return {
      screen: `/administrator/users/view/${encodeURIComponent(user)}`,
      permission: 'customer-service_user-view',
    };
  const { announcement } = params;
  if (code === 'announcement' && typeof announcement === 'string')
    return own(`/notifications?announcement=${encodeURIComponent(announcement)}`);
  const named = SCREENS.find(([begins]) => code.startsWith(begins));
  if (named) return own(named[1]);
  const staff = STAFF.find(([begins]) => code.startsWith(begins));
  return staff?.[1] ?? Object.values(QUEUES).find(({ counter }) => code === `queue_old_${counter}`) ?? null;
}
