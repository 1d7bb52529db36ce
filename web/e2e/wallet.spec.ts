/** Money over the chain in a browser: seen, confirmed, credited live; a licence bought by an intent; what waits for a decision. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, expect, type Page } from '@playwright/test';
import { answerTo, expectAccessible, type Person, reader, signIn, test } from './kit';

/** The demo's people sign in with passwords drawn for the installation; the run command keeps them in its data folder. */
function demo(key: string): Person {
  const folder = process.env.E2E_DATA_DIR ?? '../.data';
  const password = readFileSync(join(folder, 'secrets', `demo_${key}.password`), 'utf8').trim();
  return { email: `${key}@arbora.example`, password };
}

async function somebody(browser: Browser, key: string, path: string): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, demo(key));
  await page.goto(path);
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  return page;
}

/** Asks for an address of this deposit's own, which is then on screen: a former try's may be open as well. */
async function ask(trader: Page, value: string): Promise<string> {
  await trader.getByLabel('Valor em USDT').fill(value);
  const { address } = await answerTo<{ address: string }>(trader, 'POST /deposit', () =>
    trader.getByRole('button', { name: 'Gerar endereço' }).click(),
  );
  expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  await expect(trader.getByTestId('qr-text')).toHaveValue(address);
  return address;
}

/** Blocks come every second while something waits for them. */
const CONFIRMED = { timeout: 60_000 };

test('a deposit is seen, confirmed block by block and credited without a reload', async ({ browser }) => {
  test.slow();
  const trader = await somebody(browser, 'trader1', '/wallet/my-deposits');
  await expectAccessible(trader);
  await ask(trader, '25');
  await expectAccessible(trader);
  // It passes by, block by block: watched for from before.
  const seen = Promise.all([
    expect(trader.getByText('Pagamento visto. Não pague de novo.')).toBeVisible(CONFIRMED),
    expect(trader.getByText(/^\d+\/15 confirmações/).first()).toBeVisible(CONFIRMED),
  ]);
  await trader.getByRole('button', { name: 'Pagar com dinheiro de teste' }).click();
  await seen;
  await expect(trader.getByTestId('qr-text')).toHaveCount(0);
  await expect(trader.getByText('25,00 USDT creditados no saldo.')).toBeVisible(CONFIRMED);
});

test('a licence bought by an intent becomes active', async ({ browser }) => {
  test.slow();
  const trader = await somebody(browser, 'trader2', '/licences?tab=plans');
  // On a plan's card: the page's own button, which is there before the plans, only leads to them.
  await trader.getByRole('article').last().getByRole('button', { name: 'Comprar licença' }).click();
  const dialog = trader.getByRole('dialog');
  await dialog.getByRole('radio').first().check();
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByRole('radio', { name: /Cripto/ }).check();
  await expect(dialog.getByText('53,00')).toBeVisible();
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByLabel('Li e aceito os riscos.').check();
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByRole('button', { name: 'Gerar pagamento' }).click();
  await expect(dialog.getByText('Envie exatamente 53,00 USDT (50 + 3,00 de taxa) pela BSC')).toBeVisible();
  await expectAccessible(trader);
  await dialog.getByRole('button', { name: 'Pagar com dinheiro de teste' }).click();
  await expect(dialog.getByText('Pagamento confirmado. Sua licença está ativa.')).toBeVisible(CONFIRMED);
  await dialog.getByRole('button', { name: 'Concluir' }).click();
});

test('what waits for a decision reaches the staff, and the sale its report', async ({ browser, baseURL }) => {
  test.slow();
  const admin = await somebody(browser, 'admin1', '/crypto-deposits-list2?tab=pending');
  await expectAccessible(admin);
  const trader = await somebody(browser, 'trader1', '/wallet/my-deposits');
  const address = await ask(trader, '20');
  // The wrong coin for this address: nobody knows at which rate it was meant. Any two tries differ in what they send.
  const more = `${Math.floor(Math.random() * 900) + 100}${Math.floor(Math.random() * 9) + 1}`;
  const calls = await reader(baseURL ?? '', demo('trader1'));
  await calls.post('/dev/faucet', { address, coin: 'bnb', value: `0.04${more}` });
  await calls.close();
  const sent = `0,04${more}`;
  const came = trader.getByRole('row').filter({ hasText: 'BNB' }).filter({ hasText: sent });
  await expect(came).toContainText('Em análise', CONFIRMED);
  await admin.getByRole('row').filter({ hasText: sent }).getByText('BNB não pedido').first().click();
  const drawer = admin.getByRole('dialog');
  await drawer.getByLabel('Valor em USDT').fill('21,80');
  await drawer.getByRole('button', { name: 'Aprovar' }).click();
  await admin
    .getByRole('dialog', { name: 'Aprovar este depósito?' })
    .getByRole('button', { name: 'Aprovar' })
    .click();
  await expect(came).toContainText('Aprovado');
  await expect(came).toContainText('20,0000');
  await admin.goto('/crypto-deposits-list');
  await expect(admin.getByText('Vendas por dia')).toBeVisible();
  await expectAccessible(admin);
});
