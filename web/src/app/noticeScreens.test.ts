import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import notices from '@/i18n/pt/notifications.json';
import { placeOf } from '@/shared/notices/where';
import { pages } from './pages';

/** Told to everybody at once, or the first line of all: nothing to be seen elsewhere. */
const NOWHERE = ['welcome', 'outbound_paused', 'outbound_resumed', 'desk_paused', 'desk_resumed'];
const codes = [...new Set(Object.keys(notices).map((key) => key.replace(/_(one|many|other)$/, '')))];

const pathOf = (screen: string) => screen.split('?')[0]?.replace(/\/t1$/, '/:idTicket');

test('each notice leads to a screen that there is, and asks for its permission', () => {
  const lost = codes.filter((code) => {
    const place = placeOf(code, { ticket: 't1' });
    if (place === null) return !NOWHERE.includes(code);
    return pages.find((page) => page.path === pathOf(place.screen))?.subject !== place.permission;
  });
  expect(lost).toEqual([]);
});

const GROUPS = readFileSync(
  resolve(import.meta.dirname, '../../../server/src/notifications/rules/groups.rs'),
  'utf8',
);
/** The codes of a group, as the server's table has them. */
const codesOf = (group: string): string[] => {
  const [, listed = ''] = new RegExp(`\\(\\s*${group},\\s*&\\[([^\\]]*)\\]`).exec(GROUPS) ?? [];
  return [...listed.matchAll(/"(\w+)"/g)].map(([, code = '']) => code);
};
const STAFFS = new Set([...codesOf('Staff'), ...codesOf('Tickets')]);
/** Of what concerns security and what waits, whose it is stands in how the code begins. */
const isStaffs = (code: string) => STAFFS.has(code) || /^(admin|queue_old)_/.test(code);

test('what staff are told leads to a page of the staff, and what customers are told to one that asks for nothing', () => {
  expect([...STAFFS]).toEqual(expect.arrayContaining(['desk_halted', 'ticket_said', 'tickets_wait']));
  const wrong = codes.filter((code) =>
    [{}, { ticket: 't1' }].some((params) => {
      const place = placeOf(code, params);
      return place !== null && (place.permission !== 'registered-user') !== isStaffs(code);
    }),
  );
  expect(wrong).toEqual([]);
});

test.each([
  ['pyx_withdrawal_rejected', '/wallet/my-withdrawals'],
  ['order_filled', '/exchange/negotiate-igc'],
  ['crypto_deposit_credited', '/wallet/my-deposits'],
  ['queue_old_pix_deposits', '/deposits-pix-approve-reject'],
  ['tickets_wait', '/customer-service/tickets-list'],
  ['ticket_said', '/customer-service/tickets-list'],
  ['queue_old_grants', '/administrator/set-permissions?tab=requests'],
  ['queue_old_holdings', '/administrator/dashboard'],
  ['admin_freeze_begun', '/administrator/set-permissions?tab=requests'],
  ['account_closing_late', '/administrator/users/list'],
  ['pix_deposit_reversed', '/wallet/my-deposits-pix'],
  ['sponsorship_removed', '/customer/extrato'],
  ['own_outbound_paused', '/wallet/my-withdrawals'],
  ['account_switched_off', '/account-setting'],
  ['manual_key_revoked', '/robots-in-operation'],
  ['roles_given', '/account-setting'],
  ['push_device_removed', '/account-setting?tab=notifications'],
])('%s leads to %s', (code, screen) => {
  expect(placeOf(code, {})?.screen).toBe(screen);
});

test('of an account that should be closed the line leads to its person', () => {
  expect(placeOf('account_closing_late', { user: 'u1' })?.screen).toBe('/administrator/users/view/u1');
});

test('what is said in a ticket leads each side to its own page of it', () => {
  const screen = (code: string) => placeOf(code, { ticket: 't1' })?.screen;
  expect(screen('ticket_reply')).toBe('/support/ticket/t1');
  expect(screen('ticket_said')).toBe('/customer-service/ticket-response/t1');
});
