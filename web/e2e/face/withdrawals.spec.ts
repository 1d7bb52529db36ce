/** Withdrawals over the chain: PYX leave whole, their fee comes from the balance; what is asked for is seen before it is asked for. */

import { everywhere, expectAccessible, fits, picture, wear } from '../kit';
import { ahead, DAY, holdTime, JUST_NOW, SECOND, timeOf } from './clock';
import { page as listed, OUTBOUND } from './fixtures';
import { ADDRESS, ASKED, WITHDRAWAL as ROW } from './moneyFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub } from './stub';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const QUOTE = {
  ...ASKED,
  codeDestination: ADDRESS,
  codeAmount: '40.500000 PYX',
  confirmations: 15,
};
const ANSWERS = {
  'GET /withdraw/terms': {
    coins: ['usdt', 'busd', 'bnb', 'pyx'],
    minimum: '10.000000',
    feePercent: '2.00',
    feeMinimum: '1.000000',
    pyxFee: '1.000000',
    pyxMinimum: '1.000000',
    linkMinutes: 30,
  },
  'GET /presale/holdings': {
    balances: { free: '100.000000', locked: '70.000000', held: '0.000000', version: 3 },
    shares: [],
  },
  'GET /whitelist': { on: false, offAt: null, entries: [] },
  'GET /list-withdraws': listed([]),
  'GET /outbound-state': OUTBOUND,
  'POST /withdraw/quote': QUOTE,
};

/** The form with PYX chosen. */
async function form(page: Page) {
  await page.goto('/wallet/my-withdrawals');
  const section = page.getByRole('region', { name: 'Novo saque' });
  await section.getByText('PYX', { exact: true }).click();
  await expect(section.getByText('Você tem 100,00 PYX livres.')).toBeVisible();
  return section;
}

test('PYX: fee and what arrives, the question, and one order', async ({ page }) => {
  const sent: { body: unknown; key: string | undefined }[] = [];
  const state = await stub(page, CUSTOMER, {
    ...ANSWERS,
    'POST /withdraw': async (route: Route) => {
      const request = route.request();
      sent.push({ body: request.postDataJSON(), key: request.headers()['idempotency-key'] });
      if (sent.length === 1)
        return refuse(503, 'service.unavailable', 'Serviço indisponível no momento.')(route);
      state.answers['GET /list-withdraws'] = listed([ROW]);
      await route.fulfill({ status: 201, json: ROW });
    },
  });
  const section = await form(page);
  await expect(section.getByText(/Os PYX saem inteiros; a taxa de 1,00/)).toBeVisible();
  await expect(section.getByText(/Saque mínimo: 1 PYX/)).toBeVisible();
  await section.getByRole('combobox', { name: 'Endereço BSC' }).fill(ADDRESS);
  await section.getByLabel('Quantidade de PYX').fill('40,5');
  // The fee is no part of what leaves.
  await expect(section.getByRole('row', { name: 'Taxa' })).toContainText(/1,00\sUSDT/);
  await expect(section.getByRole('row', { name: 'Você recebe' })).toContainText(/40,50\sPYX/);
  await picture(page, 'withdrawal-pyx');
  await expectAccessible(page);
  await section.getByRole('button', { name: 'Ver resumo' }).click();
  const question = page.getByRole('dialog', { name: 'Confirmar saque' });
  await expect(question.getByRole('row', { name: 'Quantidade de PYX' })).toContainText(/40,50\sPYX/);
  await expect(question.getByRole('row', { name: 'Taxa' })).toContainText(/1,00\sUSDT/);
  await expect(question.getByRole('row', { name: 'Você recebe' })).toContainText(/40,50\sPYX/);
  await expect(question.getByText('0x fB69 1609 5ca1 df60 bB79 Ce92 cE3E a74c 37c5 d359')).toBeVisible();
  await expect(question.getByText(/Os PYX e a taxa ficam guardados/)).toBeVisible();
  // Their worth is what limits count, and no amount of this person's.
  await expect(question.getByText(/21,25|20,25/)).toHaveCount(0);
  await picture(page, 'withdrawal-pyx-confirm');
  await expectAccessible(page);
  // Nothing is asked for before the last word; tried again it is the same order.
  expect(state.calls).not.toContain('POST /withdraw');
  await question.getByRole('button', { name: 'Pedir saque' }).click();
  await expect(question.getByRole('alert')).toContainText(
    'Falha ao retirar valorServiço indisponível no momento.',
  );
  await question.getByRole('button', { name: 'Pedir saque' }).click();
  await expect(page.getByTestId('toast')).toContainText(`Confirme pelo link enviado para ${CUSTOMER.email}`);
  const details = page.getByRole('dialog', { name: 'Saque cripto' });
  await expect(details.getByText('Confirme pelo link', { exact: false })).toBeVisible();
  await expect(details.getByText(/40,50\d*\sPYX/).first()).toBeVisible();
  await picture(page, 'withdrawal-pyx-asked');
  await expectAccessible(page, ['dark']);
  expect(sent.map(({ body }) => body)).toEqual([
    { coin: 'pyx', address: ADDRESS, value: '40.5' },
    { coin: 'pyx', address: ADDRESS, value: '40.5' },
  ]);
  expect(sent[0]?.key).toBeTruthy();
  expect(sent[1]?.key).toBe(sent[0]?.key);
  await page.keyboard.press('Escape');
  await expect(
    page
      .getByRole('table', { name: 'Seus saques cripto' })
      .getByText(/^40,50\d*/)
      .first(),
  ).toBeVisible();
  // The form is empty again.
  await expect(section.getByRole('combobox', { name: 'Endereço BSC' })).toHaveValue('');
});

test('PYX: what cannot be is said before anything is asked for', async ({ page }) => {
  const state = await stub(page, CUSTOMER, ANSWERS);
  const section = await form(page);
  const amount = section.getByLabel('Quantidade de PYX');
  const ask = section.getByRole('button', { name: 'Ver resumo' });
  await section.getByRole('combobox', { name: 'Endereço BSC' }).fill('0x1234');
  await amount.fill('0,5');
  await ask.click();
  await expect(section.getByText('Este endereço não é válido para esta moeda!')).toBeVisible();
  await expect(section.getByText('Valor para retirada inválido.')).toBeVisible();
  await expect(section.getByRole('row', { name: 'Você recebe' })).toContainText('–');
  await expectAccessible(page, ['dark']);
  // More than are free: those locked and set aside do not count.
  await section.getByRole('combobox', { name: 'Endereço BSC' }).fill(ADDRESS);
  await amount.fill('100,000001');
  await expect(section.getByText(/100,00/).first()).toBeVisible();
  await ask.click();
  await expect(amount).toHaveAttribute('aria-invalid', 'true');
  expect(state.calls).not.toContain('POST /withdraw/quote');
  await section.getByRole('button', { name: 'Máx' }).click();
  await expect(amount).toHaveValue(/^100/);
  await expect(amount).not.toHaveAttribute('aria-invalid', 'true');
  // The balance does not cover the fee: the server's word stands at the amount.
  state.answers['POST /withdraw/quote'] = (route: Route) =>
    route.fulfill({
      status: 422,
      json: {
        code: 'withdrawal.fee_uncovered',
        message: 'Seu saldo em USDT não cobre a taxa.',
        errors: { value: ['Seu saldo em USDT não cobre a taxa.'] },
      },
    });
  await ask.click();
  await expect(section.getByText('Seu saldo em USDT não cobre a taxa.')).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  // Another coin is another amount.
  await section.getByText('USDT', { exact: true }).first().click();
  await expect(section.getByLabel('Valor em USDT')).toHaveValue('');
});

test('PYX with the authenticator, on a phone', async ({ page }) => {
  const sent: unknown[] = [];
  const person = {
    ...CUSTOMER,
    twoFactor: { email: false, app: true, passkey: false, recoveryCodesLeft: 5 },
  };
  await stub(page, person, {
    ...ANSWERS,
    'POST /withdraw': async (route: Route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ status: 201, json: ROW });
    },
  });
  await page.setViewportSize(PHONE);
  const section = await form(page);
  await section.getByRole('combobox', { name: 'Endereço BSC' }).fill(ADDRESS);
  await section.getByLabel('Quantidade de PYX').fill('40,5');
  await fits(page);
  await picture(page, 'withdrawal-pyx-phone-dark');
  await expectAccessible(page, ['dark']);
  await wear(page, 'light');
  await picture(page, 'withdrawal-pyx-phone-light');
  await wear(page, 'dark');
  await section.getByRole('button', { name: 'Ver resumo' }).click();
  await page
    .getByRole('dialog', { name: 'Confirmar saque' })
    .getByRole('button', { name: 'Pedir saque' })
    .click();
  const code = page.getByRole('dialog', { name: 'Código de segurança' });
  await expect(code).toBeVisible();
  expect(sent).toEqual([]);
  await code.getByRole('textbox').first().click();
  await page.keyboard.type('123456');
  await expect(page.getByRole('dialog', { name: 'Saque cripto' })).toBeVisible();
  expect(sent).toEqual([{ coin: 'pyx', address: ADDRESS, value: '40.5', securityCode: '123456' }]);
  await fits(page);
});

test('Max takes what may leave now, and the form says why that is not all', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...ANSWERS,
    'GET /outbound-state': { ...OUTBOUND, young: '1213.570000', youngUntil: '2026-12-24T15:00:00Z' },
  });
  await page.goto('/wallet/my-withdrawals');
  const section = page.getByRole('region', { name: 'Novo saque' });
  const amount = section.getByLabel('Valor em USDT');
  const why = section.getByTestId('spendable');
  await expect(why).toContainText(/48\.213,57\sUSDT, 1\.213,57\sUSDT vieram de PIX recente/);
  await section.getByRole('button', { name: 'Máx' }).click();
  await expect(amount).toHaveValue('47000,000000');
  await expect(amount).not.toHaveAttribute('aria-invalid', 'true');
  await picture(page, 'withdrawal-max');
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await wear(page, 'light');
  await fits(page);
  await picture(page, 'withdrawal-max-phone-light');
  // More than that is refused in the field, before anything is asked for.
  await amount.fill('47000,01');
  await expect(section.getByText(/O máximo é 47\.000,00\sUSDT\./)).toBeVisible();
  // What is more than one has is said as that.
  await amount.fill('48213,58');
  await expect(section.getByText('O valor é maior que o seu saldo!')).toBeVisible();
  await expect(amount).toHaveAttribute('aria-invalid', 'true');
  // All of it is old, and the limit of the day is nearly used.
  state.answers['GET /outbound-state'] = { ...OUTBOUND, leftToday: '120.000000' };
  await page.reload();
  await expect(why).toContainText(/100\.000,00\sUSDT em 24 h/);
  await section.getByRole('button', { name: 'Máx' }).click();
  await expect(amount).toHaveValue('120,000000');
});

test('a hold of 24 hours counts down above the form, which refuses to take anything meanwhile', async ({
  page,
}) => {
  const until = ahead(DAY);
  const state = await stub(page, CUSTOMER, {
    ...ANSWERS,
    'GET /outbound-state': {
      ...OUTBOUND,
      hold: { until, reason: 'Sua senha mudou', reasonCode: 'password' },
    },
  });
  await page.goto('/wallet/my-withdrawals');
  const note = page.getByRole('note').filter({ hasText: 'Saídas bloqueadas até 21/11/2026' });
  await expect(note).toContainText('Sua senha mudou');
  const timer = note.getByRole('timer');
  const shown = async () => {
    const [hours = 0, minutes = 0, seconds = 0] = ((await timer.textContent()) ?? '').split(':').map(Number);
    return (hours * 60 + minutes) * 60 + seconds;
  };
  await holdTime(page);
  const left = (Date.parse(until) - (await timeOf(page))) / SECOND;
  await expect.poll(async () => Math.abs((await shown()) - left)).toBeLessThan(2);
  const before = await shown();
  expect(before).toBeGreaterThan(23 * 60 * 60);
  await page.clock.runFor(SECOND);
  await expect.poll(shown).toBe(before - 1);
  await page.clock.resume();
  await everywhere(page, 'withdrawal-hold');
  await expect(page.getByTestId('spendable')).toContainText('nada pode sair');
  // At its end the page asks how things stand.
  state.answers['GET /outbound-state'] = OUTBOUND;
  await page.clock.fastForward(DAY);
  await expect(note).toBeHidden();
  await expect(page.getByTestId('spendable')).toBeHidden();
});

const coin = (name: string, waitingCount = 0) => ({
  coin: name,
  balance: '100625000000000000000000',
  waiting: waitingCount ? '21250000000000000000' : '0',
  waitingCount,
  underWay: '0',
});
const WALLET = {
  address: ADDRESS,
  alerts: [],
  coins: [coin('usdt', 2), coin('bnb'), coin('pyx'), coin('busd')],
  foreign: [],
  halted: false,
  version: 1,
};

test('staff: all withdrawals add up by day, with the filters of the list', async ({ page }) => {
  const asked: string[] = [];
  await stub(page, ADMINISTRATOR, {
    'GET /admin/crypto-withdrawal-list': { ...listed([]), pending: 0, oldest: null, hotWallet: WALLET },
    'GET /admin/crypto-withdrawals-report': async (route: Route) => {
      asked.push(new URL(route.request().url()).searchParams.toString());
      const days = [
        { day: '2026-11-19', count: 2, total: '65.000000' },
        { day: '2026-11-20', count: 1, total: '10.500000' },
      ];
      await route.fulfill({ json: { count: 3, total: '75.500000', days } });
    },
  });
  await page.goto('/crypto-withdrawal-list?tab=complete&coin=usdt');
  const days = page.getByRole('region', { name: 'Pago por dia' });
  await expect(days).toBeVisible();
  await expect(page.getByText(/^75,50/)).toBeVisible();
  await everywhere(page, 'crypto-withdrawals-report');
  await days.getByText('Ver como tabela').click();
  await expect(days.getByRole('row')).toHaveCount(3);
  expect(asked.at(-1)).toBe('coin=usdt');
  // What waits is a queue, not a report.
  await page.goto('/crypto-withdrawal-list');
  await expect(page.getByText('Carteira de saques').first()).toBeVisible();
  await expect(days).toBeHidden();
});

test('staff: the queue on a phone, with the wallet that pays, nothing cut and within reach of the keys', async ({
  page,
}) => {
  await page.setViewportSize(PHONE);
  await stub(page, ADMINISTRATOR, {
    'GET /admin/crypto-withdrawal-list': {
      ...listed([
        {
          ...ROW,
          status: 'pending',
          case: null,
          email: CUSTOMER.email,
          fullName: CUSTOMER.fullName,
          memberSince: JUST_NOW,
          paidBefore: 2,
          signals: ['review', 'address_shared'],
        },
      ]),
      pending: 1,
      oldest: JUST_NOW,
      hotWallet: WALLET,
    },
  });
  await page.goto('/crypto-withdrawal-list');
  await expect(page.getByText('100.625,00').first()).toBeInViewport();
  await expect(page.getByText('Marina Duarte')).toBeVisible();
  await fits(page);
  // A figure that is there is on the screen, not beside it.
  const beside = await page
    .locator('[data-value]')
    .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).length);
  expect(beside).toBe(0);
  await expectAccessible(page);
  await picture(page, 'payout-queue-phone');
  await wear(page, 'light');
  await picture(page, 'payout-queue-phone-light');
});
