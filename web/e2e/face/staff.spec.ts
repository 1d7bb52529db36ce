/** What staff decide on beside the queues of PIX and coins: cases, pauses, held transfers, several at once; without a server. */

import { everywhere, expectAccessible, picture } from '../kit';
import { flows } from './analyticsFixtures';
import { ago, ahead, DAY, HOUR } from './clock';
import { licence } from './fixtures';
import { DEPOSIT } from './moneyFixtures';
import { deposit, queue, row } from './pixFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub, waiting } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const hours = (count: number) => ago(count * HOUR);
const meta = (total: number) => ({ page: 1, limit: 25, total, lastPage: 1 });

const transfer = (number: number, part: object = {}) => ({
  _id: `018f0000-0000-7000-8000-00000000a00${number}`,
  origin: { _id: 'u-ana', username: 'ana21' },
  destination: { _id: 'u-rui', username: 'ruiprado7' },
  value: `${number}0.000000`,
  fee: '0.000000',
  status: 'pending',
  reason: null,
  created_at: hours(number),
  version: 1,
  case: `018f0000-0000-7000-8000-00000000c00${number}`,
  signals: ['amount', 'same_device'],
  approvals: 0,
  approvalsNeeded: 1,
  ...part,
});
const report = (data: object[], part: object = {}) => ({
  data,
  meta: meta(data.length),
  count: 12,
  value: '1234.500000',
  fees: '0.000000',
  pending: data.length,
  waiting: data.length,
  oldest: data.length > 0 ? hours(50) : null,
  days: [{ day: '2026-11-20', count: 3, value: '100.000000' }],
  ...part,
});
const one = (number: number, part: object = {}) => ({
  _id: `018f0000-0000-7000-8000-00000000c00${number}`,
  user: 'u-ana',
  username: 'ana21',
  counterparty: 'ruiprado7',
  flow: 'transfer',
  value: '10000.000000',
  reasons: ['amount', 'same_device'],
  waits: null,
  subject: null,
  status: 'open',
  decidedBy: null,
  note: null,
  openedAt: hours(number * 3),
  decidedAt: null,
  version: 1,
  ...part,
});
const cases = (data: object[], oldest: string | null = null) => ({
  data,
  meta: meta(data.length),
  pending: data.length,
  oldest,
});
const pause = (part: object = {}) => ({
  _id: '018f0000-0000-7000-8000-00000000d001',
  what: 'outbound',
  username: null,
  reason: 'Investigação de um incidente',
  reviewAt: '2026-11-25T03:00:00Z',
  proposedBy: 'bia',
  proposedAt: hours(1),
  activeFrom: hours(1),
  liftedAt: null,
  ...part,
});

test('transfers by day: every day from the first to the last, as bars or as a table', async ({ page }) => {
  await stub(page, ADMINISTRATOR, {
    'GET /admin/transfers-reports': report([transfer(1)], {
      days: [
        { day: '2026-11-18', count: 1, value: '7.250000' },
        { day: '2026-11-20', count: 3, value: '100.000000' },
      ],
    }),
  });
  await page.goto('/transfers-reports');
  const days = page.getByRole('region', { name: 'Por dia' });
  await days.getByRole('button', { name: 'Ver como tabela' }).click();
  const rows = days.getByRole('row');
  await expect(rows).toHaveCount(4);
  await expect(rows.nth(1)).toHaveText(/20\/11\/2026.*3.*100,00/);
  await expect(rows.nth(2)).toHaveText(/19\/11\/2026.*0.*0,00/);
  await expectAccessible(page, ['dark']);
});

test('held transfers: the oldest first, several released at once, each with its own answer', async ({
  page,
}) => {
  test.slow();
  const rows = [
    transfer(1),
    transfer(2),
    transfer(3, { approvalsNeeded: 2 }),
    transfer(4, { destination: { _id: ADMINISTRATOR._id, username: ADMINISTRATOR.username } }),
  ];
  const sent: { body: { id: string }; key: string }[] = [];
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/transfers-reports': report(rows),
    'GET /admin/waiting': waiting({ transfers: [4, 3, hours(9)] }),
    'PATCH /admin/transfers-approve-reject': async (route: Route) => {
      const body = route.request().postDataJSON();
      sent.push({ body, key: route.request().headers()['idempotency-key'] ?? '' });
      if (body.id === rows[1]?._id) return refuse(403, 'outbound.held', 'Saídas bloqueadas.')(route);
      await route.fulfill({ json: { ...rows[0], status: 'complete', version: 2 } });
    },
  });
  await page.goto('/transfers-reports?tab=held');
  await expect(page.getByRole('heading', { level: 1, name: 'Relatório de transferências' })).toBeVisible();
  await expect(page.getByTestId('old-queue')).toBeVisible();
  await expect(page.getByRole('link', { name: /Transferências 4/ })).toBeVisible();
  await everywhere(page, 'transfers-held');
  const table = page.getByRole('table');
  await table.getByRole('checkbox', { name: 'Todos' }).check();
  const bar = page.getByRole('group', { name: 'Decidir várias de uma vez' });
  // Neither what needs two persons nor one's own.
  await expect(bar).toContainText('2 selecionadas · 30,00');
  await bar.getByRole('button', { name: 'Aprovar selecionadas' }).click();
  const dialog = page.getByRole('dialog', { name: 'Aprovar várias?' });
  await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeFocused();
  await expectAccessible(page);
  await picture(page, 'bulk-question');
  await dialog.getByRole('button', { name: 'Aprovar 2' }).click();
  const result = page.getByRole('dialog', { name: 'Resultado' });
  await expect(result.getByText('1 aprovada.')).toBeVisible();
  await expect(result.getByText('Saídas bloqueadas.')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'bulk-result');
  expect(sent.map(({ body }) => body.id)).toEqual([rows[0]?._id, rows[1]?._id]);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  await result.getByRole('button', { name: 'Fechar' }).click();

  // Live: one that comes is shown without asking.
  state.answers['GET /admin/transfers-reports'] = report([...rows, transfer(5)]);
  state.answers['GET /admin/waiting'] = waiting({ transfers: [5, 4, hours(9)] });
  const item = { type: 'transfer', transfer: transfer(5) };
  await state.fact('queue:transfers', 1, { kind: 'queue.changed', queue: 'transfers', item, pending: 5 });
  await expect(page.getByRole('link', { name: /Transferências 5/ })).toBeVisible();
  await expect(table.getByRole('row')).toHaveCount(6);

  // One by itself, with the way to its case.
  await table.getByRole('row').nth(1).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByRole('link', { name: 'Abrir o caso' })).toHaveAttribute(
    'href',
    `/compliance-cases?tab=all&search=${rows[0]?.case}`,
  );
  await expectAccessible(page);
  await page.keyboard.press('a');
  await expect(page.getByRole('dialog', { name: 'Liberar transferência' })).toBeVisible();
});

test('cases: what spoke, where it is decided, cleared and refused with a reason', async ({ page }) => {
  test.slow();
  const rows = [one(1), one(2, { waits: 'transfer', subject: 't1' }), one(3, { waits: 'pix_deposit' })];
  const sent: unknown[] = [];
  await stub(page, ADMINISTRATOR, {
    'GET /admin/compliance/cases': cases(rows, hours(9)),
    'PATCH /admin/compliance/cases': async (route: Route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ status: 204 });
    },
  });
  await page.goto('/compliance-cases');
  await expect(page.getByRole('heading', { level: 1, name: 'Conformidade' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Decidir na fila' })).toHaveAttribute(
    'href',
    '/transfers-reports?tab=held&search=ana21',
  );
  await everywhere(page, 'cases');
  await page.getByRole('row').nth(2).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('Os dois lados usam o mesmo aparelho.')).toBeVisible();
  await expect(drawer.getByRole('button', { name: 'Liberar' })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Escape');
  await page.getByRole('row').nth(1).click();
  await expect(drawer.getByRole('button', { name: 'Recusar' })).toBeVisible();
  await expect(drawer.locator('[data-person]').first()).toHaveAttribute(
    'href',
    /^\/administrator\/users\/view\//,
  );
  await picture(page, 'case-drawer');
  await expectAccessible(page);
  await drawer.getByRole('button', { name: 'Recusar' }).click();
  const dialog = page.getByRole('dialog', { name: 'Recusar este caso?' });
  await expect(dialog.getByRole('button', { name: 'Recusar' })).toBeDisabled();
  await dialog.getByLabel('Motivo').fill('Origem não explicada');
  await dialog.getByRole('button', { name: 'Recusar' }).click();
  await expect(page.getByTestId('toast').getByText('Caso recusado.')).toBeVisible();
  expect(sent).toEqual([
    { id: rows[0]?._id, cleared: false, note: 'Origem não explicada', value: rows[0]?.value },
  ]);
});

test('no case, and a list that does not load', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, { 'GET /admin/compliance/cases': cases([]) });
  await page.goto('/compliance-cases');
  await expect(page.getByText('Fila vazia.')).toBeVisible();
  await expectAccessible(page);
  state.answers['GET /admin/compliance/cases'] = refuse(500, 'service.internal', 'Algo falhou.');
  await page.getByRole('tab', { name: 'Decididos' }).click();
  await expect(page.getByText('Não foi possível carregar os casos.')).toBeVisible();
});

test('pauses: by one at once, ended by two; shown above every screen', async ({ page }) => {
  test.slow();
  const day = ahead(5 * DAY).slice(0, 10);
  const sent: unknown[] = [];
  const note = (data: unknown[]) => async (route: Route) => {
    sent.push([new URL(route.request().url()).pathname, route.request().postDataJSON()]);
    await route.fulfill({ json: { data } });
  };
  const stands = pause({ _id: 'p2', username: 'ana21', reason: 'Conta em disputa' });
  const asked = pause({ liftAskedBy: 'lucas22', liftReason: 'Incidente esclarecido' });
  await stub(page, ADMINISTRATOR, {
    'GET /admin/compliance/cases': cases([]),
    'GET /admin/outbound-pauses': {
      data: [asked, stands],
    },
    'POST /admin/outbound-pauses': note([stands]),
    [`POST /admin/outbound-pauses/${asked._id}/lift`]: note([{ ...asked, liftedAt: hours(0) }]),
    'POST /admin/outbound-pauses/p2/lift': note([
      { ...stands, liftAskedBy: 'root', liftReason: 'Disputa resolvida' },
    ]),
  });
  await page.goto('/compliance-cases?tab=pauses');
  const half = page.getByRole('row').filter({ hasText: 'Falta outra pessoa: fim pedido por @lucas22' });
  await expect(half).toContainText('Fim: Incidente esclarecido');
  await expect(half.getByRole('link', { name: '@lucas22' }).first()).toHaveAttribute(
    'href',
    '/administrator/users/list?search=lucas22',
  );
  await everywhere(page, 'pauses');
  await page.getByRole('button', { name: 'Iniciar pausa' }).click();
  const start = page.getByRole('dialog', { name: 'Iniciar uma pausa' });
  await expectAccessible(page);
  await start.getByLabel('Usuário').fill('@ana21');
  await start.getByLabel('Revisão até').fill(day);
  await start.getByLabel('Motivo, que as pessoas leem').fill('Conta em disputa');
  await start.getByRole('button', { name: 'Iniciar pausa' }).click();
  await expect(page.getByTestId('toast').getByText('Pausa em vigor.')).toBeVisible();
  await page.getByRole('button', { name: 'Encerrar pausa' }).click();
  const end = page.getByRole('dialog', { name: 'Encerrar esta pausa?' });
  await expect(end).toContainText('A pausa continua até que outra pessoa concorde.');
  await expect(end.getByRole('button', { name: 'Encerrar pausa' })).toBeDisabled();
  await end.getByLabel('Motivo do fim, que as pessoas leem').fill('Disputa resolvida');
  await end.getByRole('button', { name: 'Encerrar pausa' }).click();
  await expect(page.getByTestId('toast').getByText('Fim pedido. Falta outra pessoa.')).toBeVisible();
  await page.getByRole('button', { name: 'Concordar com o fim' }).click();
  await expect(end).toContainText('@lucas22 pediu o fim.');
  await expect(end).toContainText('Incidente esclarecido');
  await expect(end.getByLabel('Motivo do fim, que as pessoas leem')).toHaveCount(0);
  await end.getByRole('button', { name: 'Encerrar pausa' }).click();
  await expect(page.getByTestId('toast').getByText('Pausa encerrada.')).toBeVisible();
  expect(sent).toEqual([
    ['/api/admin/outbound-pauses', { reason: 'Conta em disputa', reviewDate: day, username: 'ana21' }],
    ['/api/admin/outbound-pauses/p2/lift', { reason: 'Disputa resolvida' }],
    [`/api/admin/outbound-pauses/${asked._id}/lift`, {}],
  ]);
});

test('a pause of the desk or of registrations is of everybody, apart from money', async ({ page }) => {
  const sent: unknown[] = [];
  const standing = [
    pause({ what: 'desk', reason: 'Manutenção' }),
    pause({ _id: 'p2', what: 'sign_ups', reason: 'Cadastros falsos' }),
  ];
  await stub(page, ADMINISTRATOR, {
    'GET /admin/compliance/cases': cases([]),
    'GET /admin/outbound-pauses': { data: standing },
    'POST /admin/outbound-pauses': async (route: Route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ json: { data: standing } });
    },
  });
  await page.goto('/compliance-cases?tab=pauses');
  await expect(page.getByText(/^A mesa está parada/)).toBeVisible();
  await expect(page.getByText(/^Os cadastros novos estão suspensos/)).toBeVisible();
  await everywhere(page, 'pauses-apart');
  await page.getByRole('button', { name: 'Iniciar pausa' }).click();
  const start = page.getByRole('dialog', { name: 'Iniciar uma pausa' });
  await expect(start.getByLabel('Usuário')).toBeVisible();
  await start.getByRole('combobox', { name: 'O que para' }).click();
  await page.getByRole('option', { name: 'Mesa de operações' }).click();
  await expect(start.getByLabel('Usuário')).toBeHidden();
  await expectAccessible(page);
  const day = ahead(2 * DAY).slice(0, 10);
  await start.getByLabel('Revisão até').fill(day);
  await start.getByLabel('Motivo, que as pessoas leem').fill('Manutenção');
  await start.getByRole('button', { name: 'Iniciar pausa' }).click();
  await expect(page.getByTestId('toast').getByText('Pausa em vigor.')).toBeVisible();
  expect(sent).toEqual([{ reason: 'Manutenção', reviewDate: day, what: 'desk' }]);
});

test('whose money stands still reads why and until when, on every screen', async ({ page }) => {
  const paused = { reason: 'Investigação', reviewAt: '2026-11-25T03:00:00Z' };
  await stub(page, { ...CUSTOMER, pause: paused });
  await page.goto('/account-setting');
  await expect(page.getByTestId('pause-banner')).toHaveText(
    'Saídas pausadas: Investigação. Revisão até 25/11/2026 00:00.',
  );
  await expectAccessible(page);
});

test('one’s own limits and a time out', async ({ page }) => {
  test.slow();
  const limit = (platform: string, own: string | null, raise: object | null = null) => ({
    platform,
    own,
    raise,
  });
  const shown = {
    transaction: limit('50000.000000', '500.000000', { value: '900.000000', at: '2026-11-21T15:00:00Z' }),
    day: limit('100000.000000', null),
    excludedUntil: null as string | null,
  };
  const sent: unknown[] = [];
  await stub(page, CUSTOMER, {
    'GET /self-limits': shown,
    'POST /self-limits': async (route: Route) => {
      sent.push(route.request().postDataJSON());
      const raised = { ...shown.transaction, raise: { value: null, at: '2026-11-22T15:00:00Z' } };
      const fresh = sent.length > 2 ? { transaction: raised } : {};
      await route.fulfill({ json: { ...shown, day: limit('100000.000000', '1000.000000'), ...fresh } });
    },
    'POST /security-code': async (route: Route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ json: { method: 'email' } });
    },
    'POST /self-exclusion': async (route: Route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ json: { ...shown, excludedUntil: '2026-12-20T15:00:00Z' } });
    },
  });
  await page.goto('/account-setting?tab=security');
  const day = page.getByRole('region', { name: 'Em 24 horas' });
  await expect(page.getByRole('region', { name: 'Por operação' })).toContainText('900,00');
  await everywhere(page, 'limits');
  await day.getByLabel('Novo limite').fill('1000');
  await day.getByRole('button', { name: 'Definir limite' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('O limite vale na hora');
  await dialog.getByRole('button', { name: 'Definir limite' }).click();
  // Each change asks for the code of exactly that.
  const asks = page.getByRole('dialog', { name: 'Código para mudar o limite' });
  await asks.getByLabel('Dígito 1 de 6').click();
  await page.keyboard.type('123456');
  await expect(page.getByText('Limite em vigor.')).toBeVisible();
  const one = page.getByRole('region', { name: 'Por operação' });
  await one.getByRole('button', { name: 'Tirar meu limite' }).click();
  await expect(dialog).toContainText('só vale em 24 horas');
  await dialog.getByRole('button', { name: 'Definir limite' }).click();
  await expect(asks).toContainText('código de 6 dígitos para o seu e-mail');
  await expectAccessible(page);
  await asks.getByLabel('Dígito 1 de 6').click();
  await page.keyboard.type('123456');
  await expect(page.getByText('O novo limite vale em 24 h.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Duração' }).click();
  await page.getByRole('option', { name: '30 dias' }).click();
  await page.getByRole('button', { name: 'Começar pausa' }).click();
  await expect(page.getByRole('dialog')).toContainText('Não dá para encurtar');
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Começar pausa' }).click();
  await page.getByRole('dialog', { name: 'Código para a pausa' }).getByLabel('Dígito 1 de 6').click();
  await page.keyboard.type('123456');
  await expect(page.getByText(/Pausa até 20\/12\/2026/)).toBeVisible();
  expect(sent).toEqual([
    { purpose: 'own-limits', destination: 'day', amount: '1000' },
    { kind: 'day', value: '1000', securityCode: '123456' },
    { purpose: 'own-limits', destination: 'transaction' },
    { kind: 'transaction', securityCode: '123456' },
    { purpose: 'own-limits', destination: 'exclusion', amount: '30' },
    { days: 30, securityCode: '123456' },
  ]);
});

test('a deposit whose case is open cannot be approved; the holder’s document goes with a reason', async ({
  page,
}) => {
  const note = { _id: one(1)._id, reasons: ['payer_shared'], status: 'open' };
  await stub(page, ADMINISTRATOR, {
    'GET /admin/list-deposits-pix-approve-reject': queue([row(1, { user: 'u7', case: note })]),
  });
  await page.goto('/deposits-pix-approve-reject');
  await page.getByText('@marinaduarte48201').click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByTestId('case-notice')).toContainText('Pagador em várias contas');
  await expect(drawer.getByRole('button', { name: 'Aprovar' })).toHaveAttribute('aria-disabled', 'true');
  await expect(drawer.getByRole('button', { name: 'Rejeitar' })).not.toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);
  expect(deposit).toBeDefined();
});

test('a person’s money in sums', async ({ page }) => {
  const person = {
    _id: 'u-ana',
    username: 'ana21',
    fullName: 'Ana Prado',
    email: 'ana@exemplo.com.br',
    status: 'active',
    balance: '375.000000',
    sponsored: '0.000000',
    bonus: '0.000000',
    held: '0.000000',
    licences: 1,
  };
  const zero = '0.000000';
  const LICENCES_OF = 'GET /admin/balance-manager/get-user-licenses/u-ana';
  const state = await stub(page, ADMINISTRATOR, {
    [LICENCES_OF]: [licence(1, { manualKey: true })],
    [`POST /admin/licences/${licence(1)._id}/manual-key`]: licence(1, { manualRevoked: true }),
    'GET /admin/balance-manager': {
      data: [person],
      meta: meta(1),
      sums: { balance: '375.000000', held: zero, bonus: '7.250000', sponsored: zero },
    },
    'GET /admin/balance-manager/requests': { data: [], meta: meta(0) },
    'GET /admin/user-financial-summary/u-ana': {
      user: { ...person, registeredAt: '2026-03-02T12:00:00Z' },
      figures: {
        total: '482.000000',
        available: '375.000000',
        invested: '100.000000',
        sponsored: zero,
        paidIn: '500.000000',
        takenOut: zero,
        netPaidIn: '500.000000',
        result: '-18.000000',
      },
      accounts: {
        available: '375.000000',
        held: zero,
        bonus: '7.000000',
        sponsored: zero,
        debt: zero,
        price: '100.000000',
        topup: zero,
        allocated: zero,
        yield: zero,
        loan: zero,
      },
      deposits: [{ method: 'pix', count: 2, credited: '500.000000', reversed: zero }],
      withdrawals: [],
      transfers: { sent: '30.000000', sentCount: 1, fees: zero, received: '5.000000', receivedCount: 1 },
      licences: {
        count: 2,
        value: '200.000000',
        activeCount: 1,
        activeValue: '100.000000',
        result: '-3.500000',
      },
      bonus: { count: 1, received: '7.000000', used: zero },
      flows: flows({ entries: '500.000000' }),
      movements: [{ kind: 'deposit_pix', credits: '500.000000', debits: zero, count: 2 }],
    },
  });
  await page.goto('/add-remove-balance');
  await expect(page.getByTestId('stat-tile').filter({ hasText: 'Soma dos bônus' })).toContainText('7,25');
  await page.getByRole('button', { name: 'Resumo financeiro de Ana Prado' }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByRole('table', { name: 'Depósitos por método' })).toContainText('500,00');
  await expect(drawer.getByText('Nada registrado.')).toBeVisible();
  await picture(page, 'summary-dark');
  await expectAccessible(page);
  // The manual-operation key of a robot is taken away, with a reason.
  const keys = drawer.getByRole('region', { name: 'Operação manual' });
  await keys.getByRole('button', { name: 'Revogar' }).click();
  const question = page.getByRole('dialog', { name: 'Revogar a chave da licença 1?' });
  await question.getByRole('textbox', { name: 'Motivo' }).fill('Pedido do cliente');
  state.answers[LICENCES_OF] = [licence(1, { manualRevoked: true })];
  await question.getByRole('button', { name: 'Revogar' }).click();
  await expect(keys.getByText('Revogada')).toBeVisible();
  expect(state.calls).toContain(`POST /admin/licences/${licence(1)._id}/manual-key`);
  await page.setViewportSize(PHONE);
  await picture(page, 'summary-phone');
});

test('deposits over the chain: what was credited, by day, as the filters say', async ({ page }) => {
  const asked: string[] = [];
  await stub(page, ADMINISTRATOR, {
    'GET /admin/all-crypto-deposits-list': {
      data: [DEPOSIT],
      meta: meta(1),
      pending: 0,
      oldest: null,
      watcher: { scanned: 1200, confirmed: 1186, halted: null, aliveAt: hours(0) },
    },
    'GET /admin/crypto-deposits-report': async (route: Route) => {
      const { searchParams } = new URL(route.request().url());
      asked.push(searchParams.toString());
      const plain = searchParams.get('selectedProduct') === 'plain';
      const days = [
        { day: '2026-11-19', count: 2, total: '65.000000' },
        { day: '2026-11-20', count: 1, total: '10.500000' },
      ].slice(plain ? 1 : 0);
      await route.fulfill({
        json: plain ? { count: 1, total: '10.500000', days } : { count: 3, total: '75.500000', days },
      });
    },
  });
  await page.goto('/crypto-deposits-list2');
  const days = page.getByRole('region', { name: 'Creditado por dia' });
  await expect(days).toBeVisible();
  await expect(page.getByText(/^75,50/)).toBeVisible();
  await everywhere(page, 'deposits-report');
  await days.getByText('Ver como tabela').click();
  await expect(days.getByRole('row')).toHaveCount(3);
  await page.getByRole('combobox', { name: 'Produto' }).click();
  await page.getByRole('option', { name: 'Depósito', exact: true }).click();
  await expect(days.getByRole('row')).toHaveCount(2);
  await expect(days.getByRole('row').last()).toContainText(/10,50/);
  expect(asked.at(-1)).toBe('selectedProduct=plain');
  // What waits is a queue, not a report.
  await page.getByText('Aguardando decisão').click();
  await expect(days).toBeHidden();
});

for (const [name, path, list, sums, title] of [
  [
    'pix-deposits',
    '/deposits-pix-approve-reject',
    'GET /admin/list-deposits-pix-approve-reject',
    'GET /admin/pix-deposits-report',
    'Creditado por dia',
  ],
  [
    'pix-withdrawals',
    '/pix-withdrawal-list',
    'GET /admin/list-withdraw-pix-approve-reject',
    'GET /admin/pix-withdrawals-report',
    'Pago por dia',
  ],
] as const)
  test(`${name}: all of them add up by day, with the filters of the list`, async ({ page }) => {
    const asked: string[] = [];
    await stub(page, ADMINISTRATOR, {
      [list]: queue([]),
      [sums]: async (route: Route) => {
        asked.push(new URL(route.request().url()).searchParams.toString());
        const days = [
          { day: '2026-11-19', count: 2, total: '65.000000' },
          { day: '2026-11-20', count: 1, total: '10.500000' },
        ];
        await route.fulfill({ json: { count: 3, total: '75.500000', days } });
      },
    });
    await page.goto(`${path}?tab=all&function=customer`);
    const days = page.getByRole('region', { name: title });
    await expect(days).toBeVisible();
    await expect(page.getByText(/^75,50/)).toBeVisible();
    await everywhere(page, `${name}-report`);
    await days.getByText('Ver como tabela').click();
    await expect(days.getByRole('row')).toHaveCount(3);
    expect(asked.at(-1)).toBe('function=customer');
    // What waits is a queue, not a report.
    await page.goto(path);
    await expect(page.getByText('Fila vazia.')).toBeVisible();
    await expect(days).toBeHidden();
  });
