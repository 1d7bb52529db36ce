/** The menu: permission decides presence, the role the order [docs/rules/web.md#menu]. An entry shows once its page is in pages.ts. */
import {
  IconAdjustments,
  IconAffiliate,
  IconArrowsExchange,
  IconBinaryTree,
  IconBrandWhatsapp,
  IconBuildingBank,
  IconCashBanknote,
  IconCertificate,
  IconChartBar,
  IconChartCandle,
  IconCoins,
  IconCurrencyEthereum,
  IconDroplet,
  IconFileSpreadsheet,
  IconHeadset,
  IconLayoutDashboard,
  IconListDetails,
  IconListSearch,
  IconMedal,
  IconMessageBolt,
  IconMessages,
  IconPhotoVideo,
  IconPlayerPause,
  IconQrcode,
  IconReportMoney,
  IconRobot,
  IconScale,
  IconSchool,
  IconShare,
  IconShieldCheck,
  IconSparkles,
  IconSpeakerphone,
  IconStairsUp,
  IconUserSearch,
  IconUsers,
  IconUsersGroup,
  IconWallet,
} from '@tabler/icons-react';
import type { Permission } from '@/api/ability';
import { isLook } from '@/api/look';
import { QUEUES, type QueueRow } from '@/api/queues';
import { pageOf } from '@/api/screens';
import type common from '@/i18n/pt/shell.json';
import type { Counter } from '@/live/counters';
import { pages } from '../pages';

type Texts = (typeof common)['menu'];

export interface MenuEntry {
  to: string;
  text: keyof Texts['entries'];
  icon: typeof IconRobot;
  subject: Permission;
  /** After `g`: go there. */
  letter?: string;
  /** What is counted here besides the decisions that wait on the entry's page: those are known by its path. */
  counter?: Counter;
  /** A dot instead of the number. */
  dot?: boolean;
  /** Not for who looks at somebody else's account. */
  ownerOnly?: boolean;
}

export interface MenuGroup {
  text: keyof Texts['groups'];
  side: 'customer' | 'staff';
  entries: readonly MenuEntry[];
}

/** The page of an entry, without the tab that it opens. */
const pathOf = (to: string): string => to.split('?')[0] ?? to;

/** A queue's screen. Of queues that share one the first named stands for it; what waits in all of them is counted there. */
const queue = (row: QueueRow) => ({ to: pageOf(row), subject: row.permission });

/** Found by who sells too, who is a customer first. */
const USERS = '/administrator/users/list';

const GROUPS: readonly MenuGroup[] = [
  {
    text: 'main',
    side: 'customer',
    entries: [
      { to: '/', text: 'results', icon: IconLayoutDashboard, subject: 'registered-user', letter: 'r' },
      {
        to: '/dashboard-analytics',
        text: 'analytics',
        icon: IconChartBar,
        subject: 'registered-user',
        letter: 'a',
      },
      { to: '/licences', text: 'licences', icon: IconCertificate, subject: 'registered-user', letter: 'l' },
      {
        to: '/robots-in-operation',
        text: 'robotsOn',
        icon: IconRobot,
        subject: 'registered-user',
        letter: 'o',
        counter: 'robotsRunning',
        dot: true,
      },
      {
        to: '/robots-without-operation',
        text: 'robotsOff',
        icon: IconPlayerPause,
        subject: 'registered-user',
        letter: 'w',
      },
      {
        to: '/exchange/negotiate-igc',
        text: 'exchange',
        icon: IconChartCandle,
        subject: 'registered-user',
        letter: 'x',
      },
    ],
  },
  {
    text: 'network',
    side: 'customer',
    entries: [
      {
        to: '/affiliate-network/dashboard',
        text: 'network',
        icon: IconAffiliate,
        subject: 'registered-user',
        letter: 'n',
      },
      {
        to: '/affiliate-network/binary-tree',
        text: 'binaryTree',
        icon: IconBinaryTree,
        subject: 'registered-user',
        letter: 'b',
      },
      {
        to: '/affiliate-network/direct-references',
        text: 'references',
        icon: IconUsers,
        subject: 'registered-user',
        letter: 'i',
      },
      {
        to: '/affiliate-network/bonus-report',
        text: 'bonuses',
        icon: IconSparkles,
        subject: 'registered-user',
        letter: 'u',
      },
    ],
  },
  {
    text: 'finance',
    side: 'customer',
    entries: [
      {
        to: '/wallet/my-deposits',
        text: 'depositsCrypto',
        icon: IconCurrencyEthereum,
        subject: 'registered-user',
        letter: 'c',
      },
      {
        to: '/wallet/my-deposits-pix',
        text: 'depositsPix',
        icon: IconQrcode,
        subject: 'registered-user',
        letter: 'd',
      },
      {
        to: '/wallet/my-withdrawals',
        text: 'withdrawalsCrypto',
        icon: IconWallet,
        subject: 'registered-user',
      },
      {
        to: '/wallet/my-withdrawals-pix',
        text: 'withdrawalsPix',
        icon: IconCashBanknote,
        subject: 'registered-user',
      },
      {
        to: '/wallet/transfers',
        text: 'transfers',
        icon: IconArrowsExchange,
        subject: 'registered-user',
        letter: 'f',
      },
      {
        to: '/account-setting?tab=crypto',
        text: 'wallet',
        icon: IconWallet,
        subject: 'registered-user',
        ownerOnly: true,
        letter: 'k',
      },
      {
        to: '/customer/extrato',
        text: 'statement',
        icon: IconListDetails,
        subject: 'registered-user',
        letter: 'e',
      },
    ],
  },
  {
    text: 'marketing',
    side: 'customer',
    entries: [
      {
        to: '/marketing/academy',
        text: 'academy',
        icon: IconSchool,
        subject: 'registered-user',
        ownerOnly: true,
        letter: 'm',
      },
      { to: '/marketing/share', text: 'share', icon: IconShare, subject: 'registered-user', ownerOnly: true },
      {
        to: '/marketing/support-material',
        text: 'material',
        icon: IconPhotoVideo,
        subject: 'registered-user',
        ownerOnly: true,
      },
    ],
  },
  {
    text: 'help',
    side: 'customer',
    entries: [
      {
        to: '/support',
        text: 'support',
        icon: IconHeadset,
        subject: 'registered-user',
        ownerOnly: true,
        letter: 's',
        counter: 'supportUnread',
      },
      {
        to: '/support-whatsapp',
        text: 'whatsapp',
        icon: IconBrandWhatsapp,
        subject: 'registered-user',
        ownerOnly: true,
      },
    ],
  },
  {
    text: 'management',
    side: 'staff',
    entries: [
      {
        ...queue(QUEUES.holdings),
        text: 'overview',
        icon: IconScale,
        letter: 'v',
      },
      { to: USERS, text: 'users', icon: IconUserSearch, subject: 'customer-service_list-users', letter: 'h' },
      {
        to: '/administrator/robots',
        text: 'memberRobots',
        icon: IconRobot,
        subject: 'admin_permissions',
      },
      {
        ...queue(QUEUES.settings),
        text: 'configuration',
        icon: IconAdjustments,
      },
      {
        ...queue(QUEUES.grants),
        text: 'permissions',
        icon: IconUsersGroup,
      },
      {
        to: '/administrator/audit',
        text: 'audit',
        icon: IconListSearch,
        subject: 'admin_permissions',
      },
    ],
  },
  {
    text: 'approvals',
    side: 'staff',
    entries: [
      {
        ...queue(QUEUES.pixDeposits),
        text: 'approvePix',
        icon: IconBuildingBank,
        letter: 'p',
      },
      {
        ...queue(QUEUES.pixWithdrawals),
        text: 'approvePixOut',
        icon: IconCashBanknote,
      },
      {
        ...queue(QUEUES.compliance),
        text: 'compliance',
        icon: IconShieldCheck,
        letter: 'k',
      },
      {
        ...queue(QUEUES.cryptoWithdrawals),
        text: 'approveCryptoOut',
        icon: IconWallet,
      },
      {
        to: '/pix-statements',
        text: 'statements',
        icon: IconFileSpreadsheet,
        subject: 'admin_permissions',
      },
    ],
  },
  {
    text: 'reports',
    side: 'staff',
    entries: [
      {
        ...queue(QUEUES.cryptoDeposits),
        text: 'reportDeposits',
        icon: IconCurrencyEthereum,
      },
      {
        to: '/crypto-deposits-list',
        text: 'reportSales',
        icon: IconReportMoney,
        subject: 'admin_permissions',
      },
      {
        ...queue(QUEUES.transfers),
        text: 'transfersReport',
        icon: IconArrowsExchange,
      },
      { to: '/bonus-report', text: 'reportBonus', icon: IconSparkles, subject: 'admin_permissions' },
      { to: '/payout-report', text: 'reportPayout', icon: IconScale, subject: 'admin_permissions' },
      { to: '/binary-report', text: 'reportBinary', icon: IconBinaryTree, subject: 'admin_permissions' },
      { ...queue(QUEUES.graduationBonuses), text: 'reportGraduations', icon: IconMedal },
    ],
  },
  {
    text: 'operation',
    side: 'staff',
    entries: [
      {
        ...queue(QUEUES.sponsorship),
        text: 'sponsorship',
        icon: IconCoins,
      },
      { to: '/graduations', text: 'ranks', icon: IconStairsUp, subject: 'admin_permissions' },
      {
        ...queue(QUEUES.rounds),
        text: 'presaleRounds',
        icon: IconChartCandle,
      },
      {
        ...queue(QUEUES.poolRevenue),
        text: 'poolsAdmin',
        icon: IconDroplet,
      },
    ],
  },
  {
    text: 'service',
    side: 'staff',
    entries: [
      {
        ...queue(QUEUES.tickets),
        counter: QUEUES.tickets.id,
        text: 'tickets',
        icon: IconMessages,
        letter: 't',
      },
      {
        to: '/customer-service/canned-replies',
        text: 'cannedReplies',
        icon: IconMessageBolt,
        subject: 'customer-service_response-ticket',
      },
      {
        to: '/administrator/announcements',
        text: 'announcements',
        icon: IconSpeakerphone,
        subject: 'admin_permissions',
      },
      {
        to: '/administrator/content',
        text: 'contentAdmin',
        icon: IconSchool,
        subject: 'admin_permissions',
      },
    ],
  },
];

type GroupName = MenuGroup['text'];

/** Which groups come first for whom; what is not named follows in the order above, staff before customer for staff. */
const FIRST: Record<'administrator' | 'approver' | 'attendant' | 'salesperson', readonly GroupName[]> = {
  administrator: ['management', 'approvals', 'reports', 'operation', 'service'],
  approver: ['approvals', 'reports', 'operation', 'management', 'service'],
  attendant: ['service', 'management'],
  salesperson: ['network', 'marketing', 'management'],
};

function orderFor(can: (subject: Permission) => boolean): readonly GroupName[] {
  if (can('admin_permissions')) return can('admin_dashboard') ? FIRST.administrator : FIRST.approver;
  if (can('customer-service_list-tickets')) return FIRST.attendant;
  return can('customer-service_list-users') ? FIRST.salesperson : [];
}

/** Somebody works here who has more to do than to look people up. */
export const worksIn = (groups: readonly MenuGroup[]): boolean =>
  groups.some(({ side, entries }) => side === 'staff' && entries.some(({ to }) => to !== USERS));

/** For who works here `/` leads to work: their own results have an address of their own. */
export const OWN_RESULTS = '/?view=results';

/** Whether an entry's screen is the one that is shown. Several may share a path: then the tab decides. */
export function isHere(to: string, { pathname, search }: { pathname: string; search: string }): boolean {
  const path = pathOf(to);
  if (path === '/') return pathname === '/';
  if (pathname !== path && !pathname.startsWith(`${path}/`)) return false;
  const shown = new URLSearchParams(search);
  return [...new URLSearchParams(to.split('?')[1])].every(([name, value]) => shown.get(name) === value);
}

export function menuFor(can: (subject: Permission) => boolean, built = builtPaths()): MenuGroup[] {
  const first = orderFor(can);
  const rank = ({ text }: MenuGroup) => {
    const at = first.indexOf(text);
    return at < 0 ? first.length : at;
  };
  const groups = GROUPS.map((group) => ({
    ...group,
    entries: group.entries.filter(
      ({ to, subject, ownerOnly }) => built.has(pathOf(to)) && can(subject) && !(isLook && ownerOnly),
    ),
  })).filter(({ entries }) => entries.length > 0);
  const works = worksIn(groups);
  return groups
    .map((group) => ({
      ...group,
      entries: group.entries.map((one) => (works && one.to === '/' ? { ...one, to: OWN_RESULTS } : one)),
    }))
    .sort((a, b) => rank(a) - rank(b));
}

function builtPaths(): ReadonlySet<string> {
  return new Set(pages.map(({ path }) => path));
}
