/** Where a notice leads: the screen on which its reader sees the thing itself. The table is read by the server too, for what it pushes: of what a
 *  code begins with the first that fits counts. */
import type { Permission } from '@/api/ability';
import { QUEUES } from '@/api/queues';
import screens from './screens.json';

interface Place {
  screen: string;
  /** Who has left the staff keeps the notice, and not the screen. */
  permission: Permission;
}

/** What staff alone are told of what is decided in a queue that the code does not name. */
const DECIDED: readonly (readonly [begins: string, place: Place])[] = [
  ['chain_reorganised', QUEUES.cryptoDeposits],
  ['desk_halted', QUEUES.live],
  [
    'account_closing_late',
    { screen: '/administrator/users/list', permission: 'customer-service_list-users' },
  ],
  ['admin_', QUEUES.grants],
  ['tickets_wait', QUEUES.tickets],
  ['queue_old_tickets', QUEUES.tickets],
  ['queue_old_compliance', QUEUES.compliance],
];

const own = (screen: string): Place => ({ screen, permission: 'registered-user' });

/** None for what has no screen of its own. */
export function placeOf(code: string, params: Record<string, unknown>): Place | null {
  const { ticket } = params;
  // What a customer wrote is told to who has the ticket: it is answered at the desk, and the customer's own page of it is nobody else's.
  if (code === 'ticket_said')
    return typeof ticket === 'string'
      ? {
          screen: `/customer-service/ticket-response/${encodeURIComponent(ticket)}`,
          permission: 'customer-service_response-ticket',
        }
      : QUEUES.tickets;
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
  const begins = (row: { begins: string }) => code.startsWith(row.begins);
  const named = screens.own.find(begins);
  if (named) return own(named.screen);
  const report = screens.administrators.find(begins);
  if (report) return { screen: report.screen, permission: 'admin_permissions' };
  const decided = DECIDED.find(([start]) => code.startsWith(start));
  return decided?.[1] ?? Object.values(QUEUES).find(({ counter }) => code === `queue_old_${counter}`) ?? null;
}
