/** Every screen behind the sign-in and what lies within it: what `languages.spec.ts` walks through. A page that stands nowhere here fails a
 *  test of its own (`src/app/walked.test.ts`). */

import type { Permission } from '../../src/api/ability';

export interface Screen {
  /** What its pictures and its failures are called. */
  name: string;
  /** A path of `src/app/pages.ts`. */
  page: string;
  /** What is open there, as the address says it. */
  asks?: Readonly<Record<string, string>>;
  /** A tab of the screen other than its first. */
  inner?: true;
  /** What it takes to see the tab, besides what the page does. */
  needs?: Permission;
  /** In which one language the gate walks it, where not in both, or that the whole walk alone does. */
  gate?: 'en' | 'es' | 'none';
}

const tabs = (page: string, prefix: string, names: readonly string[], needs?: Permission): Screen[] =>
  names.map((tab) => ({ name: `${prefix}-${tab}`, page, asks: { tab }, inner: true, needs }));
const tab = (name: string, page: string, tab: string): Screen => ({ name, page, asks: { tab }, inner: true });

/** `:name` in a path or in what is asked is somebody or something of the answers. */
export const SCREENS: readonly Screen[] = [
  { name: 'dashboard', page: '/' },
  { name: 'analytics', page: '/dashboard-analytics' },
  { name: 'licences', page: '/licences' },
  tab('plans', '/licences', 'plans'),
  tab('loans', '/licences', 'loans'),
  tab('pools', '/licences', 'pools'),
  { name: 'robots-on', page: '/robots-in-operation' },
  { name: 'robot-orders', page: '/robots-in-operation', asks: { robot: ':robot' } },
  tab('leaders', '/robots-in-operation', 'leaders'),
  { name: 'robots-off', page: '/robots-without-operation' },
  { name: 'network', page: '/affiliate-network/dashboard' },
  { name: 'tree', page: '/affiliate-network/binary-tree' },
  { name: 'references', page: '/affiliate-network/direct-references' },
  { name: 'bonus', page: '/affiliate-network/bonus-report' },
  { name: 'bonus-open', page: '/affiliate-network/bonus-report', asks: { bonus: ':bonus' } },
  { name: 'staff-bonus', page: '/bonus-report' },
  { name: 'staff-binary', page: '/binary-report' },
  { name: 'staff-graduations', page: '/graduation-list' },
  { name: 'staff-ranks', page: '/graduations' },
  { name: 'staff-payout', page: '/payout-report' },
  { name: 'deposits', page: '/wallet/my-deposits-pix' },
  { name: 'deposits-chain', page: '/wallet/my-deposits', gate: 'en' },
  { name: 'withdrawals', page: '/wallet/my-withdrawals-pix', gate: 'es' },
  { name: 'withdrawals-chain', page: '/wallet/my-withdrawals', gate: 'en' },
  { name: 'transfers', page: '/wallet/transfers', gate: 'es' },
  { name: 'approvals', page: '/deposits-pix-approve-reject' },
  { name: 'statements', page: '/pix-statements', gate: 'en' },
  { name: 'payouts', page: '/crypto-withdrawal-list', gate: 'es' },
  { name: 'sales', page: '/crypto-deposits-list', gate: 'en' },
  { name: 'sponsorship', page: '/add-remove-balance', gate: 'es' },
  { name: 'presale', page: '/administrator/presale', gate: 'en' },
  { name: 'presale-own', page: '/exchange/negotiate-igc', gate: 'none' },
  tab('market', '/exchange/negotiate-igc', 'market'),
  { name: 'statement', page: '/customer/extrato', gate: 'none' },
  { name: 'ledger', page: '/customer/extrato', asks: { view: 'ledger' }, inner: true },
  { name: 'academy', page: '/marketing/academy', gate: 'none' },
  { name: 'lesson', page: '/marketing/academy', asks: { item: ':item' } },
  { name: 'material', page: '/marketing/support-material' },
  { name: 'share', page: '/marketing/share', gate: 'es' },
  { name: 'withdrawals-asked', page: '/pix-withdrawal-list', gate: 'none' },
  tab('withdrawals-paid', '/pix-withdrawal-list', 'topay'),
  { name: 'crypto-all', page: '/crypto-deposits-list2', gate: 'none' },
  tab('crypto-held', '/crypto-deposits-list2', 'pending'),
  { name: 'transfers-all', page: '/transfers-reports', gate: 'none' },
  tab('transfers-held', '/transfers-reports', 'held'),
  { name: 'cases', page: '/compliance-cases', gate: 'none' },
  tab('cases-decided', '/compliance-cases', 'decided'),
  tab('cases-all', '/compliance-cases', 'all'),
  tab('related', '/compliance-cases', 'related'),
  tab('pauses', '/compliance-cases', 'pauses'),
  { name: 'overview', page: '/administrator/dashboard' },
  { name: 'rules', page: '/administrator/robot-config' },
  ...tabs('/administrator/robot-config', 'rules', ['plans', 'feeds', 'manual', 'history']),
  { name: 'permissions', page: '/administrator/set-permissions', gate: 'none' },
  ...tabs('/administrator/set-permissions', 'permissions', ['requests', 'freezes', 'roles']),
  { name: 'people', page: '/administrator/users/list' },
  { name: 'member-robots', page: '/administrator/robots', gate: 'en' },
  { name: 'person', page: '/administrator/users/view/:id' },
  ...tabs('/administrator/users/view/:id', 'person', ['network', 'notes']),
  ...tabs(
    '/administrator/users/view/:id',
    'person',
    ['finances', 'licences', 'movements', 'sessions', 'related', 'logs'],
    'admin_permissions',
  ),
  ...tabs('/administrator/users/view/:id', 'person', ['tickets'], 'customer-service_list-tickets'),
  { name: 'person-edit', page: '/administrator/users/edit/:id' },
  { name: 'announcements', page: '/administrator/announcements' },
  { name: 'content', page: '/administrator/content' },
  { name: 'pools-admin', page: '/administrator/pools' },
  { name: 'support', page: '/support' },
  { name: 'support-new', page: '/support/new-ticket' },
  { name: 'ticket', page: '/support/ticket/:idTicket' },
  { name: 'chat', page: '/support-whatsapp', gate: 'en' },
  { name: 'tickets', page: '/customer-service/tickets-list' },
  { name: 'canned', page: '/customer-service/canned-replies' },
  { name: 'audit', page: '/administrator/audit' },
  { name: 'audit-entry', page: '/administrator/audit', asks: { entry: '14' } },
  { name: 'response', page: '/customer-service/ticket-response/:idTicket' },
  { name: 'account', page: '/account-setting' },
  tab('account-security', '/account-setting', 'security'),
  tab('account-other', '/account-setting', 'other'),
  tab('account-social', '/account-setting', 'social'),
  tab('account-news', '/account-setting', 'notifications'),
  tab('account-privacy', '/account-setting', 'privacy'),
  tab('account-wallet', '/account-setting', 'crypto'),
  { name: 'trading-bot', page: '/trading-bot', gate: 'es' },
  { name: 'year', page: '/customer/extrato', asks: { view: 'year' }, inner: true },
  { name: 'notices', page: '/notifications' },
];

/** Where a screen is, with the ids of what the answers hold. */
export function addressOf({ page, asks = {} }: Screen, ids: Readonly<Record<string, string>>): string {
  const filled = (text: string) =>
    text.replace(/:(\w+)/g, (whole, name: string) => {
      const id = ids[name];
      if (id === undefined) throw new Error(`no id for ${whole}`);
      return id;
    });
  const search = new URLSearchParams(Object.entries(asks).map(([name, value]) => [name, filled(value)]));
  return search.size > 0 ? `${filled(page)}?${search}` : filled(page);
}
