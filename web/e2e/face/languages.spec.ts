/** Every screen and what lies within it in the other two languages, wide and on a phone: in that language, nothing cut off, nothing wider
 *  than the screen. */

import { fits, picture } from '../kit';
import {
  ACCEPTED,
  CLOSING_BLOCKED,
  CLOSING_WAITS,
  EXPORTS,
  LIMITS,
  LOOKS,
  PREFERENCES,
  RETENTION,
} from './accountFixtures';
import {
  BONUS_LOG,
  BONUS_REPORT,
  bonusPath,
  GRADUATION,
  LOST_POINTS,
  MATCHED,
  MEMBERS,
  NETWORK,
  OWN_RANKS,
  PAYOUT,
  REFERENCES,
  sales,
  TREE,
} from './affiliatesFixtures';
import { ANALYTICS } from './analyticsFixtures';
import { ANSWERS as AUDIT } from './auditFixtures';
import { ago, ahead, HOUR, MINUTE } from './clock';
import { ANSWERS as CONTENT, id as item, STAFF as STAFF_CONTENT } from './contentFixtures';
import { answers as exchange } from './exchangeFixtures';
import { AT_WORK, LICENCES, licence } from './fixtures';
import { ANSWERS as MEMBER_ROBOTS } from './memberRobotsFixtures';
import { ANNOUNCEMENTS } from './noticeFixtures';
import { ANSWERS as OVERVIEW } from './overviewFixtures';
import {
  FINANCES,
  LOGS,
  NETWORK as NETWORK_OF,
  NOTES,
  PEOPLE,
  person,
  RELATED,
  ROLES,
  SESSIONS,
} from './peopleFixtures';
import { LISTS, page as listed, queue, RATE, row } from './pixFixtures';
import { POOLS, STAFF as STAFF_POOLS } from './poolsFixtures';
import { FEEDS, ANSWERS as RULES } from './rulesFixtures';
import { CUSTOMER, stub } from './stub';
import { AGENT, ANSWERS, detail, OWN_LICENCE, T, ticket } from './supportFixtures';
import { idle, walk } from './walk';
import { AT_HAND } from './web3Fixtures';
import { expect, type Page, test } from './window';
import { YEAR } from './yearlyFixtures';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 1000 };
const LOOK = '0190a000-0000-7000-8000-00000000100c';
const NOTICES = [
  { id: 'n1', code: 'pix_deposit_approved', group: 'money_in', params: { usdt: '100.000000' }, read: false },
  {
    id: 'n2',
    code: 'ticket_reply',
    group: 'support',
    params: { ticket: 't1', number: 12, by: 'Eva', count: 1 },
    read: false,
  },
  { id: 'n3', code: 'rank_reached', group: 'network', params: { rank: 'gold' }, read: true },
].map((one) => ({ amount: null, at: ago(HOUR), ...one }));
const EVERYTHING = {
  ...AT_WORK,
  ...exchange(),
  ...AT_HAND,
  ...ANSWERS,
  ...AUDIT,
  ...CONTENT,
  ...STAFF_CONTENT,
  ...STAFF_POOLS,
  ...RULES,
  'GET /admin/feeds': FEEDS,
  'GET /dashboard/analytics/30d': ANALYTICS,
  'GET /pools': POOLS,
  'GET /pools/mine': listed([]),
  'GET /admin/general-view': OVERVIEW['GET /admin/general-view'],
  'GET /admin/waiting': OVERVIEW['GET /admin/waiting'],
  'GET /admin/solvency': OVERVIEW['GET /admin/solvency'],
  'GET /admin/roles': ROLES,
  'GET /admin/notices': ANNOUNCEMENTS,
  'GET /admin/grants': { requests: [], freezes: [], lifters: 2, newApproverHours: 24 },
  ...MEMBER_ROBOTS,
  'GET /admin/users-list/': PEOPLE,
  'GET /admin/user/u-ana': person(),
  'GET /admin/user-financial-summary/u-ana': FINANCES,
  'GET /admin/balance-manager/get-user-licenses/u-ana': [licence(1), licence(2, { isHighRisk: true })],
  'GET /admin/user/u-ana/network': NETWORK_OF,
  'GET /admin/user/u-ana/sessions': SESSIONS,
  'GET /admin/user-logs-list/u-ana': LOGS,
  'GET /admin/user/u-ana/notes': NOTES,
  'GET /admin/user/u-ana/related': RELATED,
  'GET /admin/related-accounts': listed(RELATED.data),
  'GET /admin/role-holders': listed([]),
  'GET /admin/list-withdraw-pix-approve-reject': queue([]),
  'GET /admin/all-crypto-deposits-list': { ...queue([]), watcher: null },
  'GET /admin/transfers-reports': {
    ...queue([]),
    waiting: 0,
    count: 0,
    value: '0.000000',
    fees: '0.000000',
    days: [],
  },
  'GET /admin/compliance/cases': queue([]),
  'GET /admin/outbound-pauses': { data: [] },
  'GET /admin/reports/manual': listed([]),
  'GET /trader/leaders': listed([]),
  'GET /trader/following': [],
  'GET /notifications': { ...listed(NOTICES), unread: 2 },
  'GET /me/looks': LOOKS,
  'GET /admin/payout-report': PAYOUT,
  'GET /self-limits': LIMITS,
  'GET /me/export': EXPORTS,
  'GET /me/closing': CLOSING_BLOCKED,
  'GET /me/acceptances': { data: ACCEPTED },
  'GET /privacy/retention': RETENTION,
  'GET /yearly-statement': YEAR,
  'GET /notifications/preferences': PREFERENCES,
  'GET /affiliates/dashboard': NETWORK,
  'GET /affiliates/graduations': OWN_RANKS,
  'GET /affiliates/diagram-binary-tree/me': TREE,
  'GET /affiliates/reference-list': REFERENCES,
  'GET /affiliates/bonus-log': BONUS_LOG,
  [bonusPath(MATCHED)]: MATCHED,
  [`${bonusPath(MATCHED)}/sales`]: sales(false),
  'GET /admin/bonus-report': BONUS_REPORT,
  'GET /admin/binary-lost-points-report': LOST_POINTS,
  'GET /admin/graduation': GRADUATION,
  'GET /admin/graduations': MEMBERS,
  'GET /pix/rate': RATE,
  'GET /list-deposits-pix': LISTS,
  'GET /admin/list-deposits-pix-approve-reject': queue([row(1), row(2)]),
  'GET /support/subjects': {
    data: [OWN_LICENCE],
  },
};

const SCREENS = [
  ['dashboard', '/', CUSTOMER],
  ['analytics', '/dashboard-analytics', CUSTOMER],
  ['licences', '/licences', CUSTOMER],
  ['plans', '/licences?tab=plans', CUSTOMER],
  ['loans', '/licences?tab=loans', CUSTOMER],
  ['pools', '/licences?tab=pools', CUSTOMER],
  ['robots-on', '/robots-in-operation', CUSTOMER],
  ['robot-orders', `/robots-in-operation?robot=${LICENCES[0]?._id}`, CUSTOMER],
  ['leaders', '/robots-in-operation?tab=leaders', CUSTOMER],
  ['robots-off', '/robots-without-operation', CUSTOMER],
  ['network', '/affiliate-network/dashboard', CUSTOMER],
  ['tree', '/affiliate-network/binary-tree', CUSTOMER],
  ['references', '/affiliate-network/direct-references', CUSTOMER],
  ['bonus', '/affiliate-network/bonus-report', CUSTOMER],
  ['bonus-open', `/affiliate-network/bonus-report?bonus=${MATCHED.bonus._id}`, CUSTOMER],
  ['staff-bonus', '/bonus-report', AGENT],
  ['staff-binary', '/binary-report', AGENT],
  ['staff-graduations', '/graduation-list', AGENT],
  ['staff-ranks', '/graduations', AGENT],
  ['staff-payout', '/payout-report', AGENT],
  ['deposits', '/wallet/my-deposits-pix', CUSTOMER],
  ['approvals', '/deposits-pix-approve-reject', AGENT],
  ['market', '/exchange/negotiate-igc?tab=market', CUSTOMER],
  ['ledger', '/customer/extrato?view=ledger', CUSTOMER],
  ['lesson', `/marketing/academy?item=${item(1)}`, CUSTOMER],
  ['material', '/marketing/support-material', CUSTOMER],
  ['withdrawals-paid', '/pix-withdrawal-list?tab=topay', AGENT],
  ['crypto-held', '/crypto-deposits-list2?tab=pending', AGENT],
  ['transfers-held', '/transfers-reports?tab=held', AGENT],
  ['cases-decided', '/compliance-cases?tab=decided', AGENT],
  ['cases-all', '/compliance-cases?tab=all', AGENT],
  ['related', '/compliance-cases?tab=related', AGENT],
  ['pauses', '/compliance-cases?tab=pauses', AGENT],
  ['overview', '/administrator/dashboard', AGENT],
  ['rules', '/administrator/robot-config', AGENT],
  ...(['plans', 'feeds', 'manual', 'history'] as const).map(
    (tab) => [`rules-${tab}`, `/administrator/robot-config?tab=${tab}`, AGENT] as const,
  ),
  ...(['requests', 'freezes', 'roles'] as const).map(
    (tab) => [`permissions-${tab}`, `/administrator/set-permissions?tab=${tab}`, AGENT] as const,
  ),
  ['people', '/administrator/users/list', AGENT],
  ['member-robots', '/administrator/robots', AGENT],
  ['person', '/administrator/users/view/u-ana', AGENT],
  ...(
    [
      'finances',
      'licences',
      'network',
      'movements',
      'tickets',
      'sessions',
      'related',
      'logs',
      'notes',
    ] as const
  ).map((tab) => [`person-${tab}`, `/administrator/users/view/u-ana?tab=${tab}`, AGENT] as const),
  ['person-edit', '/administrator/users/edit/u-ana', AGENT],
  ['announcements', '/administrator/announcements', AGENT],
  ['content', '/administrator/content', AGENT],
  ['pools-admin', '/administrator/pools', AGENT],
  ['support', '/support', CUSTOMER],
  ['support-new', '/support/new-ticket', CUSTOMER],
  ['ticket', `/support/ticket/${T}`, CUSTOMER],
  ['tickets', '/customer-service/tickets-list', AGENT],
  ['canned', '/customer-service/canned-replies', AGENT],
  ['audit', '/administrator/audit', AGENT],
  ['audit-entry', '/administrator/audit?entry=14', AGENT],
  ['response', `/customer-service/ticket-response/${T}`, AGENT],
  ['account', '/account-setting', CUSTOMER],
  ['account-security', '/account-setting?tab=security', CUSTOMER],
  ['account-other', '/account-setting?tab=other', CUSTOMER],
  ['account-social', '/account-setting?tab=social', CUSTOMER],
  ['account-news', '/account-setting?tab=notifications', CUSTOMER],
  ['account-privacy', '/account-setting?tab=privacy', CUSTOMER],
  ['account-wallet', '/account-setting?tab=crypto', CUSTOMER],
  ['year', '/customer/extrato?view=year', CUSTOMER],
  ['notices', '/notifications', CUSTOMER],
] as const;

/** What is written on buttons, badges and tabs, and is wider than its place. */
const cut = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.mantine-Button-label, .mantine-Badge-label, [role=tab], th')]
      .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
      .map((one) => one.textContent ?? ''),
  );

/** Whether the path names one of the screen's tabs, other than its first. */
const inner = (path: string) => /[?&](tab|view)=/.test(path);

/** A screen at rest, wide and on a phone: all of it is there, in its language, in its place. */
async function looked(page: Page, locale: string, name: string, path: string) {
  await page.setViewportSize(DESK);
  await walk(page, path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  // Else the screen's first tab would be looked at once more.
  if (inner(path))
    await expect(page.getByRole('tab').first(), name).toHaveAttribute('aria-selected', 'false');
  await idle(page);
  // What could not be loaded is not looked at.
  await expect(page.getByTestId('error-card'), `${name} has everything`).toHaveCount(0);
  for (const [size, viewport] of [
    ['desk', DESK],
    ['phone', PHONE],
  ] as const) {
    await page.setViewportSize(viewport);
    // The layout follows a new size within a frame or two.
    await expect.poll(() => cut(page), `${name} ${size}`).toEqual([]);
    await fits(page, `${name} ${size}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await picture(page, `${locale}-${name}-${size}`);
  }
  expect(await page.evaluate(() => document.documentElement.lang.slice(0, 2))).toBe(locale);
}

const speaking = (page: Page, locale: string) =>
  page.addInitScript((language) => localStorage.setItem('locale', language), locale);

// One document per language and person: the program starts once.
for (const locale of ['en', 'es'] as const) {
  for (const user of [CUSTOMER, AGENT])
    test(`${locale}, ${user === AGENT ? 'staff' : 'customer'}`, async ({ page }) => {
      test.slow();
      await stub(page, user, EVERYTHING);
      await speaking(page, locale);
      for (const [name, path] of SCREENS.filter((screen) => screen[2] === user))
        await test.step(name, () => looked(page, locale, name, path));
    });

  test(`${locale}, a closed ticket asks how it was solved`, async ({ page }) => {
    const closed = ticket({ status: 'closed', closedAt: ago(MINUTE), asksRating: true });
    await stub(page, CUSTOMER, {
      ...EVERYTHING,
      [`GET /support/get-ticket-user/${T}`]: detail({ ticket: closed }),
    });
    await speaking(page, locale);
    await looked(page, locale, 'ticket-rating', `/support/ticket/${T}`);
    await expect(page.getByRole('radio')).toHaveCount(5);
  });

  test(`${locale}, an account that is to be closed`, async ({ page }) => {
    const leaving = { ...CUSTOMER, closingAt: CLOSING_WAITS.waiting.dueAt };
    await stub(page, leaving, { ...EVERYTHING, 'GET /me/closing': CLOSING_WAITS });
    await speaking(page, locale);
    await looked(page, locale, 'closing', '/account-setting?tab=privacy');
    await expect(page.getByTestId('closing-banner')).toBeVisible();
  });

  test(`${locale}, somebody else's account is looked at`, async ({ page }) => {
    const look = { _id: LOOK, reason: 'O extrato de ontem', until: ahead(12 * MINUTE) };
    await stub(page, { ...CUSTOMER, look }, EVERYTHING);
    await speaking(page, locale);
    await looked(page, locale, 'looking', `/look/${LOOK}?of=u-ana`);
    await expect(page.getByTestId('look-bar')).toContainText(CUSTOMER.fullName);
  });
}
