// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { abilityFor, type Permission } from '@/api/ability';
import { queryClient } from '@/api/queryClient';
import { type Me, useSession } from '@/api/session';
import { i18n } from '@/i18n';
import { show } from '@/testing/render';
import type { Trading as State } from './rules';
import { Trading } from './Trading';

const ASKED = {
  _id: '1',
  state: 'asked',
  reason: 'vamos começar',
  askedBy: 'Um',
  askedUser: 'Um',
  askedAt: '2026-01-01T00:00:00Z',
  confirmedBy: null,
  confirmedAt: null,
} as const;
const OFF: State = {
  on: false,
  missing: [],
  switch: null,
  openOperations: 0,
  openSince: null,
  openCapital: '0.000000',
  stranded: false,
};
let state: State;
let sent: { path: string; body: unknown }[];

beforeEach(() => {
  sent = [];
  queryClient.clear();
  vi.stubGlobal('fetch', async (request: Request) => {
    const path = new URL(request.url).pathname.replace(/^\/api/, '');
    if (request.method === 'POST') sent.push({ path, body: JSON.parse((await request.text()) || '{}') });
    const answer =
      path === '/admin/feeds'
        ? { feed: 'live', mode: 'paper', running: true, venues: [] }
        : path === '/admin/trading/live/residues'
          ? { assets: [], operations: 0, booked: 0 }
          : state;
    return new Response(JSON.stringify(answer), { headers: { 'Content-Type': 'application/json' } });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  useSession.setState({ user: null, ability: null });
});

async function render(
  username: string,
  next: State,
  permissions: Permission[] = ['admin_permissions', 'admin_dashboard'],
) {
  state = next;
  const held = permissions.map((subject) => ({ action: 'read', subject }));
  useSession.setState({
    user: { _id: username, username } as Me,
    ability: abilityFor({ roles: [{ _id: 'r', name: 'r', permissions: held }] }),
  });
  await show(
    <QueryClientProvider client={queryClient}>
      <Trading />
    </QueryClientProvider>,
  );
  await i18n.loadNamespaces('rules');
  await screen.findByText('Modo das operações');
}

test('asks with the word and a reason', async () => {
  await render('Um', OFF);
  await userEvent.click(screen.getByRole('button', { name: 'Ligar modo REAL' }));
  await screen.findByRole('dialog');
  const send = () => screen.getAllByRole('button', { name: 'Ligar modo REAL' }).at(-1) as HTMLElement;
  await userEvent.type(screen.getByLabelText(/Motivo/), 'vamos começar');
  expect(send()).toBeDisabled();
  await userEvent.type(screen.getByLabelText(/REAL/), 'REAL');
  expect(send()).toBeEnabled();
  await userEvent.click(send());
  await waitFor(() =>
    expect(sent).toEqual([{ path: '/admin/trading/live', body: { word: 'REAL', reason: 'vamos começar' } }]),
  );
});

test('who asked does not confirm, but may take it back', async () => {
  await render('Um', { ...OFF, switch: ASKED });
  expect(screen.getByRole('button', { name: 'Confirmar' })).toHaveAttribute('aria-disabled', 'true');
  expect(screen.getByRole('button', { name: 'Retirar' })).toBeEnabled();
});

test('a second person confirms', async () => {
  await render('Dois', { ...OFF, switch: ASKED });
  expect(screen.getByText(/vamos começar/)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Confirmar' }));
  await screen.findByRole('dialog');
  await userEvent.type(screen.getByLabelText(/REAL/), 'REAL');
  await userEvent.click(screen.getAllByRole('button', { name: 'Confirmar' }).at(-1) as HTMLElement);
  await waitFor(() =>
    expect(sent).toEqual([{ path: '/admin/trading/live/confirm', body: { id: ASKED._id } }]),
  );
});

test('what is missing is named, and nothing can be asked', async () => {
  await render('Um', { ...OFF, missing: ['world', 'keys'], openOperations: 2 });
  expect(screen.getByText('um mundo de produção')).toBeVisible();
  expect(screen.getByText('as chaves da Binance')).toBeVisible();
  expect(screen.getByText(/2 operações na corretora ainda não foram fechadas./)).toBeVisible();
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.getByRole('button', { name: 'Ligar modo REAL' })).toHaveAttribute('aria-disabled', 'true');
});

test('without the permission there is nothing to press', async () => {
  await render('Eva', { ...OFF, on: true, switch: { ...ASKED, state: 'on', confirmedBy: 'Dois' } }, [
    'admin_dashboard',
  ]);
  expect(screen.queryByRole('button')).toBeNull();
});

test('what nobody can end is a warning, with what to do', async () => {
  await render('Eva', {
    ...OFF,
    missing: ['keys'],
    openOperations: 1,
    openCapital: '100.000000',
    stranded: true,
  });
  const warning = screen.getByRole('alert');
  expect(warning).toHaveTextContent('Ninguém pode fechar esta operação');
  expect(warning).toHaveTextContent('BINANCE_API_KEY');
  expect(screen.getByText(/1 operação na corretora ainda não foi fechada./)).toBeInTheDocument();
  expect(screen.getByText(/Reservado até lá: 100,00\sUSDT/)).toBeInTheDocument();
});
