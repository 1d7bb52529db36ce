// @vitest-environment jsdom
/** When a list that follows facts asks again: when a row comes, goes or moves. */
import { QueryClientProvider } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patchRows } from '@/api/lists';
import { queryClient } from '@/api/queryClient';
import { tellFact } from '@/testing/facts';
import { show } from '@/testing/render';
import { useList } from './useList';

const PATH = '/support/list-tickets-user/';
const TICKET = {
  _id: 'a',
  version: 1,
  subject: 'one',
  lastMessageAt: '2026-11-20T10:00:00Z',
  readByStaff: 0,
};
let answer = { data: [TICKET], meta: { total: 1 } };
const get = vi.hoisted(() => vi.fn());
vi.mock('@/api/client', async (original) => ({ ...(await original<object>()), api: { GET: get } }));

function Tickets() {
  const { rows, changed, area } = useList(PATH, {
    live: ['ticket.activity'],
    brings: { row: ({ ticket }) => ticket, place: ['lastMessageAt'] },
    calm: true,
  });
  return (
    <div data-testid="list" data-changed={changed} {...area}>
      {rows?.map(({ _id, subject }) => `${_id}:${subject}`).join(' ')}
    </div>
  );
}

/** A fact as the room hears it: written over the rows, and then heard by the list. */
const tell = (more: object) =>
  act(async () => {
    const ticket = { ...TICKET, ...more };
    patchRows([PATH], ticket, { whole: true });
    tellFact({ kind: 'ticket.activity', ticket });
    await vi.advanceTimersByTimeAsync(300);
  });
const asks = () => get.mock.calls.length;

beforeEach(async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  queryClient.clear();
  answer = { data: [TICKET], meta: { total: 1 } };
  get.mockReset().mockImplementation(async () => ({ data: answer }));
  await show(
    <QueryClientProvider client={queryClient}>
      <Tickets />
    </QueryClientProvider>,
  );
  await screen.findByText('a:one');
});
afterEach(() => vi.useRealTimers());

test('a fact that moves nothing is written over its row, and nothing is asked', async () => {
  await tell({ version: 2, subject: 'two', readByStaff: 3 });
  expect(screen.getByText('a:two')).toBeInTheDocument();
  expect(asks()).toBe(1);
});

test('a row that moves, and one that is new, are asked for', async () => {
  await tell({ version: 2, lastMessageAt: '2026-11-20T11:00:00Z' });
  expect(asks()).toBe(2);
  await tell({ _id: 'b', version: 1 });
  expect(asks()).toBe(3);
});

test('under a pointer nothing is asked: the rows that want to move are counted until it leaves', async () => {
  const list = screen.getByTestId('list');
  await act(async () => list.dispatchEvent(new PointerEvent('pointerover', { bubbles: true })));
  await tell({ version: 2, readByStaff: 1 });
  expect(list.dataset.changed).toBe('0');
  await tell({ version: 3, lastMessageAt: '2026-11-20T11:00:00Z' });
  await tell({ _id: 'b', version: 1 });
  expect(list.dataset.changed).toBe('2');
  expect(asks()).toBe(1);
  await act(async () => list.dispatchEvent(new PointerEvent('pointerout', { bubbles: true })));
  expect(asks()).toBe(2);
  expect(list.dataset.changed).toBe('0');
});

function Pages() {
  const { rows, state } = useList('/statement', { sorts: 'direction', limit: 2 });
  return (
    <button type="button" onClick={() => state.setPage(state.page % 2 === 0 ? 1 : 2)}>
      {rows ? `page ${state.page}` : '…'}
    </button>
  );
}

test('pages behind the first are asked as of the first, which is asked as of now', async () => {
  const asOf = '2026-11-20T10:00:00.000001Z';
  get.mockImplementation(async () => ({ data: { data: [TICKET], meta: { total: 9, asOf } } }));
  await show(
    <QueryClientProvider client={queryClient}>
      <Pages />
    </QueryClientProvider>,
  );
  const query = () => get.mock.calls.at(-1)?.[1].params.query;
  const first = { page: 1, limit: 2, sortdirection: 'desc' };
  const turn = async (from: string) => {
    const button = await screen.findByRole('button', { name: from });
    await act(async () => button.click());
  };
  await screen.findByRole('button', { name: 'page 1' });
  expect(query()).toEqual(first);
  await turn('page 1');
  await screen.findByRole('button', { name: 'page 2' });
  expect(query()).toEqual({ ...first, page: 2, asOf });
  await turn('page 2');
  const firsts = () =>
    get.mock.calls.filter(([path, { params }]) => path === '/statement' && params.query.page === 1);
  await waitFor(() => expect(firsts()).toHaveLength(2));
  expect(query()).toEqual(first);
});
