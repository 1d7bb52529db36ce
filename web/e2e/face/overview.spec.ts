/** The administration's overview: queues with their age, solvency, where prices and blocks come from. */

import { expectAccessible, fits, picture, wear } from '../kit';
import { ago, HOUR, holdTime, JUST_NOW } from './clock';
import { ADMINISTRATOR, refuse, stub, waiting } from './stub';
import { expect, test } from './window';

const hours = (count: number) => ago(count * HOUR);
const queue = (pending: number, oldest: string | null, more: object = {}) => ({
  data: [],
  meta: { page: 1, limit: 1, total: 0, lastPage: 1 },
  pending,
  oldest,
  ...more,
});
const SOLVENCY = {
  asOf: JUST_NOW,
  chainReadAt: JUST_NOW,
  owed: [
    { account: 'available', usdt: '900.000000' },
    { account: 'held', usdt: '60.000000' },
    { account: 'held_orders', usdt: '40.000000' },
  ],
  owedTotal: '1000.000000',
  held: [{ place: 'hot', currency: 'USDT', amount: '1042.000000', usdt: '1042.000000' }],
  heldTotal: '1042.000000',
  coverage: '104.20',
  fx: [],
  fxTotal: '0.000000',
  sponsored: '0.000000',
  receivable: '0.000000',
  capital: '0.000000',
  house: '42.000000',
  modes: { simulated: '12.000000', paper: '0.000000', live: '0.000000' },
  pyx: {
    free: '20.000000',
    locked: '70.000000',
    held: '5.000000',
    owed: '95.000000',
    issued: '100.000000',
    withdrawn: '5.000000',
    onChain: '1000.000000',
  },
  declared: [
    {
      _id: '018f0000-0000-7000-8000-00000000d001',
      place: 'Kraken',
      value: '2500.000000',
      note: 'Extrato de hoje',
      status: 'standing',
      approvals: 1,
      approvalsNeeded: 1,
      declaredBy: '018f0000-0000-7000-8000-00000000d009',
      username: 'biaprado',
      rejectedReason: null,
      created_at: JUST_NOW,
    },
    {
      _id: '018f0000-0000-7000-8000-00000000d002',
      place: 'Cofre',
      value: '9000.000000',
      note: 'Contagem de ontem',
      status: 'pending',
      approvals: 1,
      approvalsNeeded: 2,
      declaredBy: '018f0000-0000-7000-8000-00000000d009',
      username: 'biaprado',
      rejectedReason: null,
      created_at: JUST_NOW,
    },
  ],
  declaredTotal: '2500.000000',
};
const DAYS = Array.from({ length: 30 }, (_, n) => ({
  day: `2026-${n < 8 ? '10' : '11'}-${String(n < 8 ? n + 24 : n - 7).padStart(2, '0')}`,
  inPix: n === 29 ? '1500.000000' : '0.000000',
  inChain: n % 5 ? '0.000000' : '800.000000',
  outPix: n % 7 ? '0.000000' : '120.000000',
  outChain: '0.000000',
  registered: n % 3,
  licencesSold: n % 2,
}));
const GENERAL = {
  asOf: JUST_NOW,
  people: { all: 1240, active: 1231, unconfirmed: 12, today: 7, last7Days: 41, last30Days: 160 },
  licences: {
    active: 310,
    value: '214000.000000',
    topup: '40100.000000',
    allocated: '51200.000000',
    plans: [
      { price: '1000.000000', isHighRisk: false, active: 180, value: '180000.000000' },
      { price: '500.000000', isHighRisk: true, active: 68, value: '34000.000000' },
    ],
  },
  robots: {
    mode: 'simulated',
    working: 200,
    paused: 30,
    idle: 80,
    manual: 4,
    today: [
      { mode: 'simulated', gain: '420.000000', loss: '20.500000', operations: 1800, robots: 190 },
      { mode: 'live', gain: '9999.000000', loss: '0.000000', operations: 1, robots: 1 },
    ],
  },
  days: DAYS,
  queues: [{ queue: 'pix_deposits', pending: 3, oldest: hours(5) }],
  coverage: { held: '1042.000000', owed: '1000.000000', coverage: '104.20' },
  payout: {
    ceiling: '60',
    sums: {
      licences: '100.000000',
      fees: '10.000000',
      revenue: '110.000000',
      bonuses: '20.000000',
      graduations: '0.000000',
      ratio: '18.18',
    },
    over: false,
    alertSince: null,
  },
  health: { signing: true, jobsDue: 2, jobsSince: null, jobsParked: 1, mailsDue: 0, desk: true },
};
const ANSWERS = {
  'GET /admin/general-view': GENERAL,
  'GET /admin/waiting': waiting({
    pix_deposits: [3, 3, hours(5)],
    pix_withdrawals: [1, 1, hours(60)],
    cases: [2, 0, hours(1)],
    sponsorship: [1, 0, hours(2)],
  }),
  'GET /admin/solvency': SOLVENCY,
  'GET /admin/list-deposits-pix-approve-reject': queue(3, hours(5)),
  'GET /admin/list-withdraw-pix-approve-reject': queue(1, hours(60)),
  'GET /admin/crypto-withdrawal-list': queue(0, null),
  'GET /admin/compliance/cases': queue(2, hours(1)),
  'GET /admin/all-crypto-deposits-list': queue(0, null, {
    watcher: { scanned: 1200, confirmed: 1186, halted: null, aliveAt: hours(0) },
  }),
};

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
  // The result is that of the mode in which the desk works, and says so.
  const today = house.getByTestId('stat-tile').filter({ hasText: 'Resultado de hoje' });
  await expect(today).toContainText('399,50');
  await expect(today).toContainText('SIMULADO');
  await expect(house.getByRole('link', { name: /Bônus sobre receita/ })).toHaveAttribute(
    'href',
    '/payout-report',
  );
  const health = page.getByRole('region', { name: 'Saúde' });
  await expect(health.getByTestId('health-jobs')).toContainText('1 tarefa desistiu');
  await expect(health.getByTestId('health-desk')).toHaveAttribute('data-good', 'true');
  await expect(page.getByText('Dinheiro que entrou e saiu')).toBeVisible();
  await picture(page, 'overview-house');
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
