/** Every screen and what lies within it in each language, wide and on a phone: in that language, nothing raw, nothing cut off, nothing wider
 *  than the screen. The gate walks them as a customer and as staff in the languages that no other test speaks, in one skin; the whole walk
 *  (`tools/test-all`) as each role that may open them, in all languages, under axe in both skins. */

import { pages } from '../../src/app/pages';
import { LOCALE_LABELS, LOCALES, type Locale } from '../../src/i18n/locales';
import { ROLES, type Role } from '../../src/testing/roles';
import { expectAccessible, fits, picture } from '../kit';
import { CLOSING_WAITS } from './accountFixtures';
import { ago, ahead, MINUTE } from './clock';
import { EVERYTHING, IDS } from './everythingFixtures';
import { complaints, raw } from './raw';
import { addressOf, SCREENS, type Screen } from './screens';
import { CUSTOMER, stub } from './stub';
import { AGENT, detail, T, ticket } from './supportFixtures';
import { idle, walk } from './walk';
import { expect, type Page, test } from './window';

const WHOLE = process.env.ARBORA_WALK === 'whole';
/** Screens that one test of the whole walk goes through: enough of them to fill both workers, and few starts of the program. */
const A_TEST = 8;
const A_TEST_LASTS = 20 * MINUTE;

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 1000 };
const LOOK = '0190a000-0000-7000-8000-00000000100c';

/** What is written on buttons, badges and tabs, and is wider than its place. */
const cut = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.mantine-Button-label, .mantine-Badge-label, [role=tab], th')]
      .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
      .map((one) => one.textContent ?? ''),
  );

interface Place extends Pick<Screen, 'name' | 'inner'> {
  path: string;
}

/** A screen at rest, wide and on a phone: all of it is there, in its language, in its place. */
async function looked(page: Page, locale: Locale, { name, path, inner }: Place) {
  await page.setViewportSize(DESK);
  await walk(page, path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  // Else the screen's first tab would be looked at once more.
  if (inner) await expect(page.getByRole('tab').first(), name).toHaveAttribute('aria-selected', 'false');
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
    expect(await raw(page), `${name} ${size}`).toEqual([]);
    await picture(page, `${locale}-${name}-${size}`);
    if (WHOLE) await expectAccessible(page);
  }
  expect(await page.evaluate(() => document.documentElement.lang.slice(0, 2))).toBe(locale);
}

const speaking = (page: Page, locale: Locale) =>
  page.addInitScript((language) => localStorage.setItem('locale', language), locale);

/** Another language in the open window, as one chooses it there. */
async function speak(page: Page, locale: Locale) {
  await page.getByRole('button', { name: /^(Idioma|Language): / }).click();
  await page.getByRole('menuitem', { name: LOCALE_LABELS[locale] }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', new RegExp(`^${locale}`));
}

function opens(role: Role, { page, needs }: Screen) {
  const subject = pages.find(({ path }) => path === page)?.subject;
  return [subject, needs ?? subject].every((asked) => ROLES[role].some((one) => one === asked));
}
/** Who works here is led to their work instead of their own results, unless these are asked for. */
const asOf = (role: Role, screen: Screen): Screen =>
  screen.page === '/' && role !== 'customer' ? { ...screen, asks: { view: 'results' } } : screen;
const placeOf = (screen: Screen): Place => ({
  name: screen.name,
  inner: screen.inner,
  path: addressOf(screen, IDS),
});
function holding(role: Role) {
  const permissions = ROLES[role].map((subject) => ({ action: 'read', subject }));
  const somebody = role === 'customer' ? CUSTOMER : AGENT;
  return { ...somebody, roles: [{ _id: `r-${role}`, name: role, permissions }] };
}

/** Screens one after the other in one document. */
async function through(page: Page, said: readonly string[], locale: Locale, screens: readonly Screen[]) {
  for (const screen of screens)
    await test.step(`${locale}, ${screen.name}`, async () => {
      await looked(page, locale, placeOf(screen));
      expect(said, screen.name).toEqual([]);
    });
}

/** As the gate does: one document per language and person, for the program starts once. */
function walkInTheGate(locale: 'en' | 'es') {
  for (const role of ['customer', 'administrator'] as const)
    test(`${locale}, ${role === 'customer' ? 'customer' : 'staff'}`, async ({ page }) => {
      test.slow();
      const said = complaints(page);
      await stub(page, role === 'customer' ? CUSTOMER : AGENT, EVERYTHING);
      await speaking(page, locale);
      const own = SCREENS.filter(
        (screen) => (screen.gate ?? locale) === locale && opens('customer', screen) === (role === 'customer'),
      );
      await through(page, said, locale, own);
    });
}

/** All that a role may open, some screens a test: one document, in which the language is changed. */
function walkAs(role: Role) {
  const open = SCREENS.filter((screen) => opens(role, screen)).map((screen) => asOf(role, screen));
  for (let from = 0; from < open.length; from += A_TEST) {
    const some = open.slice(from, from + A_TEST);
    test(`${role}: ${some.map(({ name }) => name).join(', ')}`, async ({ page }) => {
      test.setTimeout(A_TEST_LASTS);
      const said = complaints(page);
      await stub(page, holding(role), EVERYTHING);
      for (const locale of LOCALES) {
        // No drawer lies over the frame there.
        await page.setViewportSize(DESK);
        await walk(page, '/notifications');
        await speak(page, locale);
        await through(page, said, locale, some);
      }
    });
  }
}

if (WHOLE) {
  test.describe.configure({ mode: 'parallel' });
  for (const role of Object.keys(ROLES) as Role[]) walkAs(role);
} else {
  for (const locale of ['en', 'es'] as const) walkInTheGate(locale);
}

for (const locale of WHOLE ? LOCALES : (['en', 'es'] as const)) {
  test(`${locale}, a closed ticket asks how it was solved`, async ({ page }) => {
    const closed = ticket({ status: 'closed', closedAt: ago(MINUTE), asksRating: true });
    await stub(page, CUSTOMER, {
      ...EVERYTHING,
      [`GET /support/get-ticket-user/${T}`]: detail({ ticket: closed }),
    });
    await speaking(page, locale);
    await looked(page, locale, { name: 'ticket-rating', path: `/support/ticket/${T}` });
    await expect(page.getByRole('radio')).toHaveCount(5);
  });

  test(`${locale}, an account that is to be closed`, async ({ page }) => {
    const leaving = { ...CUSTOMER, closingAt: CLOSING_WAITS.waiting.dueAt };
    await stub(page, leaving, { ...EVERYTHING, 'GET /me/closing': CLOSING_WAITS });
    await speaking(page, locale);
    await looked(page, locale, { name: 'closing', path: '/account-setting?tab=privacy', inner: true });
    await expect(page.getByTestId('closing-banner')).toBeVisible();
  });

  test(`${locale}, somebody else's account is looked at`, async ({ page }) => {
    const look = { _id: LOOK, reason: 'O extrato de ontem', until: ahead(12 * MINUTE) };
    await stub(page, { ...CUSTOMER, look }, EVERYTHING);
    await speaking(page, locale);
    await looked(page, locale, { name: 'looking', path: `/look/${LOOK}?of=u-ana` });
    await expect(page.getByTestId('look-bar')).toContainText(CUSTOMER.fullName);
  });
}
