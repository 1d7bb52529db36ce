// @vitest-environment jsdom
/** What a fact brings is written over the rows that show it; asked for is what it cannot say. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { queryClient } from '@/api/queryClient';
import { affiliatesLive } from '@/rooms/affiliates/live';
import { approvalsLive } from '@/rooms/approvals/live';
import { withdrawalsQueueLive } from '@/rooms/approvals/withdrawalsLive';
import { exchangeLive } from '@/rooms/exchange/live';
import { poolEntriesLive } from '@/rooms/licences/live';
import { permissionsLive } from '@/rooms/permissions/live';
import { pixLive } from '@/rooms/pix/live';
import { rulesLive } from '@/rooms/rules/live';
import { supportLive } from '@/rooms/support/live';
import { transfersLive } from '@/rooms/transfers/live';
import { walletLive } from '@/rooms/wallet/live';
import { withdrawalsLive } from '@/rooms/withdrawals/live';
import { tellFact } from '@/testing/facts';

const ROOMS = [
  affiliatesLive,
  approvalsLive,
  exchangeLive,
  permissionsLive,
  pixLive,
  poolEntriesLive,
  rulesLive,
  supportLive,
  transfersLive,
  walletLive,
  withdrawalsLive,
  withdrawalsQueueLive,
];
let stops: (() => void)[] = [];
beforeEach(() => {
  queryClient.clear();
  stops = ROOMS.map((room) => room.listen());
});
afterEach(() => {
  for (const stop of stops) stop();
});

const keyOf = (path: string) => ['get', path, { params: { query: { page: 1, limit: 10 } } }];
const know = (path: string, answer: object) => queryClient.setQueryData(keyOf(path), answer);
const read = (path: string) => queryClient.getQueryData(keyOf(path));
/** The calls that are asked again, of all that are known. */
const asked = () =>
  queryClient
    .getQueryCache()
    .getAll()
    .filter(({ state }) => state.isInvalidated)
    .map(({ queryKey }) => queryKey[1]);

test.each<[string, string, string, string[]]>([
  ['pix_deposit.changed', 'deposit', '/list-deposits-pix', []],
  ['pix_withdrawal.changed', 'withdrawal', '/list-withdraws-pix', []],
  ['crypto_deposit.changed', 'deposit', '/list-deposits', []],
  ['crypto_withdrawal.changed', 'withdrawal', '/list-withdraws', []],
  ['transfer.changed', 'transfer', '/transfers-list', ['/outbound-state']],
  ['order.changed', 'order', '/orders', ['/outbound-state']],
  ['pool.changed', 'entry', '/pools/mine', ['/pools']],
  ['rules.changed', 'change', '/admin/settings/history', ['/admin/settings']],
  ['ticket.activity', 'ticket', '/support/list-tickets-user/', []],
])('%s is written over its row; one that nobody shows is asked for', (kind, name, path, more) => {
  for (const one of more) know(one, {});
  know(path, { data: [{ _id: 'a', version: 1, status: 'before' }], meta: {} });
  tellFact({ kind, [name]: { _id: 'a', version: 2, status: 'after' } });
  expect(read(path)).toMatchObject({ data: [{ _id: 'a', version: 2, status: 'after' }] });
  expect(asked()).toEqual(more);
  tellFact({ kind, [name]: { _id: 'b', version: 1, status: 'after' } });
  // Where tickets enter is the screens' own decision: nothing moves under a pointer.
  expect(asked().includes(path)).toBe(!kind.startsWith('ticket'));
});

test('what staff alone know of a ticket is written into its row, and stays when the ticket itself changes', () => {
  const path = '/support/list-tickets-all/';
  const desk = (version: number, notes: number) => ({ _id: 'a', version, takenBy: null, notes });
  know(path, { data: [{ _id: 'a', version: 1, status: 'open', desk: desk(1, 0) }], meta: {} });
  tellFact({ kind: 'ticket.desk', desk: desk(2, 1), handedBy: null });
  tellFact({ kind: 'ticket.activity', ticket: { _id: 'a', version: 3, status: 'closed' } });
  // One that comes late says nothing new.
  tellFact({ kind: 'ticket.desk', desk: desk(1, 0), handedBy: null });
  expect(read(path)).toEqual({
    data: [{ _id: 'a', version: 3, status: 'closed', desk: desk(2, 1) }],
    meta: {},
  });
  expect(asked()).toEqual([]);
});

test('notes that are not here yet are asked for, and only those', () => {
  const notes = '/support/ticket-notes/{ticketId}';
  for (const ticketId of ['a', 'b'])
    queryClient.setQueryData(['get', notes, { params: { path: { ticketId } } }], { data: [{ _id: 'n' }] });
  tellFact({ kind: 'ticket.desk', desk: { _id: 'a', version: 2, notes: 1 }, handedBy: null });
  expect(asked()).toEqual([]);
  tellFact({ kind: 'ticket.desk', desk: { _id: 'a', version: 3, notes: 2 }, handedBy: null });
  expect(asked()).toEqual([notes]);
});

test('replies that staff keep ready are asked for again', () => {
  know('/support/canned-replies', { data: [] });
  tellFact({ kind: 'canned_replies.changed' });
  expect(asked()).toEqual(['/support/canned-replies']);
});

test('a change of password is told as a hold on every page that takes money out', () => {
  know('/outbound-state', { hold: null });
  tellFact({ kind: 'user.changed', reason: 'password' });
  expect(asked()).toEqual(['/outbound-state']);
});

test("a decided deposit stays in its queue, greyed; the report's sums are asked for", () => {
  const path = '/admin/all-crypto-deposits-list';
  know(path, { data: [{ _id: 'a', version: 1, status: 'pending_approval', fullName: 'Ana' }], pending: 3 });
  know('/admin/crypto-deposits-report', {});
  const deposit = (change: object) =>
    tellFact({
      kind: 'queue.changed',
      queue: 'crypto-deposits',
      pending: 2,
      item: { type: 'crypto_deposit', deposit: { _id: 'a', version: 2, status: 'approved', ...change } },
    });
  deposit({});
  expect(read(path)).toEqual({
    data: [{ _id: 'a', version: 2, status: 'approved', fullName: 'Ana' }],
    pending: 2,
  });
  expect(asked()).toEqual(['/admin/crypto-deposits-report']);
  deposit({ _id: 'b', status: 'pending_approval' });
  expect(asked()).toContain(path);
});

test.each([
  ['pix-deposits', 'pix_deposit', 'deposit', '/admin/pix-deposits-report'],
  ['pix-withdrawals', 'pix_withdrawal', 'withdrawal', '/admin/pix-withdrawals-report'],
  ['crypto-withdrawals', 'crypto_withdrawal', 'withdrawal', '/admin/crypto-withdrawals-report'],
])('a change in the queue %s asks for its sums anew', (queue, type, name, report) => {
  know(report, {});
  tellFact({
    kind: 'queue.changed',
    queue,
    pending: 0,
    item: { type, [name]: { _id: 'a', version: 2, status: 'complete' } },
  });
  expect(asked()).toEqual([report]);
});

test("a rank's bonus: staff's row shows where its payment stands; what is final is asked for", () => {
  const path = '/admin/graduation';
  know(path, {
    data: [{ _id: 'r', bonusPaymentHash: null, payment: { _id: 'p', version: 1, status: 'approved' } }],
  });
  const payment = (version: number, status: string, transaction: string | null = null) =>
    tellFact({
      kind: 'queue.changed',
      queue: 'graduation-bonuses',
      pending: 0,
      item: { type: 'graduation_bonus', payment: { _id: 'p', version, status, transaction } },
    });
  payment(2, 'sent', '0xab');
  expect(read(path)).toMatchObject({ data: [{ bonusPaymentHash: '0xab', payment: { status: 'sent' } }] });
  expect(asked()).toEqual([]);
  payment(3, 'failed', '0xab');
  expect(read(path)).toMatchObject({ data: [{ bonusPaymentHash: null, payment: { status: 'failed' } }] });
  expect(asked()).toEqual([]);
  payment(4, 'complete', '0xcd');
  expect(asked()).toEqual([path]);
});

test("a rank's bonus: its member's own list is asked for, and nothing that it does not change", () => {
  know('/affiliates/graduations', { data: [] });
  know('/affiliates/dashboard', {});
  tellFact({ kind: 'graduation_bonus.changed', payment: { _id: 'p', version: 2, status: 'sent' } });
  expect(asked()).toEqual(['/affiliates/graduations']);
});

test('requests and freezes: who decides is asked for only when that has changed', () => {
  const path = '/admin/grants';
  const known = () => {
    know(path, {
      requests: [{ _id: 'g', version: 1, status: 'waiting' }],
      freezes: [{ _id: 'f', version: 1, liftAskedBy: null, endedAt: null }],
      lifters: 2,
    });
    know('/admin/role-holders', { data: [] });
  };
  known();
  tellFact({ kind: 'admin_grant.changed', grant: { _id: 'g', version: 2, status: 'rejected' } });
  expect(read(path)).toMatchObject({ requests: [{ status: 'rejected' }], lifters: 2 });
  tellFact({
    kind: 'admin_freeze.changed',
    freeze: { _id: 'f', version: 2, liftAskedBy: {}, endedAt: null },
  });
  expect(read(path)).toMatchObject({ freezes: [{ version: 2 }] });
  expect(asked()).toEqual([]);
  for (const event of [
    { kind: 'admin_grant.changed', grant: { _id: 'g', version: 3, status: 'done' } },
    { kind: 'admin_grant.changed', grant: { _id: 'new', version: 1, status: 'waiting' } },
    { kind: 'admin_freeze.changed', freeze: { _id: 'f', version: 3, liftAskedBy: {}, endedAt: 'now' } },
    { kind: 'admin_freeze.changed', freeze: { _id: 'new', version: 1, liftAskedBy: null, endedAt: null } },
  ]) {
    known();
    tellFact(event);
    expect(asked()).toEqual([path, '/admin/role-holders']);
  }
});

test('a rule in force: whatever holds by it is asked for', () => {
  const all = ['/admin/settings', '/admin/plans', '/licences/plans', '/config'];
  for (const path of all) know(path, {});
  know('/admin/settings/history', { data: [{ _id: 'a', version: 1, status: 'agreed' }] });
  tellFact({ kind: 'rules.changed', revision: 4, change: { _id: 'a', version: 2, status: 'in_force' } });
  expect(asked()).toEqual(all);
});
