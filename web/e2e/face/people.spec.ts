/** People as staff find, see and change them; each state, each kind of viewer; without a server. */

import { everywhere, expectAccessible, fits, picture } from '../kit';
import { licence, page as list } from './fixtures';
import {
  ANA,
  FINANCES,
  LOGS,
  NETWORK,
  NOTES,
  note,
  ok,
  PEOPLE,
  person,
  plain,
  RELATED,
  ROLES,
  SALESPERSON,
  SESSIONS,
  sent,
  TICKETS,
} from './peopleFixtures';
import { queue, row as waiting } from './pixFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub } from './stub';
import { walk } from './walk';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
const LIST = 'GET /admin/users-list/';
const ONE = 'GET /admin/user/u-ana';

test('the list: states, search in the address, empty, failing, on a phone', async ({ page }) => {
  test.slow();
  const state = await stub(page, ADMINISTRATOR, { [LIST]: PEOPLE, 'GET /admin/roles': ROLES });
  await page.goto('/administrator/users/list');
  await expect(page.getByRole('heading', { level: 1, name: 'Usuários' })).toBeVisible();
  const rows = page.getByRole('table', { name: 'Usuários' });
  const caio = rows.getByRole('row', { name: /Caio Lima/ });
  await expect(caio).toContainText('Convidado');
  await expect(caio).toContainText('Sem 2FA');
  await expect(rows.getByRole('row', { name: /Bia Castro/ })).toContainText('2FA por aplicativo');
  await expect(rows.getByRole('row', { name: /Dora/ })).toContainText('Inativo');
  await everywhere(page, 'people-list');
  await page.getByRole('searchbox').fill('ana');
  await expect(page).toHaveURL(/search=ana/);
  state.answers[LIST] = list([]);
  await page.getByRole('combobox', { name: 'Situação' }).click();
  await page.getByRole('option', { name: 'Inativo' }).click();
  await expect(page.getByText('Nada com estes filtros.')).toBeVisible();
  await page.getByRole('button', { name: 'Limpar filtros' }).first().click();
  await expect(page).not.toHaveURL(/search=|status=/);
  await page.reload();
  await expect(page.getByText('Ninguém por aqui ainda.')).toBeVisible();
  state.answers[LIST] = DOWN;
  await page.reload();
  await expect(page.getByRole('alert')).toContainText('Não foi possível carregar os usuários.');
  await state.fromClick(LIST, PEOPLE);
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(rows.getByText('Ana Prado')).toBeVisible();
});

test('who has not confirmed their e-mail, and who came on a day, are found by the address', async ({
  page,
}) => {
  const asked: URLSearchParams[] = [];
  await stub(page, ADMINISTRATOR, {
    'GET /admin/roles': ROLES,
    [LIST]: (route: Route) => {
      asked.push(new URL(route.request().url()).searchParams);
      return route.fulfill({ json: PEOPLE });
    },
  });
  await page.goto('/administrator/users/list?emailConfirmed=false&startDate=2026-11-20&endDate=2026-11-20');
  await expect(page.getByRole('table', { name: 'Usuários' }).getByText('Ana Prado')).toBeVisible();
  expect(asked.at(-1)?.get('emailConfirmed')).toBe('false');
  expect(asked.at(-1)?.get('startDate')).toBe('2026-11-20');
  await page.getByRole('button', { name: 'Limpar filtros' }).first().click();
  await expect.poll(() => asked.at(-1)?.has('emailConfirmed')).toBe(false);
});

test('by keyboard from the list to the person', async ({ page }) => {
  await stub(page, ADMINISTRATOR, { [LIST]: PEOPLE, 'GET /admin/roles': ROLES, [ONE]: person() });
  await page.goto('/administrator/users/list');
  await expect(page.locator('tr[data-row="u-ana"]')).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.locator('tr[data-row="u-ana"]')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/users\/view\/u-ana/);
  await expect(page.getByRole('heading', { level: 1, name: 'Ana Prado' })).toBeVisible();
});

test('from a queue one click leads to the person; where the name alone is known, to whom it finds', async ({
  page,
}) => {
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/list-deposits-pix-approve-reject': queue([waiting(1, { user: 'u-ana' })]),
    [ONE]: person(),
    'GET /admin/roles': ROLES,
    [LIST]: PEOPLE,
    'GET /admin/pix/statements': list([]),
  });
  await page.goto('/deposits-pix-approve-reject');
  await page.getByRole('link', { name: 'Marina Duarte' }).click();
  await expect(page).toHaveURL(/users\/view\/u-ana$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Ana Prado' })).toBeVisible();
  // The row itself still opens the decision.
  await page.goBack();
  await expect(page.getByRole('link', { name: 'Marina Duarte' })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  // Who decides and may see nobody's page finds a name, not a link.
  const [first] = ADMINISTRATOR.roles;
  state.answers['GET /me'] = {
    user: {
      ...ADMINISTRATOR,
      roles: [
        {
          ...first,
          permissions: first?.permissions.filter(
            ({ subject }) => !/list-users|user-view|user-edit/.test(subject),
          ),
        },
      ],
    },
  };
  await page.reload();
  await expect(page.getByText('Marina Duarte')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Marina Duarte' })).toHaveCount(0);
});

const VIEW = {
  'GET /admin/roles': ROLES,
  'GET /admin/user-financial-summary/u-ana': FINANCES,
  'GET /admin/balance-manager/get-user-licenses/u-ana': [licence(1), licence(2, { isHighRisk: true })],
  'GET /admin/user/u-ana/network': NETWORK,
  'GET /support/list-tickets-all/': TICKETS,
  'GET /admin/user/u-ana/sessions': SESSIONS,
  'GET /admin/user/u-ana/related': RELATED,
  'GET /admin/user-logs-list/u-ana': LOGS,
  'GET /admin/user/u-ana/notes': NOTES,
};

test('a person whole: every tab with its figures', async ({ page }) => {
  test.slow();
  await stub(page, ADMINISTRATOR, {
    ...VIEW,
    [ONE]: person({ hold: { reason: 'factor', until: '2030-01-01T12:00:00Z' } }),
  });
  await page.goto('/administrator/users/view/u-ana');
  await expect(page.getByRole('heading', { level: 1, name: 'Ana Prado' })).toBeVisible();
  const content = page.locator('#content');
  await expect(content).toContainText('Rua Augusta, 1200 ap 31');
  await expect(content).toContainText('Até 01/01/2030');
  await everywhere(page, 'people-view-summary');
  for (const [tab, name, text] of [
    ['Financeiro', 'finances', '5.000,00'],
    ['Licenças', 'licences', '#2'],
    ['Rede', 'network', '@veradias2'],
    ['Movimentos', 'movements', '5.000,00'],
    ['Chamados', 'tickets', 'Depósito não creditado'],
    ['Sessões', 'sessions', 'Chrome no Linux'],
    ['Contas ligadas', 'related', 'e mais 21'],
    ['Registros', 'logs', 'Conta ativada ou desativada'],
    ['Notas', 'notes', 'Prefere falar em espanhol.'],
  ] as const) {
    await page.getByRole('tab', { name: tab, exact: true }).click();
    await expect(page.getByRole('tabpanel')).toContainText(text);
    await everywhere(page, `people-view-${name}`);
  }
});

test("a robot's result is asked to be taken back, and taken back by another", async ({ page }) => {
  test.slow();
  const { _id: robot } = licence(2);
  const operation = (more: object = {}) => ({
    _id: 'o1',
    mode: 'simulated',
    route: 'USDT → BTC (Aurora) → USDT (Boreal)',
    legs: [],
    volume: '10.000000',
    fees: '0.001000',
    result: '0.030000',
    cut: '0.000000',
    manual: false,
    reversedAt: null,
    reversalReason: null,
    created_at: '2026-11-20T12:00:00Z',
    booked: true,
    together: 2,
    gain: '0.030000',
    loss: '0.050000',
    reversal: null,
    askedBy: null,
    askedReason: null,
    ...more,
  });
  const LISTED = `GET /admin/robots/${robot}/operations`;
  const asked = { reversal: 'x1', askedBy: 'ruisousa7', askedReason: 'Preço errado' };
  const pressed = sent(
    ok({
      _id: 'x1',
      licence: robot,
      approvals: 1,
      needed: 2,
      reversed: false,
      gain: '0.030000',
      loss: '0.050000',
    }),
    ok({
      _id: 'x1',
      licence: robot,
      approvals: 2,
      needed: 2,
      reversed: true,
      gain: '0.030000',
      loss: '0.050000',
    }),
  );
  const state = await stub(page, ADMINISTRATOR, {
    ...VIEW,
    [ONE]: person(),
    [LISTED]: list([operation()]),
    'GET /admin/approvals/preview': { needed: 2, completes: false, given: [] },
    [`POST /admin/robots/${robot}/operations/o1/reverse`]: pressed.answer,
  });
  await page.goto('/administrator/users/view/u-ana?tab=licences');
  await page.getByRole('button', { name: 'Operações do robô nº 2' }).click();
  const drawer = page.getByRole('dialog', { name: 'Operações do robô nº 2' });
  await drawer.getByRole('button', { name: 'Estornar resultado' }).click();
  const question = page.getByRole('dialog', { name: 'Estornar este resultado?' });
  await expect(question).toContainText('Operações estornadas juntas');
  await expect(question.getByTestId('approval-effect')).toContainText('2');
  const press = question.getByRole('button', { name: 'Estornar resultado' });
  await question.getByLabel(/Motivo/).fill('Preço errado');
  state.answers[LISTED] = list([operation({ ...asked, askedBy: ADMINISTRATOR.username })]);
  await press.click();
  await expect(page.getByText('Estorno pedido. Falta outra pessoa.')).toBeVisible();
  await expect(drawer).toContainText(`1 de 2: @${ADMINISTRATOR.username} pediu o estorno: Preço errado`);
  // One's own word is taken back here, and agreed to by nobody else's hand.
  await expect(drawer.getByRole('button', { name: 'Concordar com o estorno' })).toHaveCount(0);
  await expectAccessible(page);
  state.answers[LISTED] = list([operation(asked)]);
  state.answers['GET /admin/approvals/preview'] = {
    needed: 2,
    completes: true,
    given: [{ _id: 'u-rui', username: 'ruisousa7', at: '2026-11-20T12:30:00Z' }],
  };
  await page.reload();
  await page.getByRole('button', { name: 'Operações do robô nº 2' }).click();
  await drawer.getByRole('button', { name: 'Concordar com o estorno' }).click();
  await expect(question).toContainText('@ruisousa7');
  state.answers[LISTED] = list([
    operation({
      ...asked,
      askedBy: null,
      reversedAt: '2026-11-20T13:00:00Z',
      reversalReason: 'Preço errado',
    }),
  ]);
  await question.getByRole('button', { name: 'Concordar com o estorno' }).click();
  await expect(page.getByText('Resultado estornado.')).toBeVisible();
  await expect(drawer).toContainText('Estornado');
  await expect(drawer.getByRole('button', { name: /estorno|Estornar/ })).toHaveCount(0);
  expect(pressed.bodies).toEqual([{ reason: 'Preço errado' }, { reason: '' }]);
  await picture(page, 'people-result-reversed');
});

test('what is shared leads to the others, not to the one who is looked at', async ({ page }) => {
  await stub(page, ADMINISTRATOR, { ...VIEW, [ONE]: person() });
  await page.goto('/administrator/users/view/u-ana?tab=related');
  const row = page.getByRole('row').filter({ hasText: 'Aparelho' });
  await expect(row).toContainText('Chrome no Linux');
  await expect(row.getByRole('link')).toHaveText(['@biasouza301']);
  await expect(row.getByRole('link')).toHaveAttribute('href', '/administrator/users/view/u-bia');
});

test('accounts that share something, narrowed by what it is; none, and failing', async ({ page }) => {
  const asked: string[] = [];
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/compliance/cases': { ...list([]), pending: 0, oldest: null },
    'GET /admin/related-accounts': async (route: Route) => {
      const { searchParams } = new URL(route.request().url());
      asked.push(searchParams.get('kind') ?? '');
      const only = searchParams.get('kind');
      const data = RELATED.data.filter(({ kind }) => !only || kind === only);
      await route.fulfill({ json: list(data) });
    },
  });
  await page.goto('/compliance-cases?tab=related');
  await expect(page.locator('tr[data-row]')).toHaveCount(RELATED.data.length);
  await expect(page.getByRole('link', { name: '@ruicosta88' })).toHaveAttribute(
    'href',
    '/administrator/users/view/u-rui',
  );
  await everywhere(page, 'related-accounts');
  await page.getByRole('combobox', { name: 'O que dividem' }).click();
  await page.getByRole('option', { name: 'Pagador do PIX' }).click();
  await expect(page.locator('tr[data-row]')).toHaveCount(1);
  expect(asked.at(-1)).toBe('payer');
  state.answers['GET /admin/related-accounts'] = list([]);
  await walk(page, '/compliance-cases?tab=related');
  await expect(page.getByText('Nada em comum com outra conta.')).toBeVisible();
  state.answers['GET /admin/related-accounts'] = DOWN;
  await walk(page, '/compliance-cases?tab=related');
  await expect(page.getByText('Não foi possível carregar as contas ligadas.')).toBeVisible();
});

test('whose password ended with the change of their e-mail is said to staff', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, { ...VIEW, [ONE]: person({ passwordEnded: true }) });
  await page.goto('/administrator/users/view/u-ana');
  const content = page.locator('#content');
  await expect(content).toContainText('Acabou com a troca de e-mail');
  state.answers[ONE] = person();
  await page.reload();
  await expect(content).toContainText('Rua Augusta, 1200 ap 31');
  await expect(content).not.toContainText('Acabou com a troca de e-mail');
});

test('each tab empty, and failing with a way to try again', async ({ page }) => {
  test.slow();
  const failing = Object.fromEntries(Object.keys(VIEW).map((call) => [call, DOWN]));
  const state = await stub(page, ADMINISTRATOR, { ...failing, 'GET /admin/roles': ROLES, [ONE]: person() });
  const empty = {
    'GET /admin/balance-manager/get-user-licenses/u-ana': [],
    'GET /admin/user/u-ana/network': refuse(404, 'request.not_found', 'Não encontrado.'),
    'GET /support/list-tickets-all/': list([]),
    'GET /admin/user/u-ana/sessions': { data: [] },
    'GET /admin/user/u-ana/related': { data: [] },
    'GET /admin/user-logs-list/u-ana': list([]),
    'GET /admin/user/u-ana/notes': list([]),
  };
  const again = page.getByRole('tabpanel').getByRole('button', { name: 'Tentar de novo' });
  for (const [tab, call, text] of [
    ['licences', 'GET /admin/balance-manager/get-user-licenses/u-ana', 'Nenhuma licença.'],
    ['network', 'GET /admin/user/u-ana/network', 'Ainda não está na rede.'],
    ['tickets', 'GET /support/list-tickets-all/', 'Nenhum chamado.'],
    ['sessions', 'GET /admin/user/u-ana/sessions', 'Nenhuma sessão aberta.'],
    ['related', 'GET /admin/user/u-ana/related', 'Nada em comum com outra conta.'],
    ['logs', 'GET /admin/user-logs-list/u-ana', 'Nenhum registro.'],
    ['notes', 'GET /admin/user/u-ana/notes', 'Nenhuma nota.'],
  ] as const) {
    await walk(page, `/administrator/users/view/u-ana?tab=${tab}`);
    await expect(again).toBeVisible();
    await state.fromClick(call, empty[call]);
    await again.click();
    await expect(page.getByRole('tabpanel')).toContainText(text);
    await picture(page, `people-empty-${tab}`);
  }
  await walk(page, '/administrator/users/view/u-ana?tab=finances');
  await expect(again).toBeVisible();
});

test('nobody of this id is said with the id; what cannot be loaded can be tried again', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, {});
  for (const where of ['view', 'edit']) {
    await walk(page, `/administrator/users/${where}/u-nobody`);
    await expect(page.getByText('Usuário u-nobody não encontrado.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Todos os usuários' })).toBeVisible();
  }
  await expectAccessible(page);
  await picture(page, 'people-unknown');
  state.answers[ONE] = DOWN;
  await walk(page, '/administrator/users/view/u-ana');
  await expect(page.getByRole('alert')).toContainText('Erro ao buscar dados do usuário');
  await state.fromClick(ONE, person());
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Ana Prado' })).toBeVisible();
});

test('who may see people and no money finds no tab of it, and nothing to change', async ({ page }) => {
  const state = await stub(page, SALESPERSON, {
    [LIST]: list([{ ...ANA, balance: null }]),
    [ONE]: plain({ editable: false }),
    'GET /admin/user/u-ana/network': { ...NETWORK, n: null, highestN: null, bonuses: null },
    'GET /admin/user/u-ana/notes': NOTES,
  });
  await page.goto('/administrator/users/list');
  await expect(page.getByRole('columnheader', { name: 'E-mail' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Saldo' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Adicionar usuário' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Ana Prado' }).click();
  await expect(page.getByRole('tab')).toHaveText(['Resumo', 'Rede', 'Notas']);
  await expect(page.getByRole('link', { name: 'Editar' })).toHaveCount(0);
  await expect(page.getByText('Saldo disponível')).toHaveCount(0);
  await page.getByRole('tab', { name: 'Rede' }).click();
  await expect(page.getByText('Pontos E | D')).toBeVisible();
  await expect(page.getByText('Capital próprio em operação')).toHaveCount(0);
  // The address of a tab that is not theirs shows the first one.
  await page.goto('/administrator/users/view/u-ana?tab=finances');
  await expect(page.getByRole('tab', { name: 'Resumo' })).toHaveAttribute('aria-selected', 'true');
  expect(state.calls.some((call) => call.includes('financial-summary'))).toBe(false);
  await picture(page, 'people-salesperson');
  // Changing is a page of its own, which is not theirs.
  await page.goto('/administrator/users/edit/u-ana');
  await expect(page).toHaveURL(/not-authorized/);
});

test('a note is written once and refused beside its field; all sessions end', async ({ page }) => {
  const { bodies, answer } = sent(
    (route) =>
      route.fulfill({
        status: 422,
        json: {
          code: 'request.invalid',
          message: 'Confira os dados informados.',
          errors: { text: ['O texto é longo demais.'] },
        },
      }),
    ok(note('n3', 'Ligou de novo.')),
  );
  const state = await stub(page, ADMINISTRATOR, {
    ...VIEW,
    [ONE]: person(),
    'POST /admin/user/u-ana/notes': answer,
    'DELETE /admin/user/u-ana/sessions': { ended: 2 },
  });
  await page.goto('/administrator/users/view/u-ana?tab=notes');
  const field = page.getByRole('textbox', { name: 'Nova nota' });
  await field.fill('Ligou de novo.');
  await page.getByRole('button', { name: 'Salvar nota' }).click();
  await expect(page.getByText('O texto é longo demais.')).toBeVisible();
  state.answers['GET /admin/user/u-ana/notes'] = list([note('n3', 'Ligou de novo.'), ...NOTES.data]);
  await page.getByRole('button', { name: 'Salvar nota' }).click();
  await expect(field).toHaveValue('');
  await expect(page.getByRole('cell', { name: 'Ligou de novo.' })).toBeVisible();
  expect(bodies).toHaveLength(2);
  await page.getByRole('tab', { name: 'Sessões' }).click();
  await page.getByRole('button', { name: 'Encerrar todas' }).click();
  const dialog = page.getByRole('dialog', { name: 'Encerrar todas as sessões de @anaprado21?' });
  await dialog.getByRole('button', { name: 'Encerrar todas' }).click();
  await expect(page.getByTestId('toast').getByText('2 sessões encerradas.')).toBeVisible();
});

test('one whose account is switched off reads why, from the moment on which it happens', async ({ page }) => {
  const state = await stub(page, CUSTOMER, { 'GET /support/list-tickets-user/': list([]) });
  await page.goto('/support');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByTestId('inactive-banner')).toHaveCount(0);
  state.answers['GET /me'] = {
    user: { ...CUSTOMER, status: 'inactive', statusReason: 'Documento em análise' },
  };
  await state.fact(`user:${CUSTOMER._id}`, 1, { kind: 'user.changed', reason: 'status' });
  const banner = page.getByTestId('inactive-banner');
  await expect(banner).toContainText('Sua conta está desativada. Motivo: Documento em análise');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'people-inactive-phone');
  state.answers['GET /me'] = { user: CUSTOMER };
  await state.fact(`user:${CUSTOMER._id}`, 2, { kind: 'user.changed', reason: 'status' });
  await expect(banner).toHaveCount(0);
});

test('in the two other languages', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, { ...VIEW, [LIST]: PEOPLE, [ONE]: person() });
  await page.addInitScript(() => localStorage.setItem('locale', 'en'));
  await page.goto('/administrator/users/list');
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible();
  await expect(
    page.getByText('Email confirmed').or(page.getByText('E-mail confirmed')).first(),
  ).toBeVisible();
  await page.addInitScript(() => localStorage.setItem('locale', 'es'));
  await page.goto('/administrator/users/view/u-ana');
  await expect(page.getByRole('tab', { name: 'Finanzas' })).toBeVisible();
  await picture(page, 'people-view-es');
  expect(state.calls.length).toBeGreaterThan(0);
});
