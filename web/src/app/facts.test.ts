// @vitest-environment jsdom
/** What a fact brings is written over the rows that show it; asked for is what it cannot say. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from '@/api/queryClient';
import { affiliatesLive } from '@/rooms/affiliates/live';
import { approvalsLive } from '@/rooms/approvals/live';
import { exchangeLive } from '@/rooms/exchange/live';
import { poolEntriesLive } from '@/rooms/licences/live';
import { permissionsLive } from '@/rooms/permissions/live';
import { pixLive } from '@/rooms/pix/live';
import { robotsLive } from '@/rooms/robots/live';
import { rulesLive } from '@/rooms/rules/live';
import { supportLive } from '@/rooms/support/live';
import { transfersLive } from '@/rooms/transfers/live';
import { walletLive } from '@/rooms/wallet/live';
import { web3Live } from '@/rooms/web3/live';
import { withdrawalsLive } from '@/rooms/withdrawals/live';
import { asked, tellFact } from '@/testing/facts';

const ROOMS = [
  affiliatesLive,
  approvalsLive,
  exchangeLive,
  permissionsLive,
  pixLive,
  poolEntriesLive,
  robotsLive,
  rulesLive,
  supportLive,
  transfersLive,
  walletLive,
  web3Live,
  withdrawalsLive,
];
let stops: (() => void)[] = [];
beforeEach(() => {
  queryClient.clear();
  stops = ROOMS.map((room) => room.listen());
});
afterEach(() => {
  for (const stop of stops) stop();
  vi.useRealTimers();
});

const keyOf = (path: string) => ['get', path, { params: { query: { page: 1, limit: 10 } } }];
const know = (path: string, answer: object) => queryClient.setQueryData(keyOf(path), answer);
const read = (path: string) => queryClient.getQueryData(keyOf(path));

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

test("a rank's bonus: what is paid is written over its member's own row; else their list is asked for", () => {
  const path = '/affiliates/graduations';
  const waiting = { _id: 'r', status: 'waiting', bonusPaymentHash: null, paidAt: null };
  know(path, { data: [{ _id: 'older', status: 'paid' }, waiting] });
  know('/affiliates/dashboard', {});
  const payment = (more: object) =>
    tellFact({ kind: 'graduation_bonus.changed', payment: { _id: 'p', graduation: 'r', ...more } });
  const paid = { status: 'complete', transaction: '0xcd', completedAt: '2026-11-20T12:00:00Z' };
  payment(paid);
  expect(read(path)).toEqual({
    data: [
      { _id: 'older', status: 'paid' },
      { _id: 'r', status: 'paid', bonusPaymentHash: '0xcd', paidAt: '2026-11-20T12:00:00Z' },
    ],
  });
  expect(asked()).toEqual([]);
  payment({ ...paid, graduation: 'that nobody shows' });
  expect(asked()).toEqual([path]);
  know(path, { data: [waiting] });
  payment({ status: 'sent', transaction: '0xab', completedAt: null });
  expect(read(path)).toEqual({ data: [waiting] });
  expect(asked()).toEqual([path]);
});

test('a bonus: its row and what is open of it; the tree is asked for when it is new or taken back', () => {
  vi.useFakeTimers();
  const bonus = { _id: 'b', version: 1, status: 'deferred', paid: '0.000000', dropped: '0', returned: '0' };
  const known = () => {
    know('/affiliates/bonus-log', { data: [bonus], totals: [] });
    know('/affiliates/bonus-log/{bonus}', { bonus, username: 'ana' });
    know('/affiliates/diagram-binary-tree/{param}', {});
  };
  const points = '/affiliates/diagram-binary-tree/{param}';
  const tell = (more: object) => {
    known();
    tellFact({ kind: 'bonus.changed', bonus: { ...bonus, version: 2, ...more } });
    vi.advanceTimersByTime(1_000);
    return asked();
  };
  expect(tell({ status: 'paid', paid: '5.000000' })).toEqual([
    '/affiliates/bonus-log',
    '/affiliates/bonus-log/{bonus}',
  ]);
  const fresh = { ...bonus, version: 2, status: 'paid', paid: '5.000000' };
  expect(read('/affiliates/bonus-log')).toMatchObject({ data: [fresh] });
  expect(read('/affiliates/bonus-log/{bonus}')).toEqual({ bonus: fresh, username: 'ana' });
  expect(tell({ status: 'taken_back', returned: '5.000000' })).toContain(points);
  expect(tell({ _id: 'new' })).toContain(points);
});

test("a wallet's move is written over its row; what the wallet holds is asked for", () => {
  const path = '/web3/historic_wallet/{param}';
  know(path, { data: [{ _id: 'm', version: 1, status: 'sent', gas: null }], meta: {} });
  know('/web3/readWalletBalances/{param}', {});
  tellFact({ kind: 'wallet.changed', move: { _id: 'm', version: 2, status: 'mined', gas: '21' } });
  expect(read(path)).toMatchObject({ data: [{ status: 'mined', gas: '21' }] });
  expect(asked()).toEqual(['/web3/readWalletBalances/{param}']);
  tellFact({ kind: 'wallet.changed', move: { _id: 'new', version: 1, status: 'queued' } });
  expect(asked()).toContain(path);
});

test("one's own PYX: told as they are; rounds and schedules are asked for when what is locked has moved", () => {
  const all = ['/presale/rounds', '/presale/holdings', '/outbound-state'];
  const locked = '100.000000';
  const tell = (balances: object) => {
    for (const path of all) know(path, { balances: { free: '1.000000', locked, version: 4 } });
    tellFact({ kind: 'presale.changed', balances });
    return asked();
  };
  expect(tell({ free: '9.000000', locked, version: 5 })).toEqual(['/outbound-state']);
  expect(read('/presale/holdings')).toEqual({ balances: { free: '9.000000', locked, version: 5 } });
  expect(tell({ free: '1.000000', locked: '120.000000', version: 5 })).toEqual(all);
  expect(tell({ free: '1.000000', locked, version: 4 })).toEqual(all);
  expect(read('/presale/holdings')).toEqual({ balances: { free: '1.000000', locked, version: 4 } });
});

test('copying: what begins or ends is written; the sum is asked for when a robot that copies was settled', () => {
  vi.useFakeTimers();
  const path = '/trader/following';
  const following = { _id: 'f', licence: 'l', state: 'active', net: '0.000000', version: 1 };
  know(path, [following]);
  const settled = (licence: string) => {
    tellFact({ kind: 'robots.settled', robots: [{ licence }], mode: 'simulated' });
    vi.advanceTimersByTime(10_000);
  };
  settled('another');
  expect(asked()).toEqual([]);
  settled('l');
  expect(asked()).toEqual([path]);
  know(path, [following]);
  tellFact({ kind: 'result.reversed', licence: 'l' });
  vi.advanceTimersByTime(10_000);
  expect(asked()).toEqual([path]);
  know(path, [following]);
  tellFact({ kind: 'robot.following', following: { ...following, state: 'loss', version: 2 } });
  expect(read(path)).toMatchObject([{ state: 'loss' }]);
  settled('l');
  expect(asked()).toEqual([]);
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
