/** Every screen behind the sign-in on one page: path, who may see it, where its code and its texts are. A room appends its lines here. */
import type { ComponentType } from 'react';
import type { Subject } from '@/api/ability';
import { QUEUES, type QueueRow } from '@/api/queues';
import { pageOf } from '@/api/screens';
import type { Namespace } from './texts';

export interface Page {
  path: string;
  /** The permission to read it; `Public` is for everybody. */
  subject: Subject;
  /** `full` hides the menu shell. */
  layout: 'full' | 'shell';
  load: () => Promise<{ default: ComponentType }>;
  texts: readonly Namespace[];
  /** Somebody who is signed in has no business here and goes to `/`. */
  onlyAnonymous?: boolean;
}

const inside = (path: string, subject: Subject, texts: readonly Namespace[], load: Page['load']): Page => ({
  path,
  subject,
  layout: 'shell',
  load,
  texts,
});

/** Where a queue is decided. Of queues that share a screen one stands for it (a test compares them). */
const queue = (row: QueueRow, texts: readonly Namespace[], load: Page['load']): Page =>
  inside(pageOf(row), row.permission, texts, load);

export const pages: readonly Page[] = [
  inside('/', 'registered-user', ['dashboard', 'statement'], () => import('@/rooms/dashboard/DashboardPage')),
  inside(
    '/dashboard-analytics',
    'registered-user',
    ['analytics'],
    () => import('@/rooms/analytics/AnalyticsPage'),
  ),
  inside('/wallet/my-deposits-pix', 'registered-user', ['pix'], () => import('@/rooms/pix/DepositsPixPage')),
  queue(QUEUES.pixDeposits, ['approvals'], () => import('@/rooms/approvals/PixQueuePage')),
  inside(
    '/pix-statements',
    'admin_permissions',
    ['approvals'],
    () => import('@/rooms/approvals/StatementsPage'),
  ),
  inside(
    '/wallet/my-withdrawals-pix',
    'registered-user',
    ['pix'],
    () => import('@/rooms/pix/WithdrawalsPixPage'),
  ),
  queue(QUEUES.pixWithdrawals, ['approvals'], () => import('@/rooms/approvals/PixWithdrawalsPage')),
  queue(QUEUES.holdings, ['overview'], () => import('@/rooms/overview/OverviewPage')),
  queue(QUEUES.settings, ['rules'], () => import('@/rooms/rules/RulesPage')),
  inside(
    '/administrator/users/list',
    'customer-service_list-users',
    ['people'],
    () => import('@/rooms/people/UsersListPage'),
  ),
  inside(
    '/administrator/users/view/:id',
    'customer-service_user-view',
    ['people', 'logs', 'affiliates', 'sponsorship', 'support', 'legal'],
    () => import('@/rooms/people/UserViewPage'),
  ),
  inside(
    '/administrator/users/edit/:id',
    'customer-service_user-edit',
    ['people', 'identity'],
    () => import('@/rooms/people/UserEditPage'),
  ),
  inside(
    '/administrator/robots',
    'admin_permissions',
    ['robots'],
    () => import('@/rooms/robots/MemberRobotsPage'),
  ),
  queue(QUEUES.grants, ['permissions'], () => import('@/rooms/permissions/PermissionsPage')),
  inside(
    '/administrator/audit',
    'admin_permissions',
    ['audit', 'logs'],
    () => import('@/rooms/audit/AuditPage'),
  ),
  inside(
    '/wallet/my-withdrawals',
    'registered-user',
    ['withdrawals'],
    () => import('@/rooms/withdrawals/WithdrawalsPage'),
  ),
  queue(QUEUES.cryptoWithdrawals, ['withdrawals'], () => import('@/rooms/withdrawals/PayoutQueuePage')),
  inside('/wallet/my-deposits', 'registered-user', ['wallet'], () => import('@/rooms/wallet/DepositsPage')),
  queue(QUEUES.cryptoDeposits, ['wallet', 'approvals'], () => import('@/rooms/wallet/QueuePage')),
  queue(QUEUES.compliance, ['compliance'], () => import('@/rooms/compliance/CompliancePage')),
  inside('/crypto-deposits-list', 'admin_permissions', ['wallet'], () => import('@/rooms/wallet/SalesPage')),
  inside(
    '/licences',
    'registered-user',
    ['licences', 'wallet', 'statement'],
    () => import('@/rooms/licences/LicencesPage'),
  ),
  inside('/robots-in-operation', 'registered-user', ['robots'], () => import('@/rooms/robots/RobotsOnPage')),
  inside(
    '/robots-without-operation',
    'registered-user',
    ['robots'],
    () => import('@/rooms/robots/RobotsOffPage'),
  ),
  inside(
    '/wallet/transfers',
    'registered-user',
    ['transfers'],
    () => import('@/rooms/transfers/TransfersPage'),
  ),
  queue(QUEUES.transfers, ['transfers'], () => import('@/rooms/transfers/TransfersReportPage')),
  inside(
    '/customer/extrato',
    'registered-user',
    ['statement'],
    () => import('@/rooms/statement/StatementPage'),
  ),
  queue(QUEUES.sponsorship, ['sponsorship'], () => import('@/rooms/sponsorship/SponsorshipPage')),
  inside(
    '/exchange/negotiate-igc',
    'registered-user',
    ['exchange'],
    () => import('@/rooms/exchange/ExchangePage'),
  ),
  queue(QUEUES.rounds, ['exchange'], () => import('@/rooms/exchange/StaffRoundsPage')),
  queue(QUEUES.poolRevenue, ['pools'], () => import('@/rooms/pools/PoolsAdminPage')),
  inside(
    '/affiliate-network/dashboard',
    'registered-user',
    ['affiliates'],
    () => import('@/rooms/affiliates/NetworkPage'),
  ),
  inside(
    '/affiliate-network/binary-tree',
    'registered-user',
    ['affiliates'],
    () => import('@/rooms/affiliates/BinaryTreePage'),
  ),
  inside(
    '/affiliate-network/direct-references',
    'registered-user',
    ['affiliates'],
    () => import('@/rooms/affiliates/ReferencesPage'),
  ),
  inside(
    '/affiliate-network/bonus-report',
    'registered-user',
    ['affiliates'],
    () => import('@/rooms/affiliates/BonusReportPage'),
  ),
  inside(
    '/bonus-report',
    'admin_permissions',
    ['affiliates'],
    () => import('@/rooms/affiliates/StaffBonusPage'),
  ),
  inside(
    '/payout-report',
    'admin_permissions',
    ['affiliates'],
    () => import('@/rooms/affiliates/PayoutPage'),
  ),
  inside(
    '/binary-report',
    'admin_permissions',
    ['affiliates'],
    () => import('@/rooms/affiliates/LostPointsPage'),
  ),
  queue(QUEUES.graduationBonuses, ['affiliates'], () => import('@/rooms/affiliates/GraduationListPage')),
  inside('/graduations', 'admin_permissions', ['affiliates'], () => import('@/rooms/affiliates/RankedPage')),
  inside(
    '/account-setting',
    'registered-user',
    ['identity', 'account', 'web3', 'legal'],
    () => import('./pages/AccountSettingPage'),
  ),
  inside(
    '/trading-bot',
    'registered-user',
    ['identity', 'account', 'web3', 'legal'],
    () => import('./pages/AccountSettingPage'),
  ),

  inside('/notifications', 'registered-user', ['account'], () => import('@/rooms/notices/NoticesPage')),
  inside('/marketing/academy', 'registered-user', ['content'], () => import('@/rooms/content/AcademyPage')),
  inside('/marketing/share', 'registered-user', ['content'], () => import('@/rooms/content/SharePage')),
  inside(
    '/marketing/support-material',
    'registered-user',
    ['content'],
    () => import('@/rooms/content/MaterialPage'),
  ),
  inside(
    '/administrator/announcements',
    'admin_permissions',
    ['announcements'],
    () => import('@/rooms/notices/AnnouncementsPage'),
  ),
  inside(
    '/administrator/content',
    'admin_permissions',
    ['content'],
    () => import('@/rooms/content/StaffContentPage'),
  ),
  inside('/support-whatsapp', 'registered-user', ['content'], () => import('@/rooms/content/WhatsappPage')),
  inside('/support', 'registered-user', ['support'], () => import('@/rooms/support/SupportPage')),
  inside(
    '/support/new-ticket',
    'registered-user',
    ['support'],
    () => import('@/rooms/support/NewTicketPage'),
  ),
  inside(
    '/support/ticket/:idTicket',
    'registered-user',
    ['support'],
    () => import('@/rooms/support/TicketPage'),
  ),
  queue(QUEUES.tickets, ['support', 'desk'], () => import('@/rooms/support/TicketsListPage')),
  inside(
    '/customer-service/ticket-response/:idTicket',
    'customer-service_response-ticket',
    ['support', 'desk'],
    () => import('@/rooms/support/TicketResponsePage'),
  ),
  inside(
    '/customer-service/canned-replies',
    'customer-service_response-ticket',
    ['support', 'desk'],
    () => import('@/rooms/support/CannedPage'),
  ),
];
