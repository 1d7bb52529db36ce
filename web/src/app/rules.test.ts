// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { abilityFor, type Permission } from '@/api/ability';
import { QUEUES } from '@/api/queues';
import { httpsTarget } from './https';
import { withTimeout } from './loadPage';
import { pages as inside } from './pages';
import { isChunkError } from './pages/RouteError';
import { publicPages } from './publicPages';
import { isHere, menuFor } from './shell/menu';
import { firstScreen } from './workplace';

const pages = [...publicPages, ...inside];
const can = (...held: Permission[]) => {
  const ability = abilityFor({
    roles: [{ _id: 'r', name: 'r', permissions: held.map((subject) => ({ action: 'read', subject })) }],
  });
  return (subject: Permission) => ability.can('read', subject);
};
const everywhere = new Set([
  '/',
  '/licences',
  '/robots-in-operation',
  '/robots-without-operation',
  '/wallet/my-deposits-pix',
  '/support',
  '/deposits-pix-approve-reject',
  '/customer-service/tickets-list',
]);
const groups = (...held: Permission[]) => menuFor(can(...held), everywhere).map(({ text }) => text);

test('the menu: permission decides presence, role the order', () => {
  expect(groups('registered-user')).toEqual(['main', 'finance', 'help']);
  expect(groups('registered-user', 'admin_permissions', 'customer-service_list-tickets')).toEqual([
    'approvals',
    'service',
    'main',
    'finance',
    'help',
  ]);
  expect(groups('registered-user', 'customer-service_list-tickets')).toEqual([
    'service',
    'main',
    'finance',
    'help',
  ]);
  expect(groups()).toEqual([]);
  const sells = menuFor(can('registered-user', 'customer-service_list-users')).map(({ text }) => text);
  expect(sells.slice(0, 4)).toEqual(['network', 'marketing', 'management', 'main']);
});

test('who works here begins at work, by what they may do; who does not, at their own results', () => {
  expect(firstScreen(can('registered-user'))).toBeNull();
  expect(firstScreen(can('registered-user', 'admin_dashboard', 'admin_permissions'))).toBe(
    '/administrator/dashboard',
  );
  expect(
    firstScreen(can('registered-user', 'customer-service_list-tickets', 'customer-service_response-ticket')),
  ).toBe('/customer-service/tickets-list');
  expect(firstScreen(can('registered-user', 'admin_dashboard', 'customer-service_list-tickets'))).toBe(
    '/customer-service/tickets-list',
  );
  expect(firstScreen(can('registered-user', 'admin_permissions'))).not.toBeNull();
  const results = (...held: Permission[]) =>
    menuFor(can(...held))
      .flatMap(({ entries }) => entries)
      .find(({ text }) => text === 'results')?.to;
  expect(results('registered-user')).toBe('/');
  expect(results('registered-user', 'admin_dashboard')).toBe('/?view=results');
});

test.each([
  ['/account-setting?tab=crypto', '/account-setting', '?tab=security', false],
  ['/account-setting?tab=crypto', '/account-setting', '?tab=crypto', true],
  ['/support', '/support/ticket/1', '', true],
  ['/support', '/support-other', '', false],
  ['/', '/licences', '', false],
  ['/?view=results', '/', '?view=results', true],
])('%s at %s%s is the screen shown: %s', (to, pathname, search, here) => {
  expect(isHere(to, { pathname, search })).toBe(here);
});

test('an entry shows with its page and not before', () => {
  const built = new Set(pages.map(({ path }) => path));
  for (const { entries } of menuFor(() => true))
    for (const { to } of entries) expect(built).toContain(to.split('?')[0]);
  expect(menuFor(() => true, new Set())).toEqual([]);
});

test.each(Object.values(QUEUES))(
  'the queue $id is decided on a screen for those who see it',
  ({ screen, permission }) => {
    const page = inside.find(({ path }) => path === screen.split('?')[0]);
    expect(page?.subject).toBe(permission);
  },
);

test('no two pages share a path, and whole-page screens are the public ones', () => {
  const paths = pages.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  for (const { layout, subject } of pages) expect(layout === 'full').toBe(subject === 'Public');
});

test.each([
  ['http://arbora.example/a?b#c', 'https://arbora.example/a?b#c'],
  ['https://arbora.example/', null],
  ['http://localhost:5173/', null],
  ['http://127.0.0.1:8080/', null],
  ['http://127.9.9.9/', null],
  ['http://[::1]:8080/', null],
  ['http://127.0.0.1.evil.example/', 'https://127.0.0.1.evil.example/'],
])('%s goes to %s', (from, to) => {
  expect(httpsTarget(new URL(from))).toBe(to);
});

test('a chunk that does not come in time has failed', async () => {
  await expect(withTimeout(new Promise(() => {}), 10)).rejects.toThrow(/too long/);
  await expect(withTimeout(Promise.resolve(7), 10)).resolves.toBe(7);
  expect(isChunkError(await withTimeout(new Promise(() => {}), 1).catch((error) => error))).toBe(true);
  expect(isChunkError(new TypeError('Failed to fetch dynamically imported module: /assets/x.js'))).toBe(true);
  expect(isChunkError(new Error('something else'))).toBe(false);
});
