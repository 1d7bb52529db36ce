/** All that one was told: narrowed, read, followed to what it tells of. */

import { everywhere } from '../kit';
import { ago, HOUR, MINUTE } from './clock';
import { CUSTOMER, stub } from './stub';
import { expect, type Page, type Route, test } from './window';

const notice = (id: string, code: string, group: string, params: object, over: object = {}) => ({
  id,
  code,
  group,
  params,
  amount: null,
  at: ago(HOUR),
  read: false,
  ...over,
});
const ALL = [
  notice('n1', 'pix_deposit_approved', 'money_in', { usdt: '100.000000' }, { at: ago(4 * MINUTE) }),
  notice('n2', 'ticket_reply', 'support', { ticket: 't1', number: 12, by: 'Eva', count: 1 }),
  notice('n3', 'rank_reached', 'network', { rank: 'gold' }, { read: true }),
];
const page = (data: typeof ALL, unread = 2) => ({
  data,
  unread,
  meta: { page: 1, limit: 10, total: data.length, lastPage: 1 },
});

async function open(view: Page, answer: (route: Route, asked: URLSearchParams) => object) {
  const asked: string[] = [];
  const state = await stub(view, CUSTOMER, {
    'GET /notifications': async (route: Route) => {
      const { searchParams } = new URL(route.request().url());
      asked.push(String(searchParams));
      await route.fulfill({ json: answer(route, searchParams) });
    },
  });
  await view.goto('/notifications');
  return { state, asked };
}

test('they are narrowed, each leads to what it tells of and is read then', async ({ page: view }) => {
  const bodies: { ids: string[] }[] = [];
  const now = () => {
    const read = bodies.flatMap(({ ids }) => ids);
    return ALL.map((line) => ({ ...line, read: line.read || read.includes(line.id) }));
  };
  const { state, asked } = await open(view, (_, query) =>
    page(query.get('group') === 'money_in' ? now().slice(0, 1) : now()),
  );
  state.answers['POST /notifications/read-all'] = async (route: Route) => {
    bodies.push(route.request().postDataJSON());
    await route.fulfill({ json: { unread: 1 } });
  };
  const table = view.getByRole('table', { name: 'Notificações' });
  await expect(table.getByRole('row')).toHaveCount(4);
  await expect(table.getByRole('link', { name: /subiu|graduação|Parabéns/ })).toHaveAttribute(
    'href',
    '/affiliate-network/dashboard',
  );
  await expect(table.getByRole('button', { name: 'Marcar como lida' })).toHaveCount(2);
  await table.getByRole('button', { name: 'Marcar como lida' }).last().click();
  await expect(table.getByRole('button', { name: 'Marcar como lida' })).toHaveCount(1);
  expect(bodies).toEqual([{ ids: ['n2'] }]);
  await view.getByRole('combobox', { name: 'Assunto' }).click();
  await view.getByRole('option', { name: 'Entradas' }).click();
  await expect(table.getByRole('row')).toHaveCount(2);
  expect(asked.some((query) => query.includes('group=money_in'))).toBe(true);
  await expect(view).toHaveURL(/group=money_in/);
  await table.getByRole('link').click();
  await expect(view).toHaveURL(/\/wallet\/my-deposits-pix/);
  await expect.poll(() => bodies).toEqual([{ ids: ['n2'] }, { ids: ['n1'] }]);
});

test('the panel leads to all of them; on every screen and skin', async ({ page: view }) => {
  await open(view, () => page(ALL));
  await everywhere(view, 'notices');
  await view.goto('/licences');
  await view.getByRole('button', { name: /^Notificações/ }).click();
  const panel = view.getByRole('dialog', { name: 'Notificações' });
  await panel.getByRole('link', { name: 'Ver todas as notificações' }).click();
  await expect(view).toHaveURL(/\/notifications$/);
  await expect(panel).toHaveCount(0);
});

test('none yet', async ({ page: view }) => {
  await open(view, () => page([], 0));
  await expect(view.getByRole('main').getByText('Nenhuma notificação')).toBeVisible();
  await expect(view.getByRole('button', { name: 'Marcar todas como lidas' })).toBeDisabled();
});
