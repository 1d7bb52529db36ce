/** A withdrawal over the chain through two browsers: asked for, confirmed by the mailed link, approved, mined, complete. */
import { type Browser, expect, type Page } from '@playwright/test';
import {
  answerTo,
  demo,
  expectAccessible,
  mailAfter,
  picture,
  rowOf,
  signIn,
  tellDatabase,
  test,
} from './kit';

const ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
/** Blocks come every second while something waits for them. */
const CONFIRMED = { timeout: 90_000 };

async function somebody(browser: Browser, name: Parameters<typeof demo>[0], path: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, demo(name));
  await page.goto(path);
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  return page;
}

/** Coin, address, amount and the question; gives its id and the link of its mail. */
async function ask(page: Page, value: string) {
  await page.getByRole('combobox', { name: 'Endereço BSC' }).fill(ADDRESS);
  await page.getByLabel('Valor em USDT').fill(value);
  await page.getByRole('button', { name: 'Ver resumo' }).click();
  const question = page.getByRole('dialog', { name: 'Confirmar saque' });
  await expect(question.getByText('0x fB69 1609 5ca1 df60 bB79 Ce92 cE3E a74c 37c5 d359')).toBeVisible();
  await expectAccessible(page, ['dark']);
  let id = '';
  const mail = await mailAfter(page, demo('trader2').email, /confirme seu saque/, async () => {
    const made = await answerTo<{ _id: string }>(page, 'POST /withdraw', () =>
      question.getByRole('button', { name: 'Pedir saque' }).click(),
    );
    id = made._id;
  });
  const [link] = /\/wallet\/my-withdrawals\?confirm=[\w.-]+/.exec(mail) ?? [];
  if (!link) throw new Error('no link in the mail');
  const details = page.getByRole('dialog', { name: 'Saque cripto' });
  await expect(details.getByText('Confirme pelo link', { exact: false })).toBeVisible();
  return { id, link, details };
}

test('asked for, confirmed by mail, approved, mined and complete without a reload', async ({ browser }) => {
  test.slow();
  const trader = await somebody(browser, 'trader2', '/wallet/my-withdrawals');
  const admin = await somebody(browser, 'admin2', '/crypto-withdrawal-list');
  await expectAccessible(trader);
  // What cannot be is said before anything is asked for.
  await trader.getByRole('combobox', { name: 'Endereço BSC' }).fill('0x1234');
  await trader.getByLabel('Valor em USDT').fill('5');
  await trader.getByRole('button', { name: 'Ver resumo' }).click();
  await expect(trader.getByText('Este endereço não é válido para esta moeda!')).toBeVisible();
  await expect(trader.getByText('Valor para retirada inválido.')).toBeVisible();

  const { id, link, details } = await ask(trader, '40');
  await picture(trader, 'my-withdrawals-asked');
  await expectAccessible(trader);
  await trader.keyboard.press('Escape');
  await expect(details).toBeHidden();
  await expect(rowOf(trader, id)).toContainText('Confirme pelo e-mail');
  await expect(rowOf(admin, id)).toHaveCount(0);

  // Opening the link changes nothing; its button does.
  await trader.goto(link);
  const page = trader.getByRole('dialog', { name: 'Confirmar saque' });
  await expect(page.getByText('39,00', { exact: false }).first()).toBeVisible();
  await expectAccessible(trader, ['dark']);
  await picture(trader, 'my-withdrawals-link');
  await page.getByRole('button', { name: 'Confirmar saque' }).click();
  await expect(trader.getByRole('dialog', { name: 'Saque cripto' })).toBeVisible();

  await expect(rowOf(admin, id)).toContainText('@trader2');
  await expect(admin.getByRole('region', { name: 'Carteira de saques' })).toBeVisible();
  await expectAccessible(admin);
  await picture(admin, 'crypto-withdrawal-list');
  await rowOf(admin, id).getByText('@trader2').first().click();
  const drawer = admin.getByRole('dialog', { name: /Saque de/ });
  await expect(drawer.getByText('0x fB69 1609', { exact: false })).toBeVisible();
  await expectAccessible(admin, ['dark']);
  await picture(admin, 'crypto-withdrawal-decide');
  await drawer.getByRole('button', { name: 'Aprovar' }).click();
  await admin
    .getByRole('dialog', { name: 'Aprovar este saque?' })
    .getByRole('button', { name: 'Aprovar' })
    .click();

  // Sent, mined, final: the open drawer follows by itself.
  await expect(trader.getByTestId('hash')).toHaveText(/^0x[0-9a-f]{64}$/, CONFIRMED);
  await expect(trader.getByRole('dialog').getByText('Concluído', { exact: true }).first()).toBeVisible(
    CONFIRMED,
  );
  await picture(trader, 'my-withdrawals-complete');
  await trader.keyboard.press('Escape');
  await trader.setViewportSize({ width: 390, height: 844 });
  await picture(trader, 'my-withdrawals-phone');
  await trader.setViewportSize({ width: 1440, height: 900 });
  await admin.getByRole('tab', { name: 'Concluídos' }).click();
  await expect(rowOf(admin, id)).toContainText('@trader2');
  await admin.setViewportSize({ width: 390, height: 844 });
  await picture(admin, 'crypto-withdrawal-list-phone');
});

test('taken back by its user before anybody decides', async ({ browser }) => {
  test.slow();
  const trader = await somebody(browser, 'trader2', '/wallet/my-withdrawals');
  const { id, details } = await ask(trader, '12');
  await details.getByRole('button', { name: 'Cancelar saque' }).click();
  await trader
    .getByRole('dialog', { name: 'Cancelar este saque?' })
    .getByRole('button', { name: 'Cancelar saque' })
    .click();
  await expect(rowOf(trader, id)).toContainText('Cancelado');
});

/** A call of the signed-in person, beside the screens. */
async function call<T>(page: Page, method: 'GET' | 'POST', path: string, data?: unknown): Promise<T> {
  return page.evaluate(
    async ([method, path, data]) => {
      const refreshed = await fetch('/api/auth/refresh', { method: 'POST', headers: { 'X-Arbora': '1' } });
      const { token } = await refreshed.json();
      const answer = await fetch(`/api${path}`, {
        method: method as string,
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': crypto.randomUUID(),
        },
        ...(data !== undefined && { body: JSON.stringify(data) }),
      });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    [method, path, data] as const,
  );
}

/** What people approved counts for a day; the flows after this one begin with a new one. */
function aDayPasses() {
  tellDatabase(
    `ALTER TABLE approvals.decision DISABLE TRIGGER decision_immutable;
     UPDATE approvals.decision SET at = at - interval '25 hours';
     ALTER TABLE approvals.decision ENABLE TRIGGER decision_immutable`,
  );
}

async function approve(page: Page, id: string) {
  await rowOf(page, id).getByText('@trader2').first().click();
  const drawer = page.getByRole('dialog', { name: /Saque de/ });
  // What it does to the coverage, as the server computes it.
  await expect(drawer.getByTestId('coverage-effect')).toContainText(/\d,\d\d\s?% → \d/);
  await drawer.getByRole('button', { name: 'Aprovar' }).click();
  await page
    .getByRole('dialog', { name: 'Aprovar este saque?' })
    .getByRole('button', { name: 'Aprovar' })
    .click();
}

test('above the limit two persons approve', async ({ browser }) => {
  test.slow();
  const trader = await somebody(browser, 'trader2', '/wallet/my-withdrawals');
  const first = await somebody(browser, 'admin1', '/crypto-withdrawal-list');
  const second = await somebody(browser, 'admin2', '/crypto-withdrawal-list');
  // More than the limit, over the chain: 5 500 and what a deposit costs.
  const deposit = await call<{ _id: string; address: string }>(trader, 'POST', '/deposit', {
    coin: 'usdt',
    value: '5500',
  });
  await call(trader, 'POST', '/dev/faucet', { address: deposit.address, coin: 'usdt', value: '5721' });
  await expect(async () => {
    const { data } = await call<{ data: { _id: string; status: string }[] }>(trader, 'GET', '/list-deposits');
    expect(data.find(({ _id }) => _id === deposit._id)?.status).toBe('complete');
  }).toPass(CONFIRMED);
  try {
    const { id, link } = await ask(trader, '5100');
    await trader.goto(link);
    await trader
      .getByRole('dialog', { name: 'Confirmar saque' })
      .getByRole('button', { name: 'Confirmar saque' })
      .click();
    await expect(trader.getByRole('dialog', { name: 'Saque cripto' })).toBeVisible();

    await approve(first, id);
    for (const admin of [first, second]) await expect(rowOf(admin, id)).toContainText('1 de 2 aprovações');
    await expect(trader.getByTestId('hash')).toHaveCount(0);
    await approve(second, id);
    await expect(trader.getByTestId('hash')).toHaveText(/^0x[0-9a-f]{64}$/, CONFIRMED);
    await expect(trader.getByRole('dialog').getByText('Concluído', { exact: true }).first()).toBeVisible(
      CONFIRMED,
    );
  } finally {
    aDayPasses();
  }
});

test('the overview says what is owed and what is held', async ({ browser }) => {
  test.slow();
  const admin = await somebody(browser, 'admin1', '/administrator/dashboard');
  const solvency = admin.getByRole('region', { name: 'Solvência' });
  await expect(solvency.getByTestId('coverage')).toHaveText(/^\d[\d.]*,\d\d\s?%$/);
  await expect(solvency.getByText('Carteira de saques').first()).toBeVisible();
  await solvency.getByRole('button', { name: 'Verificar livro-razão' }).click();
  await expect(solvency.getByText(/^Livro-razão exato/)).toBeVisible();
  await expectAccessible(admin);
  await picture(admin, 'overview');
  await admin.setViewportSize({ width: 390, height: 844 });
  await picture(admin, 'overview-phone');
});
