/** The network: tree, referrals, dashboard and bonuses of a customer, the reports of staff. */

import { expectAccessible, fits, picture, wear } from '../kit';
import {
  ALONE,
  BELOW,
  BONUS_LOG,
  BONUS_REPORT,
  bonus,
  bonusPath,
  bonusPayment,
  DEFERRED,
  GRADUATION,
  LOST_POINTS,
  LOWEST,
  MATCHED,
  MEMBERS,
  NETWORK,
  NO_BONUS,
  NO_PAYOUT,
  NOBODY,
  OFFER,
  OWN_RANKS,
  PAYOUT,
  RANKED,
  REFERENCES,
  SOLD,
  sales,
  TREE,
  WHOLE,
} from './affiliatesFixtures';
import { PAID_BY, PAID_NOTHING } from './analyticsFixtures';
import { AT_WORK, page as list } from './fixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
const tree = (of: string) => `GET /affiliates/diagram-binary-tree/${of}`;
const NONE = { ...list([]), totals: [], metrics: [] };

const PAYING = `GET /admin/graduation/pay-bonus/${OFFER.graduation}`;
/** The member whose bonus is on offer. */
const OWED = { _id: OFFER.user };
const answered = (status: string, message: string, more: object = {}) => ({
  message,
  data: { ...OFFER, ...bonusPayment(status), trxHash: null, ...more },
});

const SCREENS = [
  [
    'tree',
    '/affiliate-network/binary-tree',
    RANKED,
    tree('me'),
    TREE,
    '@ana21',
    ALONE,
    'Sua rede começa aqui.',
  ],
  [
    'references',
    '/affiliate-network/direct-references',
    RANKED,
    'GET /affiliates/reference-list',
    REFERENCES,
    '@ana21',
    list([]),
    'Nenhum indicado ainda.',
  ],
  [
    'network',
    '/affiliate-network/dashboard',
    RANKED,
    'GET /affiliates/dashboard',
    NETWORK,
    'Rumo a Ouro',
    NOBODY,
    'Sua rede começa aqui.',
  ],
  [
    'bonus',
    '/affiliate-network/bonus-report',
    RANKED,
    'GET /affiliates/bonus-log',
    BONUS_LOG,
    'Na fila do fundo',
    NO_BONUS,
    'Nenhum bônus ainda.',
  ],
  [
    'staff-bonus',
    '/bonus-report',
    ADMINISTRATOR,
    'GET /admin/bonus-report',
    BONUS_REPORT,
    'Na fila do fundo',
    NONE,
    'Nenhum bônus ainda.',
  ],
  [
    'staff-payout',
    '/payout-report',
    ADMINISTRATOR,
    'GET /admin/payout-report',
    PAYOUT,
    'acima do teto de 75,00%',
    NO_PAYOUT,
    'Nem receita nem bônus no período.',
  ],
  [
    'staff-binary',
    '/binary-report',
    ADMINISTRATOR,
    'GET /admin/binary-lost-points-report',
    LOST_POINTS,
    'Ana Prado',
    NONE,
    'Nenhum ponto perdido.',
  ],
  [
    'staff-graduations',
    '/graduation-list',
    ADMINISTRATOR,
    'GET /admin/graduation',
    GRADUATION,
    'Ana Prado',
    NONE,
    'Nenhuma graduação ainda.',
  ],
  [
    'staff-ranks',
    '/graduations',
    ADMINISTRATOR,
    'GET /admin/graduations',
    MEMBERS,
    'Ana Prado',
    NONE,
    'Ninguém com pontos pagos ainda.',
  ],
] as const;

for (const [name, path, user, call, data, seen, empty, emptyText] of SCREENS)
  test(`screen: ${name}`, async ({ page }) => {
    const state = await stub(page, user, {
      'GET /dashboard/paid-by': PAID_BY,
      'GET /admin/graduation': GRADUATION,
      'GET /affiliates/graduations': OWN_RANKS,
      [call]: data,
    });
    const there = () => page.locator('#content').getByText(seen, { exact: false }).first();
    await page.goto(path);
    await expect(there()).toBeVisible();
    await page.waitForLoadState('networkidle');
    await picture(page, `affiliates-${name}-dark`);
    await expectAccessible(page);
    await wear(page, 'light');
    await picture(page, `affiliates-${name}-light`);
    await wear(page, 'dark');
    await page.setViewportSize(PHONE);
    await page.reload();
    await expect(there()).toBeVisible();
    await fits(page);
    await picture(page, `affiliates-${name}-phone`);
    await expectAccessible(page, ['dark']);
    state.answers[call] = DOWN;
    await page.reload();
    await expect(page.getByRole('button', { name: 'Tentar de novo' }).first()).toBeVisible();
    await state.fromClick(call, empty);
    await page.getByRole('button', { name: 'Tentar de novo' }).first().click();
    await expect(page.getByText(emptyText, { exact: false }).first()).toBeVisible();
    await picture(page, `affiliates-${name}-empty`);
  });

test('the tree by keyboard: arrows from member to member, further down when asked', async ({ page }) => {
  const { calls } = await stub(page, RANKED, { [tree('me')]: TREE, [tree(LOWEST)]: BELOW });
  await page.goto('/affiliate-network/binary-tree');
  const member = (name: string) => page.getByRole('button', { name: new RegExp(`^@${name},`) });
  await member('marinaduarte48201').focus();
  await page.keyboard.press('ArrowDown');
  await expect(member('ana21')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(member('bruno7')).toBeFocused();
  await page.keyboard.press('Enter');
  const card = page.locator('[data-member="bruno7"]');
  await expect(card).toContainText('Sem indicado direto ativo na direita');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(member('hugo81')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(member('karen18')).toBeAttached();
  expect(calls).toContain(tree(LOWEST));
  await page.keyboard.press('ArrowDown');
  await expect(member('karen18')).toBeFocused();
  await page.keyboard.press('Home');
  await expect(member('marinaduarte48201')).toBeFocused();
  await expectAccessible(page, ['dark']);
});

test('a member is found, looked at from there, and left by going up', async ({ page }) => {
  const up = TREE.nodes[4]?._id ?? '';
  await stub(page, RANKED, {
    [tree('me')]: TREE,
    [tree('hugo81')]: BELOW,
    [tree(LOWEST)]: BELOW,
    [tree(up)]: { ...TREE, up: null, nodes: [TREE.nodes[4]] },
    [tree('ninguem')]: refuse(404, 'user.unknown', 'Usuário não encontrado.'),
  });
  await page.goto('/affiliate-network/binary-tree');
  const find = page.getByRole('textbox', { name: 'Buscar membro' });
  await find.fill('ninguem');
  await find.press('Enter');
  await expect(page.getByText('Ninguém com este usuário na sua rede.')).toBeVisible();
  await expectAccessible(page, ['dark']);
  await find.fill('@hugo81');
  await find.press('Enter');
  await expect(page).toHaveURL(new RegExp(`at=${LOWEST}`));
  await expect(page.locator('[data-member="hugo81"]')).toBeVisible();
  await page.getByRole('button', { name: 'Subir um nível' }).click();
  await expect(page).toHaveURL(new RegExp(`at=${up}`));
  await page.getByRole('button', { name: 'Voltar ao meu lugar' }).click();
  await expect(page).not.toHaveURL(/at=/);
});

test('the leg of newcomers is switched; what the server refuses is said', async ({ page }) => {
  const leg = 'PATCH /affiliates/binary-tree/save-selected-leg';
  const state = await stub(page, RANKED, { [tree('me')]: TREE, [leg]: { selectedLeg: 'right' } });
  await page.goto('/affiliate-network/binary-tree');
  const legs = page.getByRole('radiogroup', { name: 'Novos cadastros' });
  await legs.getByText('Direita').click();
  await expect(
    page.getByTestId('toast').getByText('Novos cadastros entram pela perna: Direita.'),
  ).toBeVisible();
  await expect(legs.getByRole('radio', { name: 'Direita' })).toBeChecked();
  state.answers[leg] = refuse(409, 'request.conflict', 'Isto não é possível agora.');
  await legs.getByText('Esquerda').click();
  await expect(page.getByTestId('toast').getByText('Isto não é possível agora.')).toBeVisible();
  await expect(legs.getByRole('radio', { name: 'Direita' })).toBeChecked();
});

test('the whole of one answer is drawn; the same as a list on a phone', async ({ page }) => {
  await stub(page, RANKED, { [tree('me')]: WHOLE });
  await page.goto('/affiliate-network/binary-tree');
  await expect(page.getByRole('button', { name: /^@/ })).toHaveCount(127);
  await picture(page, 'affiliates-tree-whole');
  await page.setViewportSize(PHONE);
  await page.reload();
  const rows = page.getByRole('list', { name: 'Membros da árvore' });
  await expect(rows.getByRole('listitem')).toHaveCount(127);
  await rows.getByRole('button', { name: 'Recolher abaixo de @marinaduarte48201' }).click();
  await expect(rows.getByRole('listitem')).toHaveCount(1);
  await rows.getByRole('button', { name: /^Nível 0/ }).click();
  await expect(page.getByRole('dialog')).toContainText('Bônus binário ativo');
  await picture(page, 'affiliates-tree-phone-member');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByText('Árvore', { exact: true }).click();
  await expect(page.getByRole('button', { name: /^@marina/ })).toBeVisible();
  await fits(page);
  await expectAccessible(page, ['dark']);
  await picture(page, 'affiliates-tree-phone-drawn');
});

test('one drills down by the rows and comes back by the path', async ({ page }) => {
  const asked: string[] = [];
  await stub(page, RANKED, {
    'GET /affiliates/reference-list': (route: Route) => {
      asked.push(new URL(route.request().url()).search);
      return route.fulfill({ json: REFERENCES });
    },
  });
  await page.goto('/affiliate-network/direct-references');
  await page.getByRole('row', { name: /@bruno7/ }).click();
  const path = page.getByRole('navigation', { name: 'Caminho' });
  await expect(path.getByText('@bruno7')).toBeVisible();
  await expect.poll(() => asked.at(-1)).toContain(`affiliateId=${REFERENCES.data[1]?._id}`);
  expect(asked.at(-1)).toContain('limit=50');
  await page.getByRole('combobox', { name: 'Nível' }).click();
  await page.getByRole('option', { name: '3', exact: true }).click();
  await expect.poll(() => asked.at(-1)).toContain('level=3');
  await expectAccessible(page, ['dark']);
  await picture(page, 'affiliates-references-path');
  await path.getByRole('button', { name: 'Meus indicados' }).click();
  await expect(page).not.toHaveURL(/path=|depth=/);
  await expect(path.getByText('@bruno7')).toHaveCount(0);
});

test('every bonus opens: where it came from, the rule, and why it stands where it does', async ({ page }) => {
  await stub(page, RANKED, {
    'GET /affiliates/bonus-log': BONUS_LOG,
    [bonusPath(DEFERRED)]: DEFERRED,
    [bonusPath(MATCHED)]: MATCHED,
    [`${bonusPath(MATCHED)}/sales`]: sales(false),
  });
  await page.goto('/affiliate-network/bonus-report');
  const open = async (row: RegExp, ...texts: string[]) => {
    await page.locator('tr[data-row]').filter({ hasText: row }).click();
    const drawer = page.getByRole('dialog');
    for (const text of texts) await expect(drawer).toContainText(text);
    return drawer;
  };
  const drawer = await open(
    /Indicação, nível 3/,
    '@bruno7',
    'Faltam 4,0000',
    '0,50%',
    'Lugar 3 na fila do fundo; antes dele faltam 41,2500',
    'Versão 12 das regras.',
  );
  const path = drawer.getByRole('list', { name: 'Linha de patrocínio, de quem recebe até a origem' });
  await expect(path.getByRole('listitem')).toHaveText([
    '@marinaduarte48201',
    '@ana21',
    '@carlamendes301',
    '@bruno7',
  ]);
  await expectAccessible(page);
  await picture(page, 'affiliates-bonus-drawer');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'affiliates-bonus-drawer-phone');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/bonus=/);
  await open(
    /Binário/,
    '500 pontos casados',
    'O teto diário é a soma das suas licenças ativas',
    '1.200 à esquerda e 500 à direita; 200 pontos perdidos',
    'Com outros bônus do mesmo fechamento',
  );
  await page.keyboard.press('Escape');
  // What the list knows stands there when the rest cannot be loaded.
  await open(/Em carência/, 'Livre a partir de 28/11/2026', 'Não foi possível carregar este bônus');
  await page.keyboard.press('Escape');
  await open(/Em análise/, 'Mesmo aparelho nos dois lados, Mesmo pagador nos dois lados');
});

test('a bonus leads to its movement, and the movement back to the bonus', async ({ page }) => {
  const [paid] = MATCHED.movements;
  const transfer = paid?.transfer ?? '';
  await stub(page, RANKED, {
    'GET /affiliates/bonus-log': BONUS_LOG,
    [bonusPath(MATCHED)]: MATCHED,
    [`${bonusPath(MATCHED)}/sales`]: sales(false),
    [`GET /statement/${transfer}`]: {
      transfer,
      at: '2026-11-20T03:05:00Z',
      kind: 'bonus',
      mode: null,
      reverses: null,
      reversedBy: null,
      event: { kind: 'bonus', amount: '30.000000', moved: null, pyx: null, licence: null },
      postings: [
        { account: 'bonus', licence: null, currency: 'USDT', amount: '30.000000', balance: '42.000000' },
      ],
      fact: {
        type: 'bonuses',
        businessDay: '2026-11-19',
        bonuses: [{ ...MATCHED.bonus, percentage: '10.00' }],
        total: 1,
      },
    },
  });
  // Opened by its address, before the list is there.
  await page.goto(`/affiliate-network/bonus-report?bonus=${MATCHED.bonus._id}`);
  const drawer = page.getByRole('dialog', { name: 'Bônus' });
  await expect(drawer).toContainText('500 pontos casados');
  await drawer.locator('button[aria-description="De onde vem este valor?"]').click();
  const origin = page.getByRole('dialog', { name: 'De onde vem este valor?' });
  await expect(origin).toContainText('Fechamento do dia 19/11/2026.');
  await expectAccessible(page);
  await picture(page, 'affiliates-bonus-origin');
  await origin.getByRole('link', { name: /Binário/ }).click();
  await expect(page.getByRole('dialog', { name: 'Bônus' })).toContainText('500 pontos casados');
});

test('staff see the licence of a bonus, and whom it goes to', async ({ page }) => {
  await stub(page, ADMINISTRATOR, {
    'GET /admin/bonus-report': BONUS_REPORT,
    [bonusPath(SOLD, true)]: SOLD,
  });
  await page.goto('/bonus-report');
  await page.locator('tr[data-row]').first().click();
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText('Licença #4, de 500,00 USDT.');
  await expect(drawer).toContainText('Quem recebe: @marinaduarte48201');
  await expectAccessible(page);
});

test('what one was paid by, with its mode; nothing, a loss, and what cannot be loaded', async ({ page }) => {
  const call = 'GET /dashboard/paid-by';
  const state = await stub(page, RANKED, {
    'GET /affiliates/dashboard': NETWORK,
    'GET /affiliates/graduations': OWN_RANKS,
    [call]: PAID_BY,
  });
  await page.goto('/affiliate-network/dashboard');
  const line = page.getByRole('region', { name: 'De onde veio o que você recebeu' });
  await expect(line).toContainText(
    '25,00% de operações (250,0000 USDT) e 75,00% de vendas de licenças (750,0000 USDT).',
  );
  await expect(line).toContainText('SIMULADO');
  state.answers[call] = PAID_NOTHING;
  await page.reload();
  await expect(line).toContainText('Você ainda não recebeu nada');
  await expect(line).toContainText('Suas operações perderam 3,5000 USDT');
  state.answers[call] = DOWN;
  await page.reload();
  await expect(page.getByText('Rumo a Ouro')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Tentar de novo' })).toBeVisible();
  await state.fromClick(call, PAID_BY);
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(line).toContainText('25,00% de operações');
});

test('the honest line stands on the first screen too', async ({ page }) => {
  await stub(page, RANKED, AT_WORK);
  await page.goto('/');
  await expect(page.getByRole('region', { name: 'De onde veio o que você recebeu' })).toContainText(
    '25,00% de operações (250,0000 USDT) e 75,00% de vendas de licenças (750,0000 USDT).',
  );
});

test('what is only asked every minute says so instead of calling itself live', async ({ page }) => {
  await stub(page, RANKED, {
    'GET /affiliates/dashboard': NETWORK,
    'GET /affiliates/graduations': OWN_RANKS,
    'GET /dashboard/paid-by': PAID_BY,
  });
  await page.goto('/affiliate-network/dashboard');
  const tonight = page.locator('section[aria-labelledby="tonight"]');
  await expect(tonight).toContainText('Atualizada a cada minuto.');
  await expect(tonight.getByText('Ao vivo')).toHaveCount(0);
});

test('a day without revenue is a gap, not a share of zero', async ({ page }) => {
  const [first, second, ...days] = PAYOUT.days;
  const none = { ...second, revenue: '0.000000', licences: '0.000000', fees: '0.000000', ratio: null };
  await stub(page, ADMINISTRATOR, {
    'GET /admin/payout-report': { ...PAYOUT, days: [first, none, ...days] },
  });
  await page.goto('/payout-report');
  await page.getByRole('button', { name: 'Ver como tabela' }).first().click();
  const table = page.getByRole('table', { name: 'Bônus sobre a receita ao longo do tempo' });
  const row = table.getByRole('row', { name: /^23\/10\/2026/ });
  await expect(row.getByRole('cell').first()).toHaveText('–');
  await expect(row.getByRole('cell').last()).toHaveText('75,00%');
});

test('a rank bonus is paid where the ranks are shown as well', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/graduations': { ...MEMBERS, data: MEMBERS.data.map((row) => ({ ...row, _id: OWED._id })) },
    'GET /admin/graduation': DOWN,
    [PAYING]: OFFER,
    'GET /admin/approvals/preview': { needed: 1, completes: true, given: [] },
  });
  await page.goto('/graduations');
  await expect(page.getByRole('alert')).toContainText('Não foi possível carregar os bônus a pagar.');
  await state.fromClick('GET /admin/graduation', { ...GRADUATION, data: GRADUATION.data.slice(1) });
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await page.getByRole('button', { name: 'Pagar bônus de Ouro' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Bônus de Ouro' });
  await drawer.getByRole('button', { name: 'Pagar bônus' }).click();
  const question = page.getByRole('dialog', { name: 'Pagar este bônus?' });
  state.answers['POST /admin/graduation/pay-bonus'] = refuse(
    422,
    'graduation.fund_short',
    'O fundo de graduações não cobre este bônus.',
  );
  await question.getByRole('button', { name: 'Pagar bônus' }).click();
  await expect(question.getByRole('alert')).toContainText('O fundo de graduações não cobre este bônus.');
  await expectAccessible(page, ['dark']);
  state.answers['POST /admin/graduation/pay-bonus'] = answered('approved', 'Pagamento liberado.');
  await question.getByRole('button', { name: 'Pagar bônus' }).click();
  await expect(page.getByTestId('toast').getByText('Pagamento liberado.')).toBeVisible();
});

test('who is near a rank: the next one and what is missing for it, also of those who hold none yet', async ({
  page,
}) => {
  const asked: string[] = [];
  const [gold, ...others] = MEMBERS.data;
  await stub(page, ADMINISTRATOR, {
    'GET /admin/graduation': GRADUATION,
    'GET /admin/graduations': (route: Route) => {
      asked.push(new URL(route.request().url()).search);
      // The last rank has none after it.
      return route.fulfill({
        json: { ...MEMBERS, data: [{ ...gold, rank: 'crown', next: null }, ...others] },
      });
    },
  });
  await page.goto('/graduations');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`@${name}`) });
  await expect(row('bruno7')).toContainText('Prata');
  await expect(row('bruno7')).toContainText('Ouro');
  await expect(row('bruno7')).toContainText('faltam 6.600');
  await expect(row('diego44')).toContainText('Nenhuma ainda');
  await expect(row('diego44')).toContainText('Bronze');
  await expect(row('diego44')).toContainText('faltam 50');
  await expect(row('ana21')).toContainText('Coroa');
  await expect(row('ana21')).not.toContainText('faltam');
  await page.getByRole('combobox', { name: 'Graduação' }).click();
  await page.getByRole('option', { name: 'Nenhuma ainda' }).click();
  await expect.poll(() => asked.at(-1)).toContain('rank=none');
  await expectAccessible(page);
  await picture(page, 'affiliates-near-a-rank');
});

test('bonuses against revenue by day and by month, and what crosses the ceiling asks anew', async ({
  page,
}) => {
  const call = 'GET /admin/payout-report';
  const state = await stub(page, ADMINISTRATOR, { [call]: PAYOUT });
  await page.goto('/payout-report');
  await expect(page.getByRole('alert')).toContainText('acima do teto de 75,00%');
  await page.getByText('Por mês').click();
  await page.getByRole('button', { name: 'Ver como tabela' }).first().click();
  const table = page.getByRole('table', { name: 'Bônus sobre a receita ao longo do tempo' });
  await expect(table.getByRole('row')).toHaveCount(3);
  await expect(page.getByText('@ana21, @bruno7, @carlamendes301')).toBeVisible();
  await expectAccessible(page);
  state.answers[call] = { ...PAYOUT, ceiling: { ...PAYOUT.ceiling, over: false, alertSince: null } };
  await state.fact(`user:${ADMINISTRATOR._id}`, 1, {
    kind: 'payout_ratio.crossed',
    over: false,
    bonuses: '100.000000',
    revenue: '1000.000000',
    ratio: '10.00',
    ceiling: '75.00',
  });
  await expect(page.getByText('acima do teto de 75,00%')).toHaveCount(0);
});

test('what went back of a bonus is said where the bonus stands, also where a part of it stays', async ({
  page,
}) => {
  const part = bonus(8, {
    kind: 'level',
    cause: 'allocation',
    gross: '30.000000',
    paid: '24.000000',
    dropped: '6.000000',
    returned: '4.000000',
  });
  const refused = bonus(9, { returned: '25.000000', refused: true, status: 'taken_back' });
  await stub(page, RANKED, {
    'GET /affiliates/bonus-log': {
      ...BONUS_LOG,
      data: [...BONUS_LOG.data, part, refused],
      totals: BONUS_LOG.totals.map((one) =>
        one.kind === 'level' ? { ...one, paid: '26.000000', dropped: '6.000000', returned: '4.000000' } : one,
      ),
    },
  });
  await page.goto('/affiliate-network/bonus-report');
  const row = page.locator(`tr[data-row="${part._id}"]`);
  await expect(row).toContainText('20,0000');
  await expect(row).toContainText('Pago');
  await expect(row).toContainText('Devolvidos 4,0000');
  await expect(row).toContainText('Sem efeito 6,0000');
  // All of it: nothing was received.
  const whole = page.locator('tr[data-row]').filter({ hasText: 'Venda indireta' });
  await expect(whole).toContainText('Devolvidos 5,0000 USDT: a origem foi estornada');
  await expect(page.locator(`tr[data-row="${refused._id}"]`)).toContainText(
    'Devolvidos 25,0000 USDT: a análise não liberou',
  );
  await expect(whole.getByText('Devolvido', { exact: true })).toBeVisible();
  const types = page.getByRole('table', { name: 'Por tipo' });
  for (const name of ['Sem efeito', 'Devolvido'])
    await expect(types.getByRole('columnheader', { name })).toBeVisible();
  await expect(
    types
      .getByRole('row', { name: /nível 3/ })
      .getByRole('cell')
      .last(),
  ).toContainText('4,0000');
  await expectAccessible(page, ['dark']);
});

test('bonuses go to the balance', async ({ page }) => {
  const bodies: unknown[] = [];
  const withdraw = 'POST /bonus/withdraw';
  const state = await stub(page, RANKED, {
    'GET /affiliates/bonus-log': BONUS_LOG,
    [withdraw]: refuse(409, 'request.conflict', 'Isto não é possível agora.'),
  });
  await page.goto('/affiliate-network/bonus-report');
  await page.getByRole('button', { name: 'Sacar bônus' }).click();
  const dialog = page.getByRole('dialog');
  const value = dialog.getByRole('textbox', { name: 'Valor' });
  await value.fill('12,01');
  await expect(dialog.getByRole('button', { name: 'Sacar' })).toBeDisabled();
  await value.fill('7,5');
  await expect(dialog).toContainText('4,50');
  await expectAccessible(page);
  await picture(page, 'affiliates-withdraw');
  await dialog.getByRole('button', { name: 'Sacar' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Falha ao retirar valorIsto não é possível agora.');
  state.answers[withdraw] = (route: Route) => {
    bodies.push(route.request().postDataJSON());
    return route.fulfill({ json: { bonus: '4.500000', transfers: [] } });
  };
  await dialog.getByRole('button', { name: 'Sacar' }).click();
  await expect(page.getByTestId('toast').getByText('7,50 USDT de bônus no saldo.')).toBeVisible();
  expect(bodies).toEqual([{ value: '7.5' }]);
});

test('a bonus that changes is written over its row, and a closing asks anew', async ({ page }) => {
  const state = await stub(page, RANKED, { 'GET /affiliates/bonus-log': BONUS_LOG });
  await page.goto('/affiliate-network/bonus-report');
  const row = page.locator('tr[data-row]').filter({ hasText: 'Indicação, nível 3' });
  await expect(row).toContainText('Na fila do fundo');
  const paid = { ...BONUS_LOG.data[1], paid: '6.000000', waiting: '0.000000', status: 'paid', version: 2 };
  state.answers['GET /affiliates/bonus-log'] = {
    ...BONUS_LOG,
    data: BONUS_LOG.data.map((one, n) => (n === 1 ? paid : one)),
  };
  await state.fact(`user:${RANKED._id}`, 1, { kind: 'bonus.changed', bonus: paid });
  await expect(row).toContainText('Pago');
  state.answers['GET /affiliates/bonus-log'] = {
    ...BONUS_LOG,
    data: [bonus(9, { kind: 'binary', level: 0, source: null }), ...BONUS_LOG.data],
  };
  await state.fact(`user:${RANKED._id}`, 2, {
    kind: 'closing.booked',
    share: { businessDay: '2026-11-20', kind: 'binary', status: 'paid', amount: '25.000000' },
  });
  await expect(page.locator('tr[data-row]').filter({ hasText: 'Binário' })).toHaveCount(2);
});

test('the way to the next rank moves with a closing that pays points and brings no rank', async ({
  page,
}) => {
  const state = await stub(page, RANKED, {
    'GET /affiliates/dashboard': NETWORK,
    'GET /affiliates/graduations': OWN_RANKS,
    'GET /dashboard/paid-by': PAID_BY,
  });
  await page.goto('/affiliate-network/dashboard');
  const card = page.getByRole('region', { name: 'Próxima graduação' });
  await expect(card).toContainText('5.400 de 20.000 pontos');
  const me = state.answers['GET /me'] as { places: object[] };
  const profile = (points: string, progress: number) => ({
    ...me,
    user: { ...RANKED, nextGraduationInfo: { ...RANKED.nextGraduationInfo, points, progress } },
  });
  const share = (seq: number, kind: string, status: string) =>
    state.fact(`user:${RANKED._id}`, seq, {
      kind: 'closing.booked',
      share: { businessDay: '2026-11-20', kind, status, amount: '25.000000', lostReason: null, rank: null },
    });
  const asked = (call: string) => state.calls.filter((one) => one === call).length;
  const [profiles, dashboards] = [asked('GET /me'), asked('GET /affiliates/dashboard')];
  // Neither of these pays points: the profile is left alone.
  await share(1, 'residual', 'paid');
  await share(2, 'binary', 'lost');
  await expect.poll(() => asked('GET /affiliates/dashboard')).toBeGreaterThan(dashboards);
  // Held or not: points whose bonus was earned count.
  let seq = 2;
  for (const [status, points, progress, shown] of [
    ['paid', '5650.000000', 28, '5.650'],
    ['young', '5900.000000', 29, '5.900'],
    ['deferred', '6150.000000', 30, '6.150'],
  ] as const) {
    state.answers['GET /me'] = profile(points, progress);
    await share(++seq, 'binary', status);
    await expect(card).toContainText(`${shown} de 20.000 pontos`);
  }
  expect(asked('GET /me')).toBe(profiles + 3);
});

test('what became of the bonus of each rank stands beside the progress, live', async ({ page }) => {
  const call = 'GET /affiliates/graduations';
  const state = await stub(page, RANKED, {
    'GET /affiliates/dashboard': NETWORK,
    'GET /dashboard/paid-by': PAID_BY,
    [call]: DOWN,
  });
  await page.goto('/affiliate-network/dashboard');
  const failed = page.getByRole('alert').filter({ hasText: 'os bônus das graduações' });
  await expect(failed).toContainText('Não foi possível carregar os bônus das graduações.');
  await state.fromClick(call, OWN_RANKS);
  await failed.getByRole('button', { name: 'Tentar de novo' }).click();
  const ranks = page.getByRole('list', { name: 'Bônus das graduações' }).getByRole('listitem');
  await expect(ranks).toHaveCount(2);
  await expect(ranks.nth(0)).toContainText('250,00');
  await expect(ranks.nth(0)).toContainText('Alcançada em 04/05/2026');
  await expect(ranks.nth(1)).toContainText('Pago em 09/01/2026');
  await expect(ranks.nth(1).getByRole('button', { name: 'Copiar hash' })).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'affiliates-own-ranks');
  const [silver, ...older] = OWN_RANKS.data;
  state.answers[call] = { ...OWN_RANKS, data: [{ ...silver, status: 'sent' }, ...older] };
  const payment = (seq: number, more: object) =>
    state.fact(`user:${RANKED._id}`, seq, {
      kind: 'graduation_bonus.changed',
      payment: { _id: 'p', graduation: silver?._id, transaction: `0x${'ab'.repeat(32)}`, ...more },
    });
  await payment(1, { status: 'sent', completedAt: null });
  await expect(ranks.nth(0).locator('[data-status="sent"]')).toBeVisible();
  // Paid is said by the fact itself.
  await payment(2, { status: 'complete', completedAt: '2026-05-06T12:00:00Z' });
  await expect(ranks.nth(0)).toContainText('Pago em 06/05/2026');
  await expect(ranks.nth(0).getByRole('button', { name: 'Copiar hash' })).toBeVisible();
});

test('the preview of the closing names the residual bonus, and what of it would be lost', async ({
  page,
}) => {
  await stub(page, RANKED, {
    'GET /affiliates/dashboard': NETWORK,
    'GET /affiliates/graduations': OWN_RANKS,
    'GET /dashboard/paid-by': PAID_BY,
  });
  await page.goto('/affiliate-network/dashboard');
  const residual = page
    .locator('section[aria-labelledby="tonight"] dl > div')
    .filter({ hasText: 'Residual' });
  await expect(residual).toContainText('4,25');
  await expect(residual).toContainText('perde 1,50 USDT: ');
});

test('a leg shows what the closing left there, and what stands there now', async ({ page }) => {
  const state = await stub(page, RANKED, { [tree('me')]: TREE });
  await page.goto('/affiliate-network/binary-tree');
  await page.getByRole('button', { name: /^@ana21,/ }).press('Enter');
  const card = page.locator('[data-member="ana21"]');
  await expect(card).toContainText('agora 185');
  await expect(card.getByText(/^agora /)).toHaveCount(1);
  // Who is paid for a sale has its points as well.
  const [me, ana, ...others] = TREE.nodes;
  state.answers[tree('me')] = { ...TREE, nodes: [me, { ...ana, rightNow: '285.000000' }, ...others] };
  await state.fact(`user:${RANKED._id}`, 1, { kind: 'bonus.changed', bonus: BONUS_LOG.data[1] });
  await expect(card).toContainText('agora 285');
});

test('who comes far below stands in the tree within a minute, though nobody is told of it', async ({
  page,
}) => {
  const state = await stub(page, RANKED, { [tree('me')]: TREE });
  await page.goto('/affiliate-network/binary-tree');
  await expect(page.getByRole('button', { name: /^@ana21,/ })).toBeVisible();
  const [, , , , , above, , , , below] = TREE.nodes;
  const come = {
    ...below,
    _id: '01900000-0000-7000-8000-000000000077',
    username: 'novo77',
    parent: above?._id,
  };
  state.answers[tree('me')] = { ...TREE, nodes: [...TREE.nodes, come] };
  await page.clock.fastForward(61_000);
  await expect(page.getByRole('button', { name: /^@novo77,/ })).toBeVisible();
});

test('the binary team stands on the first screen: its place is kept while it comes', async ({ page }) => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await stub(page, RANKED, {
    ...AT_WORK,
    'GET /affiliates/dashboard': async (route: Route) => {
      await asked;
      await route.fulfill({ json: NETWORK });
    },
  });
  await page.goto('/');
  await expect(page.getByTestId('binary-team-loading')).toBeVisible();
  answer();
  await expect(page.getByTestId('binary-team-loading')).toHaveCount(0);
  const team = page.getByRole('region', { name: 'Equipe binária' });
  await expect(team).toContainText('128 membros');
  await expect(team).toContainText('30,00');
  await expectAccessible(page);
  await picture(page, 'affiliates-home');
});

/** The list with the last row's payment as it stands. */
const graduations = (payment: object | null, more: object = {}) => ({
  ...GRADUATION,
  data: GRADUATION.data.map((row) => (row._id === OFFER.graduation ? { ...row, payment, ...more } : row)),
});

test('a rank bonus: to whom and how much before the press, one order, the second person, the hash', async ({
  page,
}) => {
  const sent: { body: unknown; key: string | undefined }[] = [];
  const half = bonusPayment('pending', { approvalsNeeded: 2 });
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/graduation': GRADUATION,
    [PAYING]: OFFER,
    'GET /admin/approvals/preview': { needed: 2, completes: false, given: [] },
    'POST /admin/graduation/pay-bonus': async (route: Route) => {
      const request = route.request();
      sent.push({ body: request.postDataJSON(), key: request.headers()['idempotency-key'] });
      if (sent.length === 1)
        return refuse(422, 'graduation.fund_short', 'O fundo de graduações não cobre este bônus.')(route);
      state.answers['GET /admin/graduation'] = graduations(half);
      await route.fulfill({ json: answered('pending', 'Pedido feito: 1 de 2 pessoas concordaram.') });
    },
  });
  await page.goto('/graduation-list');
  const row = page.locator(`tr[data-row="${OFFER.graduation}"]`);
  await expect(row).toContainText('Pendente');
  await row.click();
  const drawer = page.getByRole('dialog', { name: 'Bônus de Ouro' });
  await expect(drawer.getByText('0x fB69 1609 5ca1 df60 bB79 Ce92 cE3E a74c 37c5 d359')).toBeVisible();
  await expect(drawer.getByText('BNB Smart Chain')).toBeVisible();
  await picture(page, 'graduation-offer-dark');
  await expectAccessible(page);
  await drawer.getByRole('button', { name: 'Pagar bônus' }).click();
  const question = page.getByRole('dialog', { name: 'Pagar este bônus?' });
  await expect(question.getByRole('row', { name: 'Bônus' })).toContainText(/1\.000,00\sUSDT/);
  await expect(question.getByRole('row', { name: 'Rede' })).toContainText('BNB Smart Chain');
  await expect(question.getByText('0x fB69 1609 5ca1 df60 bB79 Ce92 cE3E a74c 37c5 d359')).toBeVisible();
  await expect(question.getByText(/Outra pessoa também precisa aprovar/)).toBeVisible();
  await picture(page, 'graduation-question-dark');
  await expectAccessible(page, ['dark']);
  // What is refused is said in red, and nothing is closed.
  await question.getByRole('button', { name: 'Pagar bônus' }).click();
  await expect(question.getByRole('alert')).toContainText('O fundo de graduações não cobre este bônus.');
  await picture(page, 'graduation-refused-dark');
  await question.getByRole('button', { name: 'Pagar bônus' }).click();
  await expect(
    page.getByTestId('toast').getByText('Pedido feito: 1 de 2 pessoas concordaram.'),
  ).toBeVisible();
  await expect(row).toContainText('1 de 2 aprovações');
  expect(sent.map(({ body }) => body)).toEqual([
    { graduationId: OFFER.graduation },
    { graduationId: OFFER.graduation },
  ]);

  // The second person releases it, or turns it down.
  state.answers['GET /admin/approvals/preview'] = {
    needed: 2,
    completes: true,
    given: [{ _id: 'u2', username: 'bia3' }],
  };
  await row.click();
  await expect(drawer.getByText('1 de 2 aprovações')).toBeVisible();
  await drawer.getByRole('button', { name: 'Recusar' }).click();
  const no = page.getByRole('dialog', { name: 'Recusar este pagamento?' });
  await expect(no.getByRole('button', { name: 'Recusar' })).toBeDisabled();
  await no.getByRole('button', { name: 'Cancelar' }).click();
  await drawer.getByRole('button', { name: 'Liberar pagamento' }).click();
  await expect(question.getByText(/@bia3 já aprovou/)).toBeVisible();
  state.answers['POST /admin/graduation/pay-bonus'] = answered('approved', 'Pagamento liberado.');
  state.answers['GET /admin/graduation'] = graduations(bonusPayment('approved'));
  await question.getByRole('button', { name: 'Liberar pagamento' }).click();
  await expect(page.getByTestId('toast').getByText('Pagamento liberado.')).toBeVisible();
  await expect(row).toContainText('Aprovado');

  // Signed, and final: told, nobody has to ask.
  const HASH = `0x${'cd'.repeat(32)}`;
  const told = async (seq: number, status: string, more: object = {}) => {
    const payment = bonusPayment(status, { transaction: HASH, version: seq + 1 });
    state.answers['GET /admin/graduation'] = graduations(payment, { bonusPaymentHash: HASH, ...more });
    state.answers[PAYING] = { ...OFFER, payment: { ...OFFER, ...payment } };
    await state.fact('queue:graduation-bonuses', seq, {
      kind: 'queue.changed',
      queue: 'graduation-bonuses',
      item: { type: 'graduation_bonus', payment: { ...OFFER, ...payment } },
      pending: 0,
    });
  };
  await told(1, 'sent');
  await expect(row).toContainText('Enviado');
  await told(2, 'complete', { isBonusPaid: true, paidAt: '2026-11-20T12:00:00Z' });
  await expect(row).toContainText('Pago');
  await row.click();
  await expect(drawer.getByRole('link', { name: HASH })).toHaveAttribute(
    'href',
    `https://bscscan.com/tx/${HASH}`,
  );
  await picture(page, 'graduation-paid-dark');
  await expectAccessible(page, ['dark']);
});

test('a rank bonus on a phone: what stands against it is said instead of a press that fails', async ({
  page,
}) => {
  await page.setViewportSize(PHONE);
  await stub(page, ADMINISTRATOR, {
    'GET /admin/graduation': graduations(bonusPayment('failed', { transaction: `0x${'cd'.repeat(32)}` })),
    [PAYING]: refuse(422, 'graduation.wallet_missing', 'O membro ainda não abriu a carteira dele.'),
  });
  await page.goto('/graduation-list');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Falhou' })
    .getByRole('button', { name: 'Abrir' })
    .click();
  const drawer = page.getByRole('dialog', { name: 'Bônus de Ouro' });
  await expect(drawer.getByRole('alert')).toContainText('O membro ainda não abriu a carteira dele.');
  await expect(drawer.getByText(/A rede recusou a transação/)).toBeVisible();
  await expect(drawer.getByRole('button', { name: 'Pagar bônus' })).toHaveAttribute('aria-disabled', 'true');
  await fits(page);
  await picture(page, 'graduation-refusal-phone');
  await expectAccessible(page, ['dark']);
});
