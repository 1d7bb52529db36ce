/** A deposit by PIX through two browsers: the trader pays, the administrators see it at once, the balance moves by itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, expect, type Page } from '@playwright/test';
import { answerTo, expectAccessible, type Person, rowOf, signIn, test } from './kit';

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

/** A real PNG that differs from every other. */
async function receipt(page: Page): Promise<Buffer> {
  const url = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    canvas.width = 360;
    canvas.height = 480;
    const pen = canvas.getContext('2d');
    if (!pen) throw new Error('no canvas');
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, 360, 480);
    pen.fillStyle = '#114';
    pen.font = '20px sans-serif';
    pen.fillText(`Comprovante ${crypto.getRandomValues(new Uint32Array(1))[0]}`, 20, 60);
    return canvas.toDataURL('image/png');
  });
  return Buffer.from(url.split(',')[1] ?? '', 'base64');
}

/** A bank's id of a payment made now. */
function endToEndId(): string {
  const stamp = new Date().toISOString().slice(0, 16).replace(/\D/g, '');
  return `E60701190${stamp}${Math.random().toString(36).slice(2).padEnd(11, '0').slice(0, 11)}`;
}

/** Gives the deposit's id. */
async function deposit(
  trader: Page,
  brl: string,
  file: { name: string; mimeType: string; buffer: Buffer },
): Promise<string> {
  await trader.getByLabel('Você paga').fill(brl);
  const { _id, brCode } = await answerTo<{ _id: string; brCode: string }>(trader, 'POST /deposit-pix', () =>
    trader.getByRole('button', { name: 'Gerar PIX' }).click(),
  );
  expect(brCode).toMatch(/br\.gov\.bcb\.pix.*6304[0-9A-F]{4}$/);
  // A former try's may be to pay as well.
  await expect(trader.getByTestId('qr-text')).toHaveValue(brCode);
  await trader.locator('input[type=file]').first().setInputFiles(file);
  await trader.getByRole('button', { name: 'Enviar comprovante' }).click();
  return _id;
}

const balance = (page: Page) =>
  page.evaluate(async () => {
    const { token } = await (
      await fetch('/api/auth/refresh', { method: 'POST', headers: { 'X-Arbora': '1' } })
    ).json();
    const { user } = await (await fetch('/api/me', { headers: { Authorization: `Bearer ${token}` } })).json();
    return user.balance as string;
  });

test('paid, proven, seen at once, approved: the balance moves without a reload', async ({ browser }) => {
  test.slow();
  const admin = await somebody(browser, 'admin1', '/deposits-pix-approve-reject');
  const colleague = await somebody(browser, 'admin2', '/deposits-pix-approve-reject');
  const trader = await somebody(browser, 'trader1', '/wallet/my-deposits-pix');
  await expectAccessible(trader);
  const before = Number(await balance(trader));

  // What is no picture is refused in words, and nothing is sent to the approvers.
  const id = await deposit(trader, '250', {
    name: 'nota.png',
    mimeType: 'image/png',
    buffer: Buffer.from('<html><script>1</script></html>'),
  });
  await expect(trader.getByRole('alert').getByText('Tipo de arquivo não aceito.')).toBeVisible();
  await trader
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'comprovante.png', mimeType: 'image/png', buffer: await receipt(trader) });
  await trader.getByRole('button', { name: 'Enviar comprovante' }).click();
  await expect(rowOf(trader, id)).toContainText('Em análise');

  // Both queues have it without a reload; the one who opens it is seen by the other.
  for (const page of [admin, colleague]) await expect(rowOf(page, id)).toContainText('@trader1');
  await rowOf(admin, id).getByText('@trader1').first().click();
  const drawer = admin.getByRole('dialog');
  await expect(drawer.getByRole('img', { name: 'Comprovante enviado' })).toBeVisible();
  await expect(rowOf(colleague, id)).toContainText('Carla Nogueira está decidindo');
  await drawer.getByLabel('EndToEndId do banco').fill(endToEndId());
  await drawer.getByLabel('Nome de quem pagou').fill('Ana Ribeiro');
  await drawer.getByRole('button', { name: 'Aprovar' }).click();
  // A message stays for 3 s only: watched for from before.
  const told = expect(trader.getByRole('region', { name: 'Mensagens' }).getByText(/50,00/)).toBeVisible();
  const said = expect(admin.getByTestId('toast').getByText(/^Depósito aprovado: 50,00/)).toBeVisible();
  await admin
    .getByRole('dialog', { name: 'Aprovar este depósito?' })
    .getByRole('button', { name: 'Aprovar' })
    .click();

  // Everybody sees it, nobody reloads.
  await told;
  await said;
  await expect(rowOf(trader, id)).toContainText('Aprovado');
  expect(Number(await balance(trader)) - before).toBe(50);
});

test('rejected with a reason, which offers to send another', async ({ browser }) => {
  test.slow();
  const admin = await somebody(browser, 'admin2', '/deposits-pix-approve-reject');
  const trader = await somebody(browser, 'trader2', '/wallet/my-deposits-pix');
  const id = await deposit(trader, '75', {
    name: 'comprovante.png',
    mimeType: 'image/png',
    buffer: await receipt(trader),
  });
  await rowOf(admin, id).getByText('@trader2').first().click();
  await admin.keyboard.press('r');
  const dialog = admin.getByRole('dialog', { name: 'Rejeitar este depósito?' });
  await dialog.getByLabel('Motivo, que o cliente vê').fill('Pagamento não encontrado no extrato.');
  await dialog.getByRole('button', { name: 'Rejeitar' }).click();
  await rowOf(trader, id).getByText('Pagamento não encontrado no extrato.').click();
  await trader.getByRole('dialog').getByRole('button', { name: 'Enviar outro' }).click();
  await expect(trader.getByLabel('Você paga')).toHaveValue('75,00');
});
