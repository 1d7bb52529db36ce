/** One's own hand and other people's robots: manual operations, copying, leaders; what staff see of it. */

import { expectAccessible, fits, picture } from '../kit';
import { ahead, JUST_NOW, SECOND } from './clock';
import { AT_WORK, LICENCES, licence, page as list } from './fixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, type Stub, stub } from './stub';
import { expect, test } from './window';

const PHONE = { width: 390, height: 844 };
const ROUTE = 'USDT → BTC (Aurora) → USDT (Boreal)';
const EMPTY = 'USDT → SOL (Cetus) → USDT (Aurora)';
const OTHER = 'USDT → ETH (Cetus) → USDT (Aurora)';
const ROBOT = licence(1, { manualKey: true, robotStatus: 'manual' });
const ORDER = {
  _id: '018f0000-0000-7000-8000-0000000000e1',
  licence: ROBOT._id,
  route: ROUTE,
  state: 'asked',
  reason: null,
  volume: null,
  result: null,
  unwound: false,
  mode: null,
  begun: false,
  askedAt: JUST_NOW,
  until: ahead(60 * SECOND),
  closedAt: null,
};
const ready = (more: object = {}) => ({
  licence: ROBOT._id,
  ready: true,
  refusal: null,
  nextAt: null,
  maximum: '105.025000',
  minimumEdge: '0.0500',
  minimumVolume: '1.000000',
  orders: [],
  ...more,
});
const BY_HAND = { ...AT_WORK, 'GET /get-user-licenses': list([ROBOT]) };

const glimpse = (state: Stub, route: string, edge: string, size = '812.300000') =>
  state.glimpse(`opportunity:${route}`, { kind: 'opportunity', route, edge, size, ageMs: 412 });

test('an order by hand waits for its opportunity; a minute passes before the next', async ({ page }) => {
  const state = await stub(page, CUSTOMER, { ...BY_HAND, 'GET /trader/manual': ready() });
  await page.goto('/robots-without-operation');
  await page.getByRole('button', { name: 'Operar', exact: true }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('Nenhuma oportunidade neste momento.')).toBeVisible();
  // The desk tells what is open again and again.
  const telling = setInterval(() => {
    glimpse(state, ROUTE, '0.1312');
    glimpse(state, OTHER, '0.0421');
    glimpse(state, EMPTY, '0.1821', '0.400000');
  }, 200);
  try {
    const row = drawer.locator(`[data-route="${ROUTE}"]`);
    await expect(row).toContainText('0,1312%');
    // An order waits on a route, whatever is there now.
    for (const route of [OTHER, EMPTY])
      await expect(
        drawer.locator(`[data-route="${route}"]`).getByRole('button', { name: 'Esperar aqui' }),
      ).not.toHaveAttribute('aria-disabled', 'true');
    // What this robot would let pass says so before one waits for it.
    const below = 'Abaixo do mínimo deste robô (0,0500%)';
    await expect(drawer.locator(`[data-route="${OTHER}"]`)).toContainText(below);
    await expect(row).not.toContainText(below);
    await picture(page, 'manual');
    await expectAccessible(page);
    state.answers['POST /trader/manual'] = ORDER;
    state.answers['GET /trader/manual'] = ready({
      ready: false,
      refusal: 'manual.open',
      orders: [ORDER],
    });
    await row.getByRole('button', { name: 'Esperar aqui' }).click();
    await expect(drawer.locator(`li[data-order="${ORDER._id}"]`)).toContainText('Aguardando');
    const standing = drawer.locator(`[data-standing="${ORDER._id}"]`);
    await expect(standing).toContainText('Sua ordem espera a oportunidade.');
    await expect(standing.getByRole('timer')).toHaveText(/^(1:00|0:[0-5]\d)$/);
    await picture(page, 'manual-standing');
    await expectAccessible(page);
    // Taken back, it says so, and the next may be given at once.
    const canceled = { ...ORDER, state: 'refused', reason: 'canceled' };
    state.answers[`POST /trader/manual/${ORDER._id}/cancel`] = canceled;
    state.answers['GET /trader/manual'] = ready({ orders: [canceled] });
    await standing.getByRole('button', { name: 'Cancelar ordem' }).click();
    await expect(drawer.getByText('Cancelada por você.')).toBeVisible();
    const NEXT = { ...ORDER, _id: `${ORDER._id.slice(0, -1)}3`, route: null };
    state.answers['POST /trader/manual'] = NEXT;
    state.answers['GET /trader/manual'] = ready({
      ready: false,
      refusal: 'manual.open',
      orders: [NEXT, canceled],
    });
    await drawer.getByRole('button', { name: 'Pegar a próxima oportunidade' }).click();
    await expect(drawer.locator(`[data-standing="${NEXT._id}"]`)).toContainText('Qualquer rota');
    await state.fact(`user:${CUSTOMER._id}`, 1, { kind: 'robot.manual', order: { ...NEXT, begun: true } });
    await expect(drawer.getByText('Sua ordem está sendo executada.')).toBeVisible();
    const done = {
      ...NEXT,
      route: ROUTE,
      begun: true,
      state: 'done',
      volume: '105.000000',
      result: '0.131200',
      mode: 'simulated',
    };
    const earlier = (n: number, more: object) => ({
      ...ORDER,
      _id: `${ORDER._id.slice(0, -1)}${n}`,
      ...more,
    });
    const unwound = earlier(4, {
      state: 'done',
      unwound: true,
      volume: '60.000000',
      result: '-0.280000',
      mode: 'simulated',
    });
    state.answers['GET /trader/manual'] = ready({
      ready: false,
      refusal: 'manual.wait',
      nextAt: ahead(41 * SECOND),
      orders: [
        done,
        earlier(2, { state: 'refused', reason: 'taken' }),
        unwound,
        earlier(5, { state: 'nothing' }),
      ],
    });
    await state.fact(`user:${CUSTOMER._id}`, 2, { kind: 'robot.manual', order: done });
    await expect(drawer.getByRole('timer')).toHaveText(/^0:[0-4]\d$/);
    await expect(drawer.getByText('Não sobrou volume nas oportunidades.')).toBeVisible();
    await expect(drawer.locator(`li[data-order="${done._id}"]`)).toContainText('105,00');
    const back = drawer.locator(`li[data-order="${unwound._id}"]`);
    await expect(back).toContainText('Uma perna falhou');
    await expect(back).toContainText('Desfeito');
    await expect(drawer.locator('li[data-order]')).toHaveCount(3);
    await drawer.getByRole('button', { name: 'Mostrar as 4 últimas' }).click();
    await expect(drawer.locator('li[data-order]')).toHaveCount(4);
    await expect(row.getByRole('button', { name: 'Esperar aqui' })).toHaveAttribute('aria-disabled', 'true');
    await picture(page, 'manual-done');
    await page.setViewportSize(PHONE);
    await fits(page);
    await picture(page, 'manual-phone');
    await expectAccessible(page, ['dark']);
  } finally {
    clearInterval(telling);
  }
  // What is no longer told is over, and says so before it goes.
  await expect(drawer.getByText('Nenhuma oportunidade neste momento.')).toBeVisible();
  expect(state.calls.filter((call) => call === 'POST /trader/manual')).toHaveLength(2);
});

test('why one may not operate by hand, and what cannot be loaded', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...BY_HAND,
    'GET /trader/manual': ready({ ready: false, refusal: 'manual.no_topup' }),
  });
  await page.goto(`/robots-without-operation?robot=${ROBOT._id}`);
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('Faça um aporte nesta licença')).toBeVisible();
  state.answers['GET /trader/manual'] = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
  await page.reload();
  await expect(drawer.getByRole('button', { name: 'Tentar de novo' })).toBeVisible();
  await expectAccessible(page, ['dark']);
  state.answers['GET /trader/manual'] = ready({ ready: false, refusal: 'manual.revoked' });
  state.answers['GET /get-user-licenses'] = list([{ ...ROBOT, manualKey: false, manualRevoked: true }]);
  await page.goto(`/robots-in-operation?robot=${ROBOT._id}`);
  await drawer.getByRole('tab', { name: 'Manual' }).click();
  await expect(drawer.getByRole('switch', { name: 'Chave de operação manual' })).toBeDisabled();
});

const leader = (n: number, more: object = {}) => ({
  _id: `018f0000-0000-7000-8000-0000000000f${n}`,
  name: `lider${n}`,
  own: false,
  highRisk: n === 2,
  open: true,
  openedAt: '2026-09-01T12:00:00Z',
  closedAt: null,
  why: null,
  days: 81,
  operations: 4_120,
  gains: '812.400000',
  losses: '95.100000',
  net: '717.300000',
  return: '6.83',
  worstDay: '-12.400000',
  followers: 7,
  followedByMe: false,
  mode: 'simulated',
  ...more,
});
const LEADERS = list([
  leader(1),
  leader(2, { own: true }),
  leader(3, { open: false, why: 'ceiling', net: '-40.000000', return: null, worstDay: null }),
]);
const LEADING = {
  licence: LICENCES[0]?._id,
  open: false,
  days: 12,
  operations: 340,
  neededDays: 30,
  neededOperations: 100,
  allocated: '1050.250000',
  median: '400.000000',
  eligible: false,
  missing: ['leader.too_young'],
  followers: 0,
};
const FOLLOWING = {
  _id: '018f0000-0000-7000-8000-00000000ff01',
  licence: LICENCES[0]?._id,
  number: 1,
  leader: leader(1)._id,
  name: 'lider1',
  since: '2026-11-01T12:00:00Z',
  maximumLoss: '50.000000',
  net: '-12.500000',
  state: 'active',
  endedAt: null,
  version: 1,
};

test('leaders with what they lost; one is copied with a limit', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...AT_WORK,
    'GET /trader/leaders': LEADERS,
    'GET /trader/following': [],
    'POST /trader/follow': FOLLOWING,
  });
  await page.goto('/robots-in-operation?tab=leaders');
  await expect(page.getByRole('row', { name: /@lider1/ })).toContainText('6,83%');
  await expect(page.getByRole('row', { name: /@lider3/ })).toContainText('Encerrado');
  await picture(page, 'leaders');
  await expectAccessible(page);
  await expect(
    page.getByRole('row', { name: /@lider2/ }).getByRole('button', { name: 'Copiar' }),
  ).toHaveAttribute('aria-disabled', 'true');
  await page
    .getByRole('row', { name: /@lider1/ })
    .getByRole('button', { name: 'Copiar' })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Copiar @lider1' });
  await dialog.getByRole('combobox', { name: 'Seu robô' }).click();
  await page.getByRole('option', { name: /Robô 1/ }).click();
  await dialog.getByLabel('Perda máxima').fill('50');
  await picture(page, 'leaders-follow');
  await expectAccessible(page, ['dark']);
  await dialog.getByRole('button', { name: 'Copiar', exact: true }).click();
  await expect(page.getByTestId('toast').getByText('Copiando @lider1.')).toBeVisible();
  expect(state.calls).toContain('POST /trader/follow');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'leaders-phone');
  await expectAccessible(page, ['dark']);
  state.answers['GET /trader/leaders'] = list([]);
  await page.reload();
  await expect(page.getByText('Nenhum líder ainda.')).toBeVisible();
});

test('a robot that copies, and one that wants to lead', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...AT_WORK,
    'GET /trader/leading': LEADING,
    'GET /trader/following': [FOLLOWING],
    'POST /trader/unfollow': { ...FOLLOWING, state: 'ended', version: 2 },
  });
  await page.goto(`/robots-in-operation?robot=${LICENCES[0]?._id}`);
  const drawer = page.getByRole('dialog').first();
  await drawer.getByRole('tab', { name: 'Copiar' }).click();
  await expect(drawer.getByText('Copiando @lider1')).toBeVisible();
  await expect(drawer.getByText('12 de 30 dias de operação')).toBeVisible();
  await picture(page, 'copy');
  await expectAccessible(page);
  await drawer.getByRole('button', { name: 'Parar de copiar' }).click();
  const question = page.getByRole('dialog', { name: 'Parar de copiar?' });
  await question.getByRole('button', { name: 'Parar de copiar' }).click();
  await expect(drawer.getByText('Copiando @lider1')).toHaveCount(0);
  const asked = () => state.calls.filter((call) => call === 'GET /trader/following').length;
  const before = asked();
  const again = { ...FOLLOWING, _id: '018f0000-0000-7000-8000-00000000ff02' };
  const following = (seq: number, more: object) =>
    state.fact(`user:${CUSTOMER._id}`, seq, { kind: 'robot.following', following: { ...again, ...more } });
  await following(1, {});
  await expect(drawer.getByText('Copiando @lider1')).toBeVisible();
  await following(2, { state: 'left', version: 2 });
  await expect(drawer.getByText('@lider1 deixou de liderar', { exact: false })).toBeVisible();
  expect(asked()).toBe(before);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'copy-phone');
  await expectAccessible(page, ['dark']);
});

test('staff see by hand and by robot side by side', async ({ page }) => {
  const side = (operations: number, net: string, edge: string | null) => ({
    operations,
    volume: '1000.000000',
    net,
    edge,
  });
  await stub(page, ADMINISTRATOR, {
    'GET /admin/feeds': { feed: 'simulated', mode: 'simulated', running: true, venues: [] },
    'GET /admin/reports/manual': list([
      {
        day: '2026-11-21',
        mode: 'simulated',
        manual: side(3, '-0.412000', '-0.0412'),
        cohort: side(812, '14.200000', '0.0510'),
      },
      {
        day: '2026-11-20',
        mode: 'simulated',
        manual: side(0, '0.000000', null),
        cohort: side(700, '11.100000', '0.0480'),
      },
    ]),
  });
  await page.goto('/administrator/robot-config?tab=manual');
  const row = page.getByRole('row', { name: /21\/11\/2026/ });
  await expect(row).toContainText('0,0510%');
  await picture(page, 'rules-manual');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
});
