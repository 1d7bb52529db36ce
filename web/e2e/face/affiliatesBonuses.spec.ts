/** Bonuses: where each came from, what became of it, and what they cost the house. */

import { expectAccessible, fits, picture } from '../kit';
import {
  BONUS_LOG,
  BONUS_REPORT,
  bonus,
  bonusPath,
  DEFERRED,
  MATCHED,
  PAYOUT,
  SOLD,
  sales,
} from './affiliatesBonusFixtures';
import { LOST_POINTS, NETWORK, OWN_RANKS, RANKED } from './affiliatesFixtures';
import { PAID_BY, PAID_NOTHING } from './analyticsFixtures';
import { AT_WORK } from './fixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');

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

test('what came of each day stands above the bonuses, and what each closing lost above its points', async ({
  page,
}) => {
  await stub(page, ADMINISTRATOR, {
    'GET /affiliates/bonus-log': BONUS_LOG,
    'GET /admin/bonus-report': BONUS_REPORT,
    'GET /admin/binary-lost-points-report': LOST_POINTS,
  });
  for (const [path, title, lines] of [
    [
      '/affiliate-network/bonus-report',
      'Recebido por dia',
      [/19\/11\/2026.*2.*32,00/, /18\/11\/2026.*0.*0,00/],
    ],
    ['/bonus-report', 'Recebido por dia', [/19\/11\/2026.*2.*32,00/, /18\/11\/2026.*0.*0,00/]],
    ['/binary-report', 'Pontos perdidos por dia', [/19\/11\/2026.*6.*2\.100/, /18\/11\/2026.*0.*0/]],
  ] as const) {
    await page.goto(path);
    const days = page.getByRole('region', { name: title });
    await days.getByRole('button', { name: 'Ver como tabela' }).click();
    // The heading, and every day from the first to the last.
    await expect(days.getByRole('row')).toHaveCount(path === '/binary-report' ? 5 : 4);
    for (const [n, line] of lines.entries()) await expect(days.getByRole('row').nth(n + 1)).toHaveText(line);
    await expectAccessible(page, ['dark']);
  }
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
