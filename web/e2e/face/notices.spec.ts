/** All that one was told: narrowed, read, followed to what it tells of. */

import { everywhere } from '../kit';
import { ago, HOUR, MINUTE } from './clock';
import { ANNOUNCEMENTS, announcement } from './noticeFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub } from './stub';
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

test('the focus goes on from what was marked as read: to the next that is not, then to the next row', async ({
  page: view,
}) => {
  const read: string[] = [];
  const { state } = await open(view, () =>
    page(ALL.map((line) => ({ ...line, read: line.read || read.includes(line.id) }))),
  );
  state.answers['POST /notifications/read-all'] = async (route: Route) => {
    read.push(...route.request().postDataJSON().ids);
    await route.fulfill({ json: { unread: 2 - read.length } });
  };
  const marks = view
    .getByRole('table', { name: 'Notificações' })
    .getByRole('button', { name: 'Marcar como lida' });
  await marks.first().focus();
  await view.keyboard.press('Enter');
  await expect(marks).toHaveCount(1);
  await expect(marks).toBeFocused();
  await view.keyboard.press('Enter');
  await expect(marks).toHaveCount(0);
  await expect(view.locator('[data-row="n3"]')).toBeFocused();
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

test('an announcement leads to its words, in the language of now', async ({ page: view }) => {
  const { _id, title, text } = announcement(1);
  const line = notice('n4', 'announcement', 'news', { announcement: _id, title });
  const { state } = await open(view, () => page([line], 1));
  state.answers['POST /notifications/read-all'] = { unread: 0 };
  state.answers[`GET /announcements/${_id}`] = { _id, title, text, created_at: ago(HOUR) };
  const table = view.getByRole('table', { name: 'Notificações' });
  await table.getByRole('link', { name: 'Comunicado: Manutenção programada' }).click();
  const dialog = view.getByRole('dialog', { name: 'Manutenção programada' });
  await expect(dialog.getByText('Suas operações continuam depois.')).toBeVisible();
  await view.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(view).toHaveURL(/\/notifications$/);
});

test('staff write in three languages, see how it will be read, and publish after the last question', async ({
  page: view,
}) => {
  const sent: Record<string, unknown>[] = [];
  const state = await stub(view, ADMINISTRATOR, {
    'GET /admin/notices': ANNOUNCEMENTS,
    'GET /admin/notices/audience': { people: 300 },
    'GET /admin/roles': { data: [{ _id: 'r1', name: 'customer', permissions: [] }] },
  });
  await view.goto('/administrator/announcements');
  await expect(view.getByRole('table', { name: 'Publicados' }).getByRole('row')).toHaveCount(3);
  await everywhere(view, 'announcements');
  const button = view.getByRole('button', { name: 'Publicar' });
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  for (const [language, title] of [
    ['Português', 'Aviso'],
    ['English', 'Notice'],
    ['Español', 'Noticia'],
  ] as const) {
    await view.getByLabel(`Título (${language})`).fill(title);
    await view.getByLabel(`Texto (${language})`).fill(`${title}: texto`);
  }
  const preview = view.getByRole('region', { name: 'Como será lido' });
  await expect(preview.getByRole('heading', { name: 'Aviso' })).toBeVisible();
  await preview.getByText('English').click();
  await expect(preview.getByRole('heading', { name: 'Notice' })).toBeVisible();
  await view.getByRole('combobox', { name: 'Para' }).click();
  await view.getByRole('option', { name: 'Cliente' }).click();
  await button.click();
  const dialog = view.getByRole('dialog', { name: 'Publicar comunicado' });
  await expect(dialog.getByText('300')).toBeVisible();
  state.answers['POST /admin/notices'] = refuse(
    429,
    'request.rate_limited',
    'Muitas tentativas. Tente mais tarde.',
  );
  await dialog.getByRole('button', { name: 'Publicar' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Muitas tentativas.');
  state.answers['POST /admin/notices'] = async (route: Route) => {
    sent.push(route.request().postDataJSON());
    await route.fulfill({ status: 201, json: announcement(3) });
  };
  await dialog.getByRole('button', { name: 'Publicar' }).click();
  await expect(dialog).toBeHidden();
  await expect(view.getByTestId('toast').last()).toHaveText(/Comunicado publicado/);
  await expect(view.getByLabel('Título (Português)')).toHaveValue('');
  expect(sent).toEqual([
    {
      id: expect.any(String),
      title: { pt: 'Aviso', en: 'Notice', es: 'Noticia' },
      text: { pt: 'Aviso: texto', en: 'Notice: texto', es: 'Noticia: texto' },
      role: 'customer',
    },
  ]);
});

test('none yet', async ({ page: view }) => {
  await open(view, () => page([], 0));
  await expect(view.getByRole('main').getByText('Nenhuma notificação')).toBeVisible();
  await expect(view.getByRole('button', { name: 'Marcar todas como lidas' })).toBeDisabled();
});
