/** Who may what: people and roles, requests that wait for a second person, frozen decisions; without a server. */

import { everywhere, expectAccessible, picture } from '../kit';
import { ago, HOUR } from './clock';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, test } from './window';

const hours = (count: number) => ago(count * HOUR);
const person = (id: string, username: string, fullName: string) => ({ _id: id, username, fullName });
const ME = person(ADMINISTRATOR._id, ADMINISTRATOR.username, ADMINISTRATOR.fullName);
const BIA = person('u-bia', 'bia7', 'Bia Castro');
const CAIO = person('u-caio', 'caio31', 'Caio Lima');
const RUI = person('u-rui', 'rui9', 'Rui Moura');

const gives = (...subjects: string[]) => subjects.map((subject) => ({ action: 'read', subject }));
const ROLES = {
  data: [
    {
      _id: 'r-admin',
      name: 'administrator',
      permissions: gives('registered-user', 'admin_dashboard', 'admin_permissions'),
    },
    {
      _id: 'r-store',
      name: 'store_employee',
      permissions: gives('registered-user', 'customer-service_list-tickets'),
    },
    { _id: 'r-customer', name: 'customer', permissions: gives('registered-user') },
  ],
};
const decides = (part: object = {}) => ({
  origin: 'console',
  grantedBy: null,
  secondedBy: null,
  countsAt: hours(1000),
  frozen: false,
  ...part,
});
const holder = (who: typeof BIA, roles: string[], how: object | null = null) => ({
  person: who,
  active: true,
  roles,
  decides: how,
});
const people = (data: object[]) => ({ data, meta: { page: 1, limit: 10, total: data.length, lastPage: 1 } });
const STAFF = people([
  holder(ME, ['r-admin'], decides()),
  holder(BIA, ['r-admin'], decides()),
  holder(
    CAIO,
    ['r-admin'],
    decides({ origin: 'two', grantedBy: 'bia7', secondedBy: 'dani2', countsAt: hours(-20) }),
  ),
  holder(RUI, ['r-store', 'r-customer']),
]);
const request = (number: number, part: object = {}) => ({
  _id: `018f0000-0000-7000-8000-00000000e00${number}`,
  person: RUI,
  action: 'add',
  roles: ['administrator'],
  status: 'waiting',
  askedBy: BIA,
  askedAt: hours(2),
  lastsUntil: hours(-166),
  decidedBy: null,
  decidedAt: null,
  reason: null,
  version: 1,
  ...part,
});
const freeze = (part: object = {}) => ({
  _id: '018f0000-0000-7000-8000-00000000f001',
  frozen: CAIO,
  frozenBy: BIA,
  reason: 'A conta parece tomada',
  at: hours(1),
  liftAskedBy: null,
  endedAt: null,
  endedHow: null,
  liftedBy: null,
  version: 1,
  ...part,
});
const grants = (part: object = {}) => ({
  requests: [],
  freezes: [],
  lifters: 2,
  newApproverHours: 24,
  ...part,
});

test('a role that decides is asked for: the second person is named before the press', async ({ page }) => {
  test.slow();
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/roles': ROLES,
    'GET /admin/grants': grants(),
    'GET /admin/role-holders': STAFF,
    'PATCH /roles/u-rui/add-role': { data: [], request: request(1, { askedBy: ME }) },
  });
  await page.goto('/administrator/set-permissions');
  await expect(page.getByRole('heading', { level: 1, name: 'Permissões' })).toBeVisible();
  const table = page.getByRole('table', { name: 'Pessoas' });
  await expect(table.getByRole('row', { name: /Caio Lima/ })).toContainText('Por @bia7, @dani2');
  await expect(table.getByRole('row', { name: /Bia Castro/ })).toContainText('Pela instalação');
  await everywhere(page, 'permissions-people');

  // Nobody changes their own; another's role says what it brings and who else is needed.
  const own = table.getByRole('row', { name: new RegExp(ME.fullName) });
  await expect(own.getByRole('button', { name: 'Alterar papéis' })).toHaveAccessibleDescription(
    'Ninguém altera os próprios papéis.',
  );
  await table
    .getByRole('row', { name: /Rui Moura/ })
    .getByRole('button', { name: 'Alterar papéis' })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Papéis de @rui9' });
  await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeFocused();
  await dialog.getByRole('combobox', { name: 'Papel' }).click();
  await page.getByRole('option', { name: 'Administrador' }).click();
  await expect(dialog.getByRole('status')).toContainText('uma segunda pessoa precisa aprovar');
  await expect(dialog).toContainText('As decisões da pessoa contam 24 h depois.');
  await expect(dialog).toContainText('Passa a poder: Ver painel e regras, Decidir sobre dinheiro e papéis.');
  await expectAccessible(page);
  await picture(page, 'permissions-ask');
  state.answers['GET /admin/grants'] = grants({ requests: [request(1, { askedBy: ME })] });
  await dialog.getByRole('button', { name: 'Pedir' }).click();
  await expect(page.getByText('Pedido feito. Falta a aprovação de outra pessoa.')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Pedidos 1' })).toBeVisible();
  expect(state.calls).toContain('PATCH /roles/u-rui/add-role');

  await page.getByRole('tab', { name: 'Papéis e permissões' }).click();
  await expect(page.getByRole('table', { name: 'Papéis e permissões' })).toContainText('Responder chamados');
  await everywhere(page, 'permissions-matrix');
});

test('requests: approved by another person, live, with the reason of a refusal', async ({ page }) => {
  test.slow();
  const waits = request(1);
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/roles': ROLES,
    'GET /admin/grants': grants({
      requests: [
        waits,
        request(2, { askedBy: ME, person: BIA, action: 'remove' }),
        request(3, { status: 'rejected', decidedBy: 'bia7', decidedAt: hours(30), reason: 'Ainda não' }),
      ],
    }),
    'GET /admin/role-holders': STAFF,
    [`POST /admin/grants/${waits._id}/approve`]: refuse(
      403,
      'decision.granted',
      'É preciso uma terceira pessoa.',
    ),
  });
  await page.goto('/administrator/set-permissions?tab=requests');
  const table = page.getByRole('table', { name: 'Pedidos' });
  await expect(table.getByRole('row')).toHaveCount(4);
  await expect(table).toContainText('1 de 2 aprovações');
  await expect(table).toContainText('@bia7: Ainda não');
  await everywhere(page, 'permissions-requests');
  // One's own request waits for somebody else.
  const own = table.getByRole('row', { name: /Bia Castro/ });
  await expect(own.getByRole('button', { name: 'Aprovar' })).toHaveAccessibleDescription(
    'A segunda aprovação deve ser de outra pessoa.',
  );
  await expect(own.getByRole('button', { name: 'Retirar pedido' })).toBeVisible();
  await table.getByRole('button', { name: 'Aprovar' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Aprovar o pedido?' });
  await expect(dialog).toContainText('Dar: Administrador');
  await expect(dialog).toContainText('Sua aprovação é a segunda');
  await dialog.getByRole('button', { name: 'Aprovar' }).click();
  await expect(dialog.getByRole('alert')).toContainText('É preciso uma terceira pessoa.');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancelar' }).click();
  // Decided elsewhere: the fact on one's own stream asks again.
  state.answers['GET /admin/grants'] = grants({
    requests: [request(1, { status: 'done', decidedBy: 'dani2' })],
  });
  const grant = request(1, { status: 'done', decidedBy: 'dani2' });
  await state.fact(`user:${ME._id}`, 1, { kind: 'admin_grant.changed', grant });
  await expect(table.getByRole('row')).toHaveCount(2);
  await expect(table).toContainText('@dani2');
});

test('a freeze says before the press what it costs, and how it ends', async ({ page }) => {
  test.slow();
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/roles': ROLES,
    'GET /admin/grants': grants(),
    'GET /admin/role-holders': STAFF,
    'POST /admin/freezes': freeze({ frozen: BIA, frozenBy: ME }),
    [`POST /admin/freezes/${freeze()._id}/lift`]: freeze({ liftAskedBy: ME }),
  });
  await page.goto('/administrator/set-permissions');
  const row = page.getByRole('row', { name: /Bia Castro/ });
  await row.getByRole('button', { name: 'Congelar' }).click();
  const dialog = page.getByRole('dialog', { name: 'Congelar as decisões de @bia7?' });
  await expect(dialog).toContainText('para as decisões desta pessoa e para as suas');
  await expect(dialog).toContainText('server admin unfreeze');
  await expect(dialog.getByRole('button', { name: 'Congelar' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Motivo' }).fill('Conta tomada');
  await expectAccessible(page);
  await picture(page, 'permissions-freeze');
  state.answers['GET /admin/grants'] = grants({
    freezes: [freeze({ frozen: BIA, frozenBy: ME })],
    lifters: 1,
  });
  await dialog.getByRole('button', { name: 'Congelar' }).click();
  await expect(page.getByTestId('toast').getByText('Decisões congeladas.')).toBeVisible();
  await page.getByRole('tab', { name: 'Congelados 1' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'server admin unfreeze' })).toBeVisible();
  await everywhere(page, 'permissions-frozen');
  // Who stands in it lifts nothing; two others do.
  await expect(page.getByRole('button', { name: 'Descongelar' })).toHaveAccessibleDescription(
    'Suas decisões estão congeladas.',
  );
  state.answers['GET /admin/grants'] = grants({ freezes: [freeze()], lifters: 3 });
  await state.fact(`user:${ME._id}`, 1, { kind: 'admin_freeze.changed', freeze: freeze() });
  await expect(page.getByText('Termina quando 2 de 3 pessoas concordarem.')).toBeVisible();
  await page.getByRole('button', { name: 'Descongelar' }).click();
  const lift = page.getByRole('dialog', { name: 'Concordar em descongelar?' });
  await expect(lift).toContainText('Sua palavra é a primeira de duas');
  state.answers['GET /admin/grants'] = grants({ freezes: [freeze({ liftAskedBy: ME })], lifters: 3 });
  await lift.getByRole('button', { name: 'Descongelar' }).click();
  await expect(
    page.getByRole('row').filter({ hasText: `1 de 2 concordou em descongelar: @${ME.username}` }),
  ).toBeVisible();
});

test('more people than a page holds: the rest is on the next ones', async ({ page }) => {
  const somebody = (n: number) => holder({ ...RUI, _id: `u-${n}`, username: `rui${n}` }, ['r-store']);
  const of = (data: object[], at: number) => ({
    data,
    meta: { page: at, limit: 10, total: 11, lastPage: 2 },
  });
  const first = Array.from({ length: 10 }, (_, n) => somebody(n));
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/roles': ROLES,
    'GET /admin/grants': grants(),
    'GET /admin/role-holders': of(first, 1),
  });
  await page.goto('/administrator/set-permissions');
  const table = page.getByRole('table', { name: 'Pessoas' });
  await expect(table.getByText('@rui9')).toBeVisible();
  state.answers['GET /admin/role-holders'] = of([somebody(10)], 2);
  await page.getByRole('button', { name: 'Próxima página' }).click();
  await expect(table.getByText('@rui10')).toBeVisible();
  await expect(table.getByText('@rui9')).toBeHidden();
});

test('empty, and failing with a way to try again', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/roles': ROLES,
    'GET /admin/grants': grants(),
    'GET /admin/role-holders': refuse(503, 'service.unavailable', 'Serviço indisponível.'),
  });
  await page.goto('/administrator/set-permissions');
  await expect(page.getByRole('alert')).toContainText('Não foi possível carregar as pessoas.');
  await state.fromClick('GET /admin/role-holders', people([]));
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(page.getByText('Ninguém encontrado.')).toBeVisible();
  await page.getByRole('tab', { name: 'Pedidos' }).click();
  await expect(page.getByText('Nenhum pedido.')).toBeVisible();
  await page.getByRole('tab', { name: 'Congelados' }).click();
  await expect(page.getByText('Ninguém está congelado.')).toBeVisible();
});
