/** The administration's overview: queues with their age, solvency, where prices and blocks come from. */

import { expectAccessible, fits, picture, wear } from '../kit';
import { holdTime } from './clock';
import { ANSWERS, DAYS, GENERAL, hours, SOLVENCY } from './overviewFixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, test } from './window';

test('what waits and since when; what prices and blocks come from', async ({ page }) => {
  await stub(page, ADMINISTRATOR, {
    ...ANSWERS,
    'GET /admin/feeds': {
      feed: 'simulated',
      mode: 'simulated',
      running: true,
      venues: [
        { venue: 'Aurora', connected: true, quotesPerSecond: 120 },
        { venue: 'Boreal', connected: false, quotesPerSecond: 0 },
      ],
    },
  });
  await page.goto('/administrator/dashboard');
  const queues = page.getByRole('region', { name: 'Filas' });
  await expect(queues.getByText(/O mais antigo espera há 5 h/)).toBeVisible();
  await expect(queues.getByTestId('old-queue')).toBeVisible();
  // What waits for a second person is here too; a queue that is seldom used only while something waits there.
  await expect(queues.getByRole('link', { name: /Patrocínios/ })).toHaveAttribute(
    'href',
    '/add-remove-balance',
  );
  await expect(queues.getByText('Rodadas de PYX')).toHaveCount(0);
  await expect(page.getByText('1 de 2 corretoras conectadas')).toBeVisible();
  await expect(page.getByText('Bloco 1.200; 14 ainda sem confirmações suficientes')).toBeVisible();
  await picture(page, 'overview');
  await expectAccessible(page);
});

test('the house in figures: what they are of, and where they lead', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, ANSWERS);
  await page.goto('/administrator/dashboard');
  const house = page.getByRole('region', { name: 'Números da casa' });
  await expect(house.getByText('1.240')).toBeVisible();
  await expect(house.getByText('7 hoje, 41 em 7 dias')).toBeVisible();
  // A result is of one mode, and says so: there are as many as modes that have one.
  const today = house.getByTestId('stat-tile').filter({ hasText: 'Resultado de hoje' });
  await expect(today).toHaveCount(2);
  await expect(today.filter({ hasText: 'SIMULADO' })).toContainText('399,50');
  await expect(today.filter({ hasText: 'SIMULADO' })).toContainText('1.800 operações, 190 robôs');
  await expect(today.filter({ hasText: 'REAL' })).toContainText('9.999,00');
  // Both lead to the robots that they are of, and are read in that mode there.
  await expect(today.filter({ hasText: 'REAL' })).toHaveAttribute(
    'href',
    '/administrator/robots?mode=live&sortby=today',
  );
  await expect(house.getByRole('link', { name: /^Robôs trabalhando/ })).toHaveAttribute(
    'href',
    '/administrator/robots?status=working',
  );
  await expect(house.getByRole('link', { name: /Em trabalho/ })).toHaveAttribute(
    'href',
    '/crypto-deposits-list?status=active',
  );
  await expect(house.getByRole('link', { name: /Bônus sobre receita/ })).toHaveAttribute(
    'href',
    '/payout-report',
  );
  await expect(house.getByRole('link', { name: /E-mail sem confirmação/ })).toHaveAttribute(
    'href',
    '/administrator/users/list?emailConfirmed=false',
  );
  await expect(house.getByRole('link', { name: /Contas inativas/ })).toHaveAttribute(
    'href',
    '/administrator/users/list?status=inactive',
  );
  // What is read anew now and then is not called live.
  await expect(page.getByRole('main').getByText('Ao vivo')).toHaveCount(1);
  await expect(page.getByRole('region', { name: 'Filas' }).getByText('Ao vivo')).toBeVisible();
  const health = page.getByRole('region', { name: 'Saúde' });
  await expect(health.getByTestId('health-jobs')).toContainText('1 tarefa desistiu');
  await expect(health.getByTestId('health-closings')).toContainText('2 contas já deveriam estar encerradas');
  await expect(health.getByTestId('health-desk')).toHaveAttribute('data-good', 'true');
  await expect(page.getByText('Dinheiro que entrou e saiu')).toBeVisible();
  await picture(page, 'overview-house');
  // As a table too: what left is below zero, and each figure leads to the rows that it is made of.
  await expect(page.getByRole('img', { name: 'Há quanto tempo as filas esperam' })).toBeVisible();
  await page.getByRole('button', { name: 'Ver como tabela' }).nth(1).click();
  const days = page.getByRole('table', { name: 'Dinheiro que entrou e saiu' });
  await expect(days.getByRole('columnheader', { name: 'Saldo do dia' })).toBeVisible();
  const { day } = DAYS.at(-1) ?? { day: '' };
  const newest = days.getByRole('row').nth(1);
  await expect(newest.getByRole('link').first()).toHaveAttribute(
    'href',
    `/deposits-pix-approve-reject?tab=all&startDate=${day}&endDate=${day}`,
  );
  await expect(newest.getByRole('link')).toHaveCount(4);
  await page.getByRole('button', { name: 'Ver como tabela' }).nth(1).click();
  const coming = page.getByRole('table', { name: 'Cadastros e licenças vendidas' });
  await expect(coming.getByRole('row').nth(1).getByRole('link').first()).toHaveAttribute(
    'href',
    `/administrator/users/list?startDate=${day}&endDate=${day}`,
  );
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await fits(page);
  await picture(page, 'overview-house-phone');
  state.answers['GET /admin/general-view'] = {
    ...GENERAL,
    days: DAYS.map((d) => ({ ...d, inPix: '0.000000', inChain: '0.000000', outPix: '0.000000' })),
  };
  await page.reload();
  await expect(page.getByText('Nada entrou nem saiu nos últimos 30 dias.')).toBeVisible();
  state.answers['GET /admin/general-view'] = refuse(
    500,
    'service.internal',
    'Algo deu errado. Tente de novo.',
  );
  await page.reload();
  await expect(page.getByRole('button', { name: 'Tentar de novo' })).toBeVisible();
});

test('how long each queue waits: the longest first, tickets among them', async ({ page }) => {
  await stub(page, ADMINISTRATOR, {
    ...ANSWERS,
    'GET /admin/general-view': { ...GENERAL, tickets: { pending: 4, oldest: hours(20) } },
    'GET /support/list-tickets-all/': {
      data: [],
      meta: { page: 1, limit: 1, total: 4, lastPage: 4 },
    },
  });
  await page.goto('/administrator/dashboard');
  const queues = page.getByRole('region', { name: 'Filas' });
  await expect(queues.getByRole('link', { name: /Chamados/ })).toContainText('O mais antigo espera há 20 h');
  await queues.getByRole('button', { name: 'Ver como tabela' }).click();
  const rows = queues.getByRole('table', { name: 'Há quanto tempo as filas esperam' }).getByRole('row');
  await expect(rows).toHaveText([
    /Fila/,
    /Saques PIX\s*–\s*60/,
    /Chamados\s*20\s*–/,
    /Depósitos PIX\s*5\s*–/,
    /Patrocínios\s*2\s*–/,
    /Casos de conformidade\s*1\s*–/,
  ]);
  await expect(rows.nth(1).getByRole('link').first()).toHaveAttribute('href', '/pix-withdrawal-list');
  await expectAccessible(page);
});

test('a press on a bar leads to the rows of its day', async ({ page }) => {
  await stub(page, ADMINISTRATOR, ANSWERS);
  await page.goto('/administrator/dashboard');
  const chart = page.getByRole('img', { name: 'Dinheiro que entrou e saiu' });
  await chart.locator('.recharts-bar-rectangle path').first().click();
  await expect(page).toHaveURL(
    /\/deposits-pix-approve-reject\?tab=all&startDate=(\d{4}-\d\d-\d\d)&endDate=\1$/,
  );
});

test('who sees the dashboard and decides nothing sees what waits as well', async ({ page }) => {
  const only = (subject: string) => ({ action: 'read', subject });
  const employee = {
    ...ADMINISTRATOR,
    roles: [
      { _id: 'r2', name: 'system_employee', permissions: ['registered-user', 'admin_dashboard'].map(only) },
    ],
  };
  await stub(page, employee, ANSWERS);
  await page.goto('/administrator/dashboard');
  const queues = page.getByRole('region', { name: 'Filas' });
  await expect(queues.getByText(/O mais antigo espera há 5 h/)).toBeVisible();
  await expect(queues.getByRole('link')).toHaveCount(0);
  const house = page.getByRole('region', { name: 'Números da casa' });
  await expect(house.getByText('18,18%')).toBeVisible();
  await expect(house.getByRole('link', { name: /Bônus sobre receita/ })).toHaveCount(0);
});

test('what is held for withdrawals stands apart from what orders of PYX hold', async ({ page }) => {
  await stub(page, ADMINISTRATOR, ANSWERS);
  await page.goto('/administrator/dashboard');
  await expect(page.getByRole('row', { name: /Guardado em saques/ })).toContainText('60,0000');
  await expect(page.getByRole('row', { name: /Guardado em ordens de PYX/ })).toContainText('40,0000');
});

test('PYX that people left to the house stand on a line of their own', async ({ page }) => {
  await stub(page, ADMINISTRATOR, ANSWERS);
  await page.goto('/administrator/dashboard');
  await expect(page.getByTestId('pyx-left')).toContainText('2,0000');
  await expect(page.getByTestId('pyx-owed')).toContainText('102,0000');
});

test('a server that tells nothing of its feeds shows none', async ({ page }) => {
  await stub(page, ADMINISTRATOR, ANSWERS);
  await page.goto('/administrator/dashboard');
  await expect(page.getByText('Última leitura da blockchain')).toBeVisible();
  await expect(page.getByText(/cotações\/s/)).toHaveCount(0);
});

test('a declaration somewhere else is here at once', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, ANSWERS);
  await page.goto('/administrator/dashboard');
  const declared = page.getByRole('region', { name: 'Declarado pela equipe' });
  await expect(declared.getByTestId('declared-pending')).toContainText('Cofre');
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  // Time stands: the panel, which also asks by itself now and then, does not.
  await holdTime(page);
  // Another person agreed, in another browser.
  state.answers['GET /admin/solvency'] = {
    ...SOLVENCY,
    declared: SOLVENCY.declared.map((row) => ({ ...row, status: 'standing', approvals: 2 })),
    declaredTotal: '11500.000000',
  };
  await state.fact('queue:settings', 1, {
    kind: 'declared_holding.changed',
    declaration: SOLVENCY.declared[1]?._id,
    place: 'Cofre',
    value: '9000.000000',
    status: 'standing',
  });
  // In steps that stay, taken together, below the panel's own pause.
  await expect(async () => {
    await page.clock.runFor(20);
    await expect(declared.getByTestId('declared-standing')).toHaveCount(2, { timeout: 1 });
  }).toPass({ intervals: [100], timeout: 60_000 });
  await expect(declared.getByTestId('declared-pending')).toHaveCount(0);
});

test('on a phone what we hold is a list, and nothing scrolls sideways', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await stub(page, ADMINISTRATOR, {
    ...ANSWERS,
    'GET /admin/solvency': {
      ...SOLVENCY,
      owed: [
        { account: 'available', usdt: '1234567.123456' },
        { account: 'pool_principal', usdt: '12345678.900000' },
      ],
      held: [
        { place: 'hot', currency: 'USDT', amount: '1234567.123456', usdt: '1234567.123456' },
        { place: 'deposits', currency: 'BNB', amount: '1234.123456789012345678', usdt: '789012.500000' },
        { place: 'pix', currency: 'BRL', amount: '98765432.10', usdt: null },
      ],
    },
  });
  await page.goto('/administrator/dashboard');
  const solvency = page.getByRole('region', { name: 'Solvência' });
  const held = solvency.getByRole('list', { name: 'O que temos' });
  await expect(held.getByRole('listitem')).toHaveCount(3);
  await expect(held.getByRole('listitem').first()).toContainText('1.234.567,12');
  await expect(solvency.getByRole('list', { name: 'Declarado pela equipe' })).toContainText('Kraken');
  await expect(solvency.getByRole('button', { name: 'Concordar' })).toBeVisible();
  const wider = () =>
    solvency.evaluate((section) =>
      [...section.querySelectorAll('*')]
        .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
        .filter((one) => getComputedStyle(one).overflowX !== 'visible')
        .map((one) => one.className),
    );
  await expect.poll(wider).toEqual([]);
  await fits(page);
  await picture(page, 'overview-phone-dark');
  await expectAccessible(page);
  await wear(page, 'light');
  await picture(page, 'overview-phone-light');
});

for (const width of [390, 1280, 1440])
  test(`a large figure stays within its tile, ${width} wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    const much = '123456789.120000';
    await stub(page, ADMINISTRATOR, {
      ...ANSWERS,
      'GET /admin/solvency': { ...SOLVENCY, owedTotal: much, heldTotal: much, fxTotal: '-1234567.890000' },
    });
    await page.goto('/administrator/dashboard');
    const figures = page.getByRole('main').locator('[data-testid="stat-tile"] [data-value]');
    await expect(figures.first()).toBeVisible();
    await expect(page.getByRole('main').locator('.mantine-Skeleton-root')).toHaveCount(0);
    const outside = () =>
      figures.evaluateAll(
        (all) =>
          all.filter((one) => {
            const tile = one.closest('[data-testid="stat-tile"]')?.getBoundingClientRect();
            const figure = one.getBoundingClientRect();
            return !tile || figure.right > tile.right - 4 || figure.left < tile.left;
          }).length,
      );
    await expect.poll(outside).toBe(0);
    await picture(page, `overview-${width}`);
  });
