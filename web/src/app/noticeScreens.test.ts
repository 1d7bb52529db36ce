import { expect, test } from 'vitest';
import notices from '@/i18n/pt/notifications.json';
import { placeOf } from '@/shared/notices/where';
import { pages } from './pages';

/** Told to everybody at once, or the first line of all: nothing to be seen elsewhere. */
const NOWHERE = ['welcome', 'outbound_paused', 'outbound_resumed', 'desk_paused', 'desk_resumed'];
const codes = [...new Set(Object.keys(notices).map((key) => key.replace(/_(one|many|other)$/, '')))];

test('each notice leads to a screen that there is, and asks for its permission', () => {
  const lost = codes.filter((code) => {
    const place = placeOf(code, { ticket: 't1' });
    if (place === null) return !NOWHERE.includes(code);
    const path = place.screen.split('?')[0]?.replace('/ticket/t1', '/ticket/:idTicket');
    return pages.find((page) => page.path === path)?.subject !== place.permission;
  });
  expect(lost).toEqual([]);
});

test.each([
  ['pyx_withdrawal_rejected', '/wallet/my-withdrawals'],
  ['order_filled', '/exchange/negotiate-igc'],
  ['crypto_deposit_credited', '/wallet/my-deposits'],
  ['queue_old_pix_deposits', '/deposits-pix-approve-reject'],
  ['tickets_wait', '/customer-service/tickets-list'],
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
