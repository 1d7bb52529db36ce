// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query';
import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { abilityFor, type Permission } from '@/api/ability';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { useSession } from '@/api/session';
import { clearCounters, setCounter } from '@/live/counters';
import { show } from '@/testing/render';
import { NavMenu } from './NavMenu';

const asked = vi.fn();
const PENDING: Readonly<Record<string, number>> = {
  cases: 2,
  pauses: 3,
  settings: 1,
  live: 1,
  grants: 4,
  pix_deposits: 120,
};

beforeEach(() => {
  Element.prototype.scrollIntoView = () => {};
  vi.stubGlobal('fetch', async (request: Request) => {
    asked(new URL(request.url).pathname);
    const queues = Object.values(QUEUES).flatMap(({ counter }) =>
      counter === null ? [] : [{ queue: counter, pending: PENDING[counter] ?? 0, mine: 0, oldest: null }],
    );
    return Response.json({ queues });
  });
});
afterEach(() => {
  useSession.setState({ user: null, ability: null });
  clearCounters();
  queryClient.clear();
  asked.mockClear();
  vi.unstubAllGlobals();
});

function showMenu(...held: Permission[]) {
  const permissions = held.map((subject) => ({ action: 'read', subject }));
  useSession.setState({ ability: abilityFor({ roles: [{ _id: 'r', name: 'r', permissions }] }) });
  return show(
    <QueryClientProvider client={queryClient}>
      <NavMenu onNavigate={() => {}} />
    </QueryClientProvider>,
  );
}
/** What stands beside the entries that have a number. */
const numbers = () =>
  Object.fromEntries(
    screen.getAllByRole('link').flatMap((link) => {
      const count = link.querySelector('.num span')?.textContent;
      return count ? [[link.getAttribute('href'), count]] : [];
    }),
  );

test('beside a page stands what waits in all queues that are decided on it, asked for once', async () => {
  await showMenu('registered-user', 'admin_dashboard', 'admin_permissions');
  await vi.waitFor(() =>
    expect(numbers()).toEqual({
      '/compliance-cases': '5 aguardando',
      '/administrator/robot-config': '2 aguardando',
      '/administrator/set-permissions': '4 aguardando',
      '/deposits-pix-approve-reject': '99+ aguardando',
    }),
  );
  expect(asked.mock.calls).toEqual([['/api/admin/waiting']]);
});

test('who answers tickets and decides nothing has their number, and asks for no other', async () => {
  await showMenu('registered-user', 'admin_dashboard', 'customer-service_list-tickets');
  act(() => setCounter(QUEUES.tickets.id, 7));
  expect(numbers()).toEqual({ '/customer-service/tickets-list': '7 aguardando' });
  expect(asked).not.toHaveBeenCalled();
});
