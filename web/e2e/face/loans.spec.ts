/** Loans on /licences: what is owed and could be borrowed, both dialogs, the receipt. */

import { expectAccessible, fits, picture } from '../kit';
import { AT_WORK, FRESH, licence, page as list } from './fixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const T = '01990000-0000-7000-8000-00000000000a';
const OWING = licence(1, { loan: '-62.500000', loanTaken: '150.000000' });
const FREE = licence(2, { topup: '400.000000', allocated: '200.000000' });
const STOPPED = licence(3, {
  robotStatus: 'paused',
  paused: true,
  stoppedByLoan: true,
  allocated: '37.000000',
});
const terms = (more: object) => ({
  licence: FREE._id,
  number: 2,
  maximum: '300.000000',
  free: '600.000000',
  backing: '600.000000',
  share: '50.00',
  feePercent: '2.00',
  nextFree: '2026-12-04T12:00:00Z',
  debt: '0.000000',
  taken: '0.000000',
  takenAt: null,
  stopsBelow: '0.000000',
  mayLeave: '600.000000',
  quote: null,
  ...more,
});
const quoted = (route: Route) => {
  const value = new URL(route.request().url()).searchParams.get('value');
  const quote = value && {
    value: '100.000000',
    fee: '2.000000',
    received: '98.000000',
    stopsBelow: '125.000000',
    stays: '200.000000',
  };
  return route.fulfill({ json: terms({ quote }) });
};
const origin = (kind: string, amount: string, moved: string, postings: object[]) => ({
  transfer: T,
  at: '2026-11-20T14:32:00Z',
  kind,
  mode: null,
  reverses: null,
  reversedBy: null,
  event: { kind, amount, moved, pyx: null, licence: 2 },
  postings,
  fact: { type: 'licence', licence: FREE._id, number: 2, value: '250.000000' },
});
const posting = (account: string, amount: string, more: object = {}) => ({
  account,
  licence: null,
  currency: 'USDT',
  amount,
  balance: '1.000000',
  ...more,
});
const ANSWERS = {
  ...AT_WORK,
  'GET /get-user-licenses': list([OWING, FREE, STOPPED]),
  [`GET /licences/${OWING._id}/loan-terms`]: terms({
    maximum: '0.000000',
    debt: '62.500000',
    taken: '150.000000',
    mayLeave: '1075.250000',
  }),
  [`GET /licences/${FREE._id}/loan-terms`]: quoted,
  [`GET /licences/${STOPPED._id}/loan-terms`]: terms({ maximum: '0.000000', nextFree: null }),
  'POST /licences/loan': {
    ...FREE,
    loan: '-100.000000',
    loanTaken: '100.000000',
    version: 9,
    transfers: [T],
  },
  'POST /licences/loan-repay': {
    ...OWING,
    loan: '0.000000',
    loanTaken: '0.000000',
    version: 9,
    transfers: [T],
  },
  [`GET /statement/${T}`]: origin('loan', '-2.000000', '98.000000', [
    posting('loan', '-100.000000', { licence: 2 }),
    posting('available', '98.000000'),
  ]),
};

test('loans: what is owed, what could be borrowed, a robot that was stopped', async ({ page }) => {
  await stub(page, CUSTOMER, ANSWERS);
  await page.goto('/licences?tab=loans');
  const owing = page.getByRole('article', { name: 'Empréstimo da licença 1' });
  await expect(owing.getByText('62,5000')).toBeVisible();
  await expect(
    page.getByRole('article', { name: 'Empréstimo da licença 2' }).getByText('300,00'),
  ).toBeVisible();
  await expect(page.getByText('O robô parou', { exact: false })).toBeVisible();
  await picture(page, 'loans');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'loans-phone');
  await expectAccessible(page, ['dark']);
});

test('borrowing: terms, confirmation, receipt; and repaying all of it', async ({ page }) => {
  const { calls } = await stub(page, CUSTOMER, ANSWERS);
  await page.goto('/licences?tab=loans');
  const card = page.getByRole('article', { name: 'Empréstimo da licença 2' });
  await card.getByRole('button', { name: 'Pegar empréstimo' }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Pegar empréstimo' });
  await expect(confirm).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Valor' }).fill('100');
  await expect(dialog.getByText('98,00')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'loan-terms');
  await confirm.click();
  await expect(dialog.getByText('Empréstimo no saldo.')).toBeVisible();
  await expect(dialog.getByText('Empréstimo #2')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Ver no extrato' })).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'loan-receipt');
  await dialog.getByRole('button', { name: 'Concluir' }).click();
  await page
    .getByRole('article', { name: 'Empréstimo da licença 1' })
    .getByRole('button', { name: 'Quitar' })
    .click();
  await expect(dialog.getByRole('textbox', { name: 'Valor' })).toHaveValue('62,500000');
  await dialog.getByRole('radio', { name: /Aporte desta licença/ }).check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Quitar' }).click();
  await expect(dialog.getByText('Empréstimo quitado.')).toBeVisible();
  expect(calls.filter((call) => call.startsWith('POST /licences/loan'))).toHaveLength(2);
});

test('loans: nothing yet, what cannot be loaded, and a refusal stays in the dialog', async ({ page }) => {
  const down = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
  const state = await stub(page, CUSTOMER, FRESH);
  await page.goto('/licences?tab=loans');
  await expect(page.getByText('Nenhuma licença ativa.')).toBeVisible();
  Object.assign(state.answers, ANSWERS, {
    'POST /licences/loan': refuse(422, 'loan.limit', 'O máximo agora é 90 USDT.'),
    [`GET /statement/${T}`]: down,
  });
  await page.reload();
  const card = page.getByRole('article', { name: 'Empréstimo da licença 2' });
  await card.getByRole('button', { name: 'Pegar empréstimo' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Valor' }).fill('100');
  await dialog.getByRole('button', { name: 'Pegar empréstimo' }).click();
  await expect(dialog.getByRole('alert')).toContainText('O máximo agora é 90 USDT.');
  state.answers['POST /licences/loan'] = ANSWERS['POST /licences/loan'];
  await dialog.getByRole('button', { name: 'Pegar empréstimo' }).click();
  await expect(dialog.getByText('Empréstimo no saldo.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Tentar de novo' })).toBeVisible();
});

test('a top-up ends with its receipt', async ({ page }) => {
  await stub(page, CUSTOMER, {
    ...ANSWERS,
    'POST /licences/topup': { ...FREE, version: 9, transfers: [T] },
    [`GET /statement/${T}`]: origin('topup', '0.000000', '50.000000', [
      posting('available', '-50.000000'),
      posting('topup', '50.000000', { licence: 2 }),
    ]),
  });
  await page.goto('/licences');
  await page
    .getByRole('article', { name: 'Licença 2', exact: true })
    .getByRole('button', { name: 'Aportar' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Valor' }).fill('50');
  await dialog.getByRole('button', { name: 'Aportar' }).click();
  await expect(dialog.getByText('Aporte feito.')).toBeVisible();
  await expect(dialog.getByText('Aporte #2')).toBeVisible();
  await picture(page, 'topup-receipt');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});
