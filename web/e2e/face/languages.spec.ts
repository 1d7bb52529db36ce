/** Every screen in the other two languages, wide and on a phone: in that language, nothing cut off, nothing wider than the screen. */

import { fits, picture } from '../kit';
import { ACCEPTED, CLOSING_BLOCKED, EXPORTS, LIMITS, PREFERENCES, RETENTION } from './accountFixtures';
import {
  BONUS_LOG,
  BONUS_REPORT,
  GRADUATION,
  LOST_POINTS,
  MEMBERS,
  NETWORK,
  OWN_RANKS,
  REFERENCES,
  TREE,
} from './affiliatesFixtures';
import { ANSWERS as AUDIT } from './auditFixtures';
import { AT_WORK, LICENCES } from './fixtures';
import { LISTS, queue, RATE, row } from './pixFixtures';
import { CUSTOMER, stub } from './stub';
import { AGENT, ANSWERS, OWN_LICENCE, T } from './supportFixtures';
import { expect, type Page, test } from './window';
import { YEAR } from './yearlyFixtures';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 1000 };
const EVERYTHING = {
  ...AT_WORK,
  ...ANSWERS,
  ...AUDIT,
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
  ['licences', '/licences', CUSTOMER],
  ['plans', '/licences?tab=plans', CUSTOMER],
  ['robots-on', '/robots-in-operation', CUSTOMER],
  ['robot-orders', `/robots-in-operation?robot=${LICENCES[0]?._id}`, CUSTOMER],
  ['robots-off', '/robots-without-operation', CUSTOMER],
  ['network', '/affiliate-network/dashboard', CUSTOMER],
  ['tree', '/affiliate-network/binary-tree', CUSTOMER],
  ['references', '/affiliate-network/direct-references', CUSTOMER],
  ['bonus', '/affiliate-network/bonus-report', CUSTOMER],
  ['staff-bonus', '/bonus-report', AGENT],
  ['staff-binary', '/binary-report', AGENT],
  ['staff-graduations', '/graduation-list', AGENT],
  ['staff-ranks', '/graduations', AGENT],
  ['deposits', '/wallet/my-deposits-pix', CUSTOMER],
  ['approvals', '/deposits-pix-approve-reject', AGENT],
  ['support', '/support', CUSTOMER],
  ['support-new', '/support/new-ticket', CUSTOMER],
  ['ticket', `/support/ticket/${T}`, CUSTOMER],
  ['tickets', '/customer-service/tickets-list', AGENT],
  ['canned', '/customer-service/canned-replies', AGENT],
  ['audit', '/administrator/audit', AGENT],
  ['response', `/customer-service/ticket-response/${T}`, AGENT],
  ['account', '/account-setting', CUSTOMER],
  ['account-security', '/account-setting?tab=security', CUSTOMER],
  ['account-other', '/account-setting?tab=other', CUSTOMER],
  ['account-social', '/account-setting?tab=social', CUSTOMER],
  ['account-news', '/account-setting?tab=notifications', CUSTOMER],
  ['account-privacy', '/account-setting?tab=privacy', CUSTOMER],
  ['year', '/customer/extrato?view=year', CUSTOMER],
] as const;

/** What is written on buttons, badges and tabs, and is wider than its place. */
const cut = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.mantine-Button-label, .mantine-Badge-label, [role=tab], th')]
      .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
      .map((one) => one.textContent ?? ''),
  );

// One window per language: what was fetched for one screen is there for the next.
for (const locale of ['en', 'es'] as const)
  for (const user of [CUSTOMER, AGENT])
    test(`${locale}, ${user === AGENT ? 'staff' : 'customer'}`, async ({ page }) => {
      await stub(page, user, EVERYTHING);
      await page.addInitScript((language) => localStorage.setItem('locale', language), locale);
      for (const [name, path] of SCREENS.filter((screen) => screen[2] === user))
        await test.step(name, async () => {
          await page.setViewportSize(DESK);
          await page.goto(path);
          for (const [size, viewport] of [
            ['desk', DESK],
            ['phone', PHONE],
          ] as const) {
            await page.setViewportSize(viewport);
            await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
            await page.waitForLoadState('networkidle');
            // The layout follows a new size within a frame or two.
            await expect.poll(() => cut(page), `${name} ${size}`).toEqual([]);
            await fits(page, `${name} ${size}`);
            await picture(page, `${locale}-${name}-${size}`);
          }
          expect(await page.evaluate(() => document.documentElement.lang.slice(0, 2))).toBe(locale);
        });
    });
