/** Figures on customers' screens: each has one meaning and one source, wherever it stands. */

import { expectAccessible, picture } from '../kit';
import { ACTIVITY, ANALYTICS, event, flows, STATEMENT } from './analyticsFixtures';
import { JUST_NOW } from './clock';
import { AT_WORK, LICENCES, licence, page as list, RESULTS } from './fixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { walk } from './walk';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const AUTOMATIC = licence(1, { allocated: '394.190000', today: '4.003511' });
const BY_HAND = licence(2, {
  allocated: '736.750000',
  today: '2.979889',
  manualKey: true,
  robotStatus: 'manual',
  operations: 9,
});
const PAIR = { ...AT_WORK, 'GET /get-user-licenses': list([AUTOMATIC, BY_HAND]) };
const tile = (page: Page, label: string) =>
  page
    .getByRole('main')
    .getByText(label, { exact: true })
    .locator('xpath=ancestor::*[.//*[@data-value]][1]')
    .first();
const figure = (page: Page, label: string) => tile(page, label).locator('[data-value]').first();

test('today is one figure: on the dashboard, on the robots, and where their line ends', async ({ page }) => {
  const state = await stub(page, CUSTOMER, PAIR);
  await page.goto('/');
  await expect(figure(page, 'Resultado de hoje')).toHaveAttribute('data-value', '6.983400');
  await page.goto('/robots-in-operation');
  const today = figure(page, 'Hoje');
  await expect(today).toHaveAttribute('data-value', '6.983400');
  await expect(figure(page, 'Alocado')).toHaveAttribute('data-value', '1130.940000');
  // The list is a part of them, and says so.
  await expect(page.getByText('+4,00 USDT nos robôs abaixo')).toBeVisible();
  await expect(page.getByText('394,19 USDT nos robôs abaixo')).toBeVisible();
  const line = page.getByRole('img', { name: 'Resultado de hoje em USDT' });
  await expect(line).toHaveAttribute('data-last', '6.9834');
  await picture(page, 'robots-today-dark');
  await expectAccessible(page);
  // A tick of the one that is not in the list moves both.
  await state.fact(`user:${CUSTOMER._id}`, 1, {
    kind: 'robots.settled',
    batch: 'b1',
    mode: 'simulated',
    at: JUST_NOW,
    robots: [
      {
        ...BY_HAND,
        licence: BY_HAND._id,
        today: '3.979889',
        status: 'manual',
        gain: '1.000000',
        loss: '0.000000',
        version: 9,
      },
    ],
  });
  await expect(today).toHaveAttribute('data-value', '7.983400');
  await expect(line).toHaveAttribute('data-last', '7.9834');
  await page.setViewportSize(PHONE);
  await picture(page, 'robots-today-phone');
});

test('at midnight of São Paulo today begins anew, on a screen that nobody touched', async ({ page }) => {
  const rested = {
    ...AT_WORK,
    'GET /get-user-licenses': list([{ ...AUTOMATIC, robotStatus: 'goal_reached' }, BY_HAND]),
  };
  const state = await stub(page, CUSTOMER, rested, '2026-11-24T02:59:00Z');
  await page.goto('/robots-in-operation');
  await expect(figure(page, 'Hoje')).toHaveAttribute('data-value', '6.983400');
  state.answers['GET /get-user-licenses'] = list([
    { ...AUTOMATIC, today: '0.000000', robotStatus: 'operating' },
    { ...BY_HAND, today: '0.000000' },
  ]);
  await page.clock.runFor(75_000);
  await expect(figure(page, 'Hoje')).toHaveAttribute('data-value', '0.000000');
  await expect(page.getByText('Operando')).toBeVisible();
});

test('a robot that joins says so until its minute comes', async ({ page }) => {
  const joining = licence(1, { robotStatus: 'joining', joinsAt: '2026-11-23T15:01:00Z' });
  const answers = { ...AT_WORK, 'GET /get-user-licenses': list([joining]) };
  const state = await stub(page, CUSTOMER, answers, '2026-11-23T15:00:02Z');
  await page.goto('/licences');
  const card = page.getByRole('article', { name: 'Licença 1', exact: true });
  await expect(card.getByText('Entrando')).toBeVisible();
  state.answers['GET /get-user-licenses'] = list([{ ...joining, robotStatus: 'operating', joinsAt: null }]);
  await page.clock.runFor(65_000);
  await expect(card.getByText('Operando')).toBeVisible();
});

test('a licence says what its robot does, in the same word on every screen', async ({ page }) => {
  const words = {
    idle: 'Sem alocação',
    below_minimum: 'Abaixo do mínimo',
    joining: 'Entrando',
    operating: 'Operando',
    manual: 'Operação manual',
    paused: 'Pausado',
    goal_reached: 'Meta atingida',
    ceiling_reached: 'Teto atingido',
    cancelled: 'Cancelado',
    reversed: 'Estornado',
  };
  const state = (status: string) =>
    ['ceiling_reached', 'cancelled', 'reversed'].includes(status) ? status : 'active';
  const all = Object.keys(words).map((robotStatus, at) =>
    licence(at + 1, { robotStatus, state: state(robotStatus), manualKey: robotStatus === 'manual' }),
  );
  await stub(page, CUSTOMER, { ...AT_WORK, 'GET /get-user-licenses': list(all) });
  await page.goto('/licences');
  for (const [at, word] of Object.values(words).entries())
    await expect(
      page.getByRole('article', { name: `Licença ${at + 1}`, exact: true }).locator('[data-status]'),
    ).toHaveText(word);
  await picture(page, 'licences-words-dark');
  await expectAccessible(page);
  const shown = async (path: string, statuses: readonly string[]) => {
    await walk(page, path);
    const badges = page.getByRole('table').last().locator('[data-status]');
    await expect(badges).toHaveCount(statuses.length);
    for (const status of statuses)
      await expect(badges.filter({ hasText: words[status as 'idle'] })).toHaveCount(1);
  };
  await shown('/robots-in-operation', ['joining', 'operating']);
  await shown('/robots-without-operation', [
    'idle',
    'below_minimum',
    'manual',
    'paused',
    'goal_reached',
    'ceiling_reached',
  ]);
  await picture(page, 'robots-off-words-dark');
  await expectAccessible(page);
});

test('bars stand on zero', async ({ page }) => {
  const robots = [
    { ...ANALYTICS.robots[0], number: 1, licence: LICENCES[0]?._id, net: '4.003511' },
    { ...ANALYTICS.robots[0], number: 2, licence: LICENCES[1]?._id, net: '2.979889' },
  ];
  await stub(page, CUSTOMER, { ...AT_WORK, 'GET /dashboard/analytics/30d': { ...ANALYTICS, robots } });
  await page.goto('/dashboard-analytics');
  const chart = page.getByRole('img', { name: 'Resultado por robô' });
  await expect(chart.getByText(/^[\d,.]+$/).first()).toHaveText('0');
  // Bars grow until they stand.
  const ratio = async () => {
    const widths = await chart
      .locator('.recharts-bar-rectangle path')
      .evaluateAll((bars) => bars.map((bar) => (bar as SVGPathElement).getBBox().width));
    return Math.round(((widths[1] ?? 0) / (widths[0] || 1)) * 100) / 100;
  };
  await expect.poll(ratio).toBe(Math.round((2.979889 / 4.003511) * 100) / 100);
  await picture(page, 'bars-dark');
});

test('activity: a line an event, in words of who lived it, and the books one step further', async ({
  page,
}) => {
  const [first] = ACTIVITY.data;
  const [posted, held] = first?.transfers ?? [];
  const movement = (transfer: string | undefined, kind: string, account: string) => ({
    transfer,
    at: first?.at,
    kind,
    mode: null,
    reverses: null,
    reversedBy: null,
    event: {
      kind: 'withdrawal_pix',
      amount: kind === 'hold' ? '0.000000' : '-50.000000',
      moved: null,
      pyx: null,
      licence: null,
    },
    postings: [{ account, licence: null, currency: 'USDT', amount: '-50.000000', balance: '1.000000' }],
    fact: { type: 'pix_withdrawal', brl: '264.22', endToEndId: null },
  });
  await stub(page, CUSTOMER, {
    ...AT_WORK,
    [`GET /statement/${posted}`]: movement(posted, 'hold_posted', 'held'),
    [`GET /statement/${held}`]: movement(held, 'hold', 'available'),
  });
  await page.goto('/');
  const activity = page.getByRole('region', { name: 'Atividade' });
  await expect(activity.getByRole('listitem')).toHaveCount(6);
  const line = (name: string) => activity.getByRole('listitem').filter({ hasText: name });
  await expect(line('Saque PIX')).toContainText('pago');
  await expect(line('Saque PIX').locator('[data-value]')).toHaveText(/-50,00\sUSDT/);
  await expect(line('Saque cripto')).toContainText('em andamento');
  await expect(line('Saque cripto').locator('[data-value]')).not.toHaveAttribute('data-tone');
  await expect(line('Transferência enviada @ana21').locator('[data-value]')).toHaveAttribute(
    'data-tone',
    'down',
  );
  await expect(line('Compra de licença #2').locator('[data-value]')).toHaveAttribute('data-tone', 'down');
  await expect(line('Depósito PIX').locator('[data-value]')).toHaveText(/\+58,80\sUSDT/);
  await expect(activity).not.toContainText('Reserva');
  await picture(page, 'activity-dashboard');
  // By the keyboard to the books, and back.
  await line('Saque PIX').getByRole('button').focus();
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'De onde vem este valor?' });
  await expect(drawer.getByText('2 lançamentos nos livros')).toBeVisible();
  await expect(drawer.getByRole('button', { name: /Valor reservado/ })).toBeVisible();
  await expectAccessible(page, ['dark']);
  await picture(page, 'activity-event');
  await drawer.getByRole('button', { name: /Reserva concluída/ }).click();
  await expect(drawer.getByText('Reservado')).toBeVisible();
  await drawer.getByRole('button', { name: 'Voltar aos movimentos' }).click();
  await expect(drawer.getByText('2 lançamentos nos livros')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
});

test('the statement is the activity, and its ledger a tab further; a day of robots leads there', async ({
  page,
}) => {
  const robots = event(7, 'robot_results', '6.227812', {
    _id: 'results:simulated:2026-11-20',
    mode: 'simulated',
    movements: 132,
    transfers: ['01990000-0000-7000-8000-000000000071', '01990000-0000-7000-8000-000000000072'],
  });
  const { calls } = await stub(page, CUSTOMER, {
    ...AT_WORK,
    'GET /activity': { ...ACTIVITY, data: [robots, ...ACTIVITY.data] },
  });
  await page.goto('/customer/extrato');
  await expect(figure(page, 'Saldo final')).toHaveAttribute('data-value', '383.800000');
  await expect(figure(page, 'Entradas')).toHaveAttribute('data-value', '58.800000');
  await expect(page.getByRole('row', { name: /Resultado dos robôs.*\+6,22/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Saque PIX.*pago.*-50,00/ })).toBeVisible();
  await picture(page, 'activity-dark');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await picture(page, 'activity-phone');
  await expectAccessible(page, ['dark']);
  await page.setViewportSize({ width: 1440, height: 1000 });
  await page.getByRole('row', { name: /Resultado dos robôs/ }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Ver os lançamentos do dia' }).click();
  await expect(page).toHaveURL('/customer/extrato?kind=settlement&startDate=2026-11-20&endDate=2026-11-20');
  await expect(page.getByRole('tab', { name: 'Lançamentos' })).toHaveAttribute('aria-selected', 'true');
  await expect.poll(() => calls.includes('GET /statement')).toBe(true);
  await page.getByRole('tab', { name: 'Atividade' }).click();
  await expect(page).toHaveURL('/customer/extrato');
});

test('the total says what of it is free and what never leaves; what staff read is the same', async ({
  page,
}) => {
  const balance = (account: string, value: string) => ({ account, balance: value, version: 9 });
  const balances = [
    balance('available', '400.000000'),
    balance('held', '50.000000'),
    balance('sponsored', '25.000000'),
  ];
  const spent = licence(1, {
    price: '100.000000',
    topup: '150.000000',
    allocated: '700.000000',
    yield: '1.220000',
  });
  await stub(
    page,
    { ...CUSTOMER, balances },
    {
      ...AT_WORK,
      'GET /get-user-licenses': list([spent]),
      'GET /dashboard/my-results': {
        myResults: { ...RESULTS.myResults, available: '400.000000', sponsored: '40.000000' },
      },
    },
  );
  await page.goto('/');
  // 400 + 50 + 25 + 150 + 700 + 1.22: what is sponsored is in it, what was paid for a licence is not.
  await expect(figure(page, 'Saldo total')).toHaveAttribute('data-value', '1326.220000');
  await expect(tile(page, 'Saldo total')).toContainText(/Disponível\s*400,00/);
  await expect(tile(page, 'Saldo total')).toContainText(/Patrocinado\s*40,00/);
  await expect(page.getByText('Entradas menos saídas').first()).toBeVisible();
  await expect(page.getByText('Investido', { exact: true })).toHaveCount(0);
});

test('the statement: entries came from outside, the rest is named', async ({ page }) => {
  const whole = {
    ...STATEMENT,
    closing: '2397.000000',
    flows: flows({ entries: '2500.000000', exits: '5.000000', licences: '-100.000000', results: '2.000000' }),
  };
  const single = {
    ...whole,
    flows: flows({ own: '50.000000' }),
    credits: '400.000000',
    debits: '350.000000',
  };
  await stub(page, CUSTOMER, {
    ...AT_WORK,
    'GET /statement': (route: Route) =>
      route.fulfill({ json: route.request().url().includes('account=') ? single : whole }),
  });
  await page.goto('/customer/extrato?view=ledger');
  await expect(figure(page, 'Entradas')).toHaveAttribute('data-value', '2500.000000');
  await expect(figure(page, 'Saídas')).toHaveAttribute('data-value', '5.000000');
  const others = page.getByRole('region', { name: 'O que mais mudou o saldo' });
  await expect(others.locator('[data-value]')).toHaveCount(2);
  await expect(others.getByText('Licenças')).toBeVisible();
  await picture(page, 'statement-dark');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await picture(page, 'statement-phone');
  await expectAccessible(page, ['dark']);
  await page.setViewportSize({ width: 1440, height: 1000 });
  await page.goto('/customer/extrato?account=topup');
  await expect(figure(page, 'Créditos')).toHaveAttribute('data-value', '400.000000');
  await expect(others).toHaveCount(0);
});

test('what one owns counts a pool from the moment that one joins it', async ({ page }) => {
  const state = await stub(page, CUSTOMER, PAIR);
  await page.goto('/');
  await expect(figure(page, 'Saldo total')).toHaveAttribute('data-value', '49823.335814');
  const of = (pools: string) => ({ myResults: { ...RESULTS.myResults, pools } });
  state.answers['GET /dashboard/my-results'] = of('500.000000');
  await state.fact(`user:${CUSTOMER._id}`, 1, { kind: 'pool.changed', entry: {} });
  await expect(figure(page, 'Saldo total')).toHaveAttribute('data-value', '50323.335814');
});

test('what could not be loaded is no zero, and another mode’s result is not this one’s', async ({ page }) => {
  const down = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
  const state = await stub(page, CUSTOMER, { ...AT_WORK, 'GET /get-user-licenses': down });
  for (const [path, label] of [
    ['/licences', 'Aportado'],
    ['/robots-in-operation', 'Hoje'],
  ] as const) {
    await walk(page, path);
    await expect(page.getByRole('button', { name: 'Tentar de novo' }).first()).toBeVisible();
    const card = page.getByRole('main').getByText(label, { exact: true }).locator('xpath=ancestor::*[4]');
    await expect(card).toContainText('–');
    await expect(card).not.toContainText('0,00');
  }
  let answer: (() => void) | undefined;
  state.answers = {
    ...state.answers,
    ...PAIR,
    'GET /dashboard/my-results': RESULTS,
    'GET /dashboard/analytics/30d': async (route: Route) => {
      if (!route.request().url().includes('mode=paper'))
        return route.fulfill({ json: { ...ANALYTICS, modes: ['simulated', 'paper'] } });
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      const days = [{ ...ANALYTICS.days[0], day: '2026-11-20', net: '-0.500000' }];
      await route.fulfill({ json: { ...ANALYTICS, mode: 'paper', modes: ['simulated', 'paper'], days } });
    },
  };
  await walk(page, '/');
  await expect(figure(page, 'Resultado de hoje')).toHaveAttribute('data-value', '6.983400');
  await page.getByText('PAPEL', { exact: true }).click();
  await expect.poll(() => answer !== undefined).toBe(true);
  await expect(
    page
      .getByText('Resultado de hoje', { exact: true })
      .locator('xpath=ancestor::*[3]')
      .locator('[data-value]'),
  ).toHaveCount(0);
  answer?.();
  await expect(figure(page, 'Resultado de hoje')).toHaveAttribute('data-value', '-0.500000');
});

test('the limit of a licence names what uses it: what is topped up and what is allocated', async ({
  page,
}) => {
  const one = licence(1, { topup: '100.000000', allocated: '598.240000' });
  await stub(page, CUSTOMER, { ...AT_WORK, 'GET /get-user-licenses': list([one]) });
  await page.goto('/licences');
  const card = page.getByRole('article').first();
  await expect(card.getByText('Limite usado (aportado + alocado)')).toBeVisible();
  await expect(card.locator('[data-value="698.240000"]').first()).toBeVisible();
  await expect(card.locator('[data-value="598.240000"]').first()).toBeVisible();
  // No other figure is called an allocation.
  await expect(card.getByText(/Alocação/)).toHaveCount(0);
});
