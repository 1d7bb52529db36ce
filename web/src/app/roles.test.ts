// @vitest-environment jsdom
/** Every page for every role: who is let in, who is sent where, and that no menu leads to a closed door. What each page takes is written
 *  down here again, from the rules [docs/rules/web.md#menu], so that a page that opens wider by mistake is found. */

import { afterEach, expect, test, vi } from 'vitest';
import { abilityFor } from '@/api/ability';
import { QUEUES } from '@/api/queues';
import { pageOf } from '@/api/screens';
import { type Me, useSession } from '@/api/session';
import { ROLES, type Role } from '@/testing/roles';
import { guard } from './guard';
import { pages } from './pages';
import { publicPages } from './publicPages';
import { menuFor } from './shell/menu';

const EVERYBODY: readonly Role[] = [
  'administrator',
  'system_employee',
  'salesperson',
  'store_employee',
  'customer',
];
const ADMINISTRATOR: readonly Role[] = ['administrator'];
const DESK: readonly Role[] = ['administrator', 'system_employee'];
const SELLS: readonly Role[] = ['administrator', 'system_employee', 'salesperson'];
const ANSWERS: readonly Role[] = ['administrator', 'system_employee', 'store_employee'];

/** Whom each page behind the sign-in lets in. */
const DOORS: Readonly<Record<string, readonly Role[]>> = {
  '/': EVERYBODY,
  '/dashboard-analytics': EVERYBODY,
  '/licences': EVERYBODY,
  '/robots-in-operation': EVERYBODY,
  '/robots-without-operation': EVERYBODY,
  '/exchange/negotiate-igc': EVERYBODY,
  '/affiliate-network/dashboard': EVERYBODY,
  '/affiliate-network/binary-tree': EVERYBODY,
  '/affiliate-network/direct-references': EVERYBODY,
  '/affiliate-network/bonus-report': EVERYBODY,
  '/wallet/my-deposits': EVERYBODY,
  '/wallet/my-deposits-pix': EVERYBODY,
  '/wallet/my-withdrawals': EVERYBODY,
  '/wallet/my-withdrawals-pix': EVERYBODY,
  '/wallet/transfers': EVERYBODY,
  '/customer/extrato': EVERYBODY,
  '/notifications': EVERYBODY,
  '/marketing/academy': EVERYBODY,
  '/marketing/share': EVERYBODY,
  '/marketing/support-material': EVERYBODY,
  '/account-setting': EVERYBODY,
  '/trading-bot': EVERYBODY,
  '/support': EVERYBODY,
  '/support-whatsapp': EVERYBODY,
  '/support/new-ticket': EVERYBODY,
  '/support/ticket/:idTicket': EVERYBODY,
  '/administrator/dashboard': DESK,
  '/administrator/robot-config': DESK,
  '/administrator/users/list': SELLS,
  '/administrator/users/view/:id': SELLS,
  '/administrator/users/edit/:id': ADMINISTRATOR,
  '/administrator/robots': ADMINISTRATOR,
  '/administrator/set-permissions': ADMINISTRATOR,
  '/administrator/audit': ADMINISTRATOR,
  '/administrator/announcements': ADMINISTRATOR,
  '/administrator/content': ADMINISTRATOR,
  '/administrator/presale': ADMINISTRATOR,
  '/administrator/pools': ADMINISTRATOR,
  '/deposits-pix-approve-reject': ADMINISTRATOR,
  '/pix-withdrawal-list': ADMINISTRATOR,
  '/pix-statements': ADMINISTRATOR,
  '/crypto-withdrawal-list': ADMINISTRATOR,
  '/crypto-deposits-list': ADMINISTRATOR,
  '/crypto-deposits-list2': ADMINISTRATOR,
  '/compliance-cases': ADMINISTRATOR,
  '/transfers-reports': ADMINISTRATOR,
  '/add-remove-balance': ADMINISTRATOR,
  '/bonus-report': ADMINISTRATOR,
  '/payout-report': ADMINISTRATOR,
  '/binary-report': ADMINISTRATOR,
  '/graduation-list': ADMINISTRATOR,
  '/graduations': ADMINISTRATOR,
  '/customer-service/tickets-list': ANSWERS,
  '/customer-service/ticket-response/:idTicket': ANSWERS,
  '/customer-service/canned-replies': ANSWERS,
};

function signIn(role: Role | null) {
  if (role === null) return useSession.setState({ user: null, ability: null });
  const permissions = ROLES[role].map((subject) => ({ action: 'read', subject }));
  const user: Pick<Me, '_id' | 'roles'> = { _id: role, roles: [{ _id: role, name: role, permissions }] };
  useSession.setState({ user: user as Me, ability: abilityFor(user) });
}
afterEach(() => signIn(null));

/** Where somebody who opens this page is sent; null where they may stay. */
async function sentTo(path: string): Promise<string | null> {
  const page = [...publicPages, ...pages].find((one) => one.path === path);
  if (!page) throw new Error(`no page ${path}`);
  const url = new URL(path, 'https://arbora.example');
  const answer: unknown = await guard(page)({
    request: new Request(url),
    url,
    params: {},
    pattern: path,
    context: {},
  });
  return answer instanceof Response ? answer.headers.get('Location') : null;
}

test('every page is written down, and nothing else', () => {
  expect(Object.keys(DOORS).sort()).toEqual(pages.map(({ path }) => path).sort());
});

test('queues that share a screen are seen by the same people, and each screen is a page of theirs', () => {
  for (const row of Object.values(QUEUES)) {
    const here = pages.filter(({ path }) => path === pageOf(row));
    expect(
      here.map(({ subject }) => subject),
      row.id,
    ).toEqual([row.permission]);
  }
});

const every = EVERYBODY.flatMap((role) => Object.keys(DOORS).map((path) => [role, path] as const));
test.each(every)('%s opens %s', async (role, path) => {
  signIn(role);
  expect(await sentTo(path)).toBe(DOORS[path]?.includes(role) ? null : '/not-authorized');
});

test.each(Object.keys(DOORS))('who is not signed in is asked to, and comes back to %s', async (path) => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('nobody is to be asked')));
  expect(await sentTo(path)).toMatch(/^\/login/);
  vi.unstubAllGlobals();
});

test.each(publicPages.map(({ path }) => path))('%s needs no sign-in', async (path) => {
  expect(await sentTo(path)).toBeNull();
});

test.each(EVERYBODY)(
  'no entry of the menu of %s leads to a closed door, and each open screen has one',
  (role) => {
    signIn(role);
    const { ability } = useSession.getState();
    const entries = menuFor((subject) => ability?.can('read', subject) ?? false)
      .flatMap((group) => group.entries)
      .map(({ to }) => to.split('?')[0] ?? to);
    for (const to of entries) expect(DOORS[to], to).toContain(role);
    // Reached from elsewhere: what needs to know about whom, what the person's own menu holds, and what the bell leads to.
    const elsewhere = ['/trading-bot', '/account-setting', '/support/new-ticket', '/notifications'];
    const open = Object.keys(DOORS).filter((path) => DOORS[path]?.includes(role) && !path.includes(':'));
    expect(open.filter((path) => !entries.includes(path) && !elsewhere.includes(path))).toEqual([]);
  },
);
