// @vitest-environment jsdom
/** Of a ticket that a colleague has that colleague alone is told [docs/decisions/0096-alerts-of-a-device.md]. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from '@/api/queryClient';
import { tellFact } from '@/testing/facts';
import { supportLive } from './live';

vi.mock('@/api/session', async (original) => ({
  ...(await original<object>()),
  mayRead: () => true,
  currentUser: () => ({ _id: 'me' }),
}));
interface Asked {
  params: { query: object };
}
const answer = (data: object[], total: number) => ({ data: { data, meta: { total } } });
vi.mock('@/api/client', async (original) => ({
  ...(await original<object>()),
  api: {
    GET: async (_: string, { params }: Asked) =>
      'agent' in params.query
        ? answer(
            taken.map((one) => ({ desk: one })),
            total,
          )
        : answer([], 0),
  },
  body: async (call: Promise<{ data: unknown }>) => (await call).data,
}));
vi.mock('@/shared/support/alerts', () => ({
  alertOf: ({ ticket }: { ticket: string }) => void told.push(ticket),
}));

const told: string[] = [];
/** What the list answers of the tickets that somebody has, and how many there are. */
let taken: object[] = [];
let total = 0;

const desk = (_id: string, version: number, holder: string | null) => ({
  _id,
  version,
  takenBy: holder === null ? null : { _id: holder, name: holder },
  notes: 0,
});
const hears = (one: object) => tellFact({ kind: 'ticket.desk', desk: one, handedBy: null });
const says = (_id: string) =>
  tellFact({
    kind: 'ticket.activity',
    ticket: {
      _id,
      version: 1,
      number: 41,
      user: 'ana',
      lastNumber: 1,
      lastMessage: 'oi',
      readByCustomer: 1,
      readByStaff: 0,
      lastMessageAt: new Date().toISOString(),
      deleted: false,
    },
  });
const reads = (rows: object[], all = rows.length) => {
  taken = rows;
  total = all;
  return supportLive.load();
};

let stop = () => {};
beforeEach(() => {
  told.length = 0;
  queryClient.clear();
  stop = supportLive.listen();
});
afterEach(() => stop());

test('who has a ticket since before the page was open is told of it, and no colleague is', async () => {
  await reads([desk('theirs', 1, 'rui'), desk('mine', 1, 'me')]);
  for (const id of ['theirs', 'mine', 'free']) says(id);
  expect(told).toEqual(['mine', 'free']);
});

test('what is heard while it is read is the newer word', async () => {
  const reading = reads([desk('freed', 2, 'rui'), desk('given', 2, 'me')]);
  hears(desk('freed', 3, null));
  hears(desk('given', 3, 'rui'));
  await reading;
  for (const id of ['freed', 'given']) says(id);
  expect(told).toEqual(['freed']);
});

test("what was let go while nothing was heard is everybody's again", async () => {
  hears(desk('a', 1, 'rui'));
  await reads([]);
  says('a');
  expect(told).toEqual(['a']);
});

test('of more than are read at once, what was heard stays', async () => {
  hears(desk('a', 1, 'rui'));
  await reads([desk('b', 1, 'rui')], 500);
  for (const id of ['a', 'b']) says(id);
  expect(told).toEqual([]);
});

test('of what was closed the list and the ticket on screen tell who has it', async () => {
  await reads([]);
  const list = [
    { _id: 'a', version: 0, desk: desk('a', 1, 'rui') },
    { _id: 'b', version: 0, desk: desk('b', 1, 'me') },
  ];
  queryClient.setQueryData(['get', '/support/list-tickets-all/', {}], { data: list, meta: {} });
  const ticket = ['get', '/support/get-ticket-support-team/{id}', { params: { path: { id: 'c' } } }];
  queryClient.setQueryData(ticket, { desk: desk('c', 1, 'rui') });
  for (const id of ['a', 'b', 'c']) says(id);
  expect(told).toEqual(['b']);
});
