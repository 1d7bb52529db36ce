/** Withdrawals by PIX through several browsers: asked for with a mailed code, approved, paid; above the limit by two persons. */
import { type Browser, expect, type Page } from '@playwright/test';
import {
  answerTo,
  demo,
  expectAccessible,
  hoursPass,
  mailAfter,
  picture,
  rowOf,
  signIn,
  tellDatabase,
  test,
  typeCode,
} from './kit';

const CPF = '529.982.247-25';

/** PIX money stays young for days: the demo's own database is told that they have passed. */
function agePixMoney() {
  tellDatabase('UPDATE approvals.young_credit SET ended_at = now() WHERE ended_at IS NULL');
}

async function somebody(browser: Browser, name: Parameters<typeof demo>[0], path: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, demo(name));
  await page.goto(path);
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  return page;
}

/** A call of the signed-in person, beside the screens. */
async function call<T>(page: Page, method: string, path: string, data: unknown): Promise<T> {
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
        body: JSON.stringify(data),
      });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    [method, path, data] as const,
  );
}

/** A bank's id of a payment made now. */
function endToEndId(): string {
  const stamp = new Date().toISOString().slice(0, 16).replace(/\D/g, '');
  return `E60701190${stamp}${Math.random().toString(36).slice(2).padEnd(11, '0').slice(0, 11)}`;
}

/** The code that is mailed when something is done. */
async function codeFor(
  page: Page,
  email: string,
  purpose: RegExp,
  act: () => Promise<void>,
): Promise<string> {
  const [, code] = /^\s*(\d{6})\s*$/m.exec(await mailAfter(page, email, purpose, act)) ?? [];
  if (!code) throw new Error('no code in the mail');
  return code;
}

/** Document, key, amount, confirmation, code: what a customer does. Gives the withdrawal's id. */
async function withdraw(page: Page, name: 'trader1' | 'trader2', value: string): Promise<string> {
  const { email } = demo(name);
  const document = page.getByLabel('CPF ou CNPJ');
  await expect(document.or(page.getByLabel('Chave PIX'))).toBeVisible();
  if (await document.isVisible()) {
    await document.fill(CPF);
    const save = () => page.getByRole('button', { name: 'Salvar documento' }).click();
    await typeCode(page, await codeFor(page, email, /alterar seus dados/, save));
  }
  await page.getByLabel('Chave PIX').fill(CPF);
  await page.getByLabel('Valor do saque').fill(value);
  await page.getByRole('button', { name: 'Continuar' }).click();
  const question = page.getByRole('dialog', { name: 'Confirmar este saque?' });
  await expect(question.getByText(CPF)).toBeVisible();
  hoursPass();
  const code = await codeFor(page, email, /sacar por PIX/, () =>
    question.getByRole('button', { name: 'Pedir código' }).click(),
  );
  const { _id } = await answerTo<{ _id: string }>(page, 'POST /withdraw-pix', () => typeCode(page, code));
  await expect(page.getByRole('dialog', { name: 'Saque PIX' })).toBeVisible();
  await page.keyboard.press('Escape');
  return _id;
}

async function approve(page: Page, id: string, brl: string) {
  await rowOf(page, id).getByText(brl).first().click();
  const drawer = page.getByRole('dialog', { name: new RegExp(`Saque de.*${brl}`) });
  await drawer.getByRole('button', { name: 'Aprovar' }).click();
  await page
    .getByRole('dialog', { name: 'Aprovar este saque?' })
    .getByRole('button', { name: 'Aprovar' })
    .click();
  return drawer;
}

test('asked for with a code, approved and paid: both sides see it without a reload', async ({ browser }) => {
  test.slow();
  agePixMoney();
  const trader = await somebody(browser, 'trader1', '/wallet/my-withdrawals-pix');
  const admin = await somebody(browser, 'admin2', '/pix-withdrawal-list');
  await expectAccessible(trader);
  const id = await withdraw(trader, 'trader1', '50');
  await expect(rowOf(trader, id)).toContainText('***.982.247-**');
  await expectAccessible(trader);
  await picture(trader, 'my-withdrawals-pix');
  await trader.setViewportSize({ width: 390, height: 844 });
  await picture(trader, 'my-withdrawals-pix-phone');
  await trader.setViewportSize({ width: 1440, height: 900 });

  // The queue has it at once; the key is shown on request only.
  await expect(rowOf(admin, id)).toContainText('@trader1');
  await expectAccessible(admin);
  const drawer = await approve(admin, id, '245,00');
  await expect(drawer.getByRole('button', { name: 'Registrar pagamento' })).toBeVisible();
  await drawer.getByRole('button', { name: 'Mostrar a chave' }).click();
  await expect(drawer.getByTestId('whole-key')).toContainText(CPF);
  await picture(admin, 'pix-withdrawal-to-pay');
  await expectAccessible(admin);
  await expect(rowOf(trader, id)).toContainText('Aprovado, a pagar');

  await drawer.getByLabel('EndToEndId do banco').fill(endToEndId());
  await drawer.getByRole('button', { name: 'Registrar pagamento' }).click();
  const told = expect(trader.getByRole('region', { name: 'Mensagens' }).getByText(/245,00/)).toBeVisible();
  await admin
    .getByRole('dialog', { name: 'Registrar este pagamento?' })
    .getByRole('button', { name: 'Registrar pagamento' })
    .click();
  await told;
  await expect(rowOf(trader, id)).toContainText('Pago');
});

test('above the limit two persons approve', async ({ browser }) => {
  test.slow();
  const trader = await somebody(browser, 'trader2', '/wallet/my-withdrawals-pix');
  const first = await somebody(browser, 'admin1', '/pix-withdrawal-list');
  const second = await somebody(browser, 'admin2', '/pix-withdrawal-list');
  // Old money above the limit: a deposit that two persons approved long ago.
  const { _id } = await call<{ _id: string }>(trader, 'POST', '/deposit-pix', { usdt: '5200' });
  await trader.evaluate(async (id) => {
    const { token } = await (
      await fetch('/api/auth/refresh', { method: 'POST', headers: { 'X-Arbora': '1' } })
    ).json();
    const canvas = document.createElement('canvas');
    const pen = canvas.getContext('2d');
    pen?.fillText(crypto.randomUUID(), 5, 40);
    const picture = await new Promise<Blob | null>((done) => canvas.toBlob(done));
    const form = new FormData();
    form.append('file', picture ?? new Blob(), 'comprovante.png');
    const headers = { Authorization: `Bearer ${token}` };
    await fetch(`/api/deposit-pix/${id}/proof`, { method: 'POST', headers, body: form });
  }, _id);
  const statement = { id: _id, status: 'approved', endToEndId: endToEndId(), payerName: 'Rui Prado' };
  for (const admin of [first, second])
    await call(admin, 'PATCH', '/admin/deposits-pix-approve-reject', statement);
  agePixMoney();

  const id = await withdraw(trader, 'trader2', '5100');
  await approve(first, id, '24.990,00');
  for (const admin of [first, second]) await expect(rowOf(admin, id)).toContainText('1 de 2 aprovações');
  const drawer = await approve(second, id, '24.990,00');
  await expect(drawer.getByRole('button', { name: 'Registrar pagamento' })).toBeVisible();
  await expect(rowOf(trader, id)).toContainText('Aprovado, a pagar');
});

test('a line of the statement brings a deposit without proof before the approvers', async ({ browser }) => {
  test.slow();
  const trader = await somebody(browser, 'trader1', '/wallet/my-deposits-pix');
  // Any two runs differ.
  const cents = String(Math.floor(Math.random() * 90) + 10);
  const { _id, txid } = await call<{ _id: string; txid: string }>(trader, 'POST', '/deposit-pix', {
    brl: `61.${cents}`,
  });
  const admin = await somebody(browser, 'admin2', '/pix-statements');
  await expectAccessible(admin);
  const bank = endToEndId();
  const today = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
  const lines = ['date,EndToEndId,txid,payer,BRL', `${today},${bank},${txid},Ana Ribeiro,61.${cents}`];
  await admin
    .locator('input[type=file]')
    .setInputFiles({ name: 'extrato.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) });
  await admin.getByRole('button', { name: 'Conciliar', exact: true }).click();
  await expect(admin.getByRole('table').getByText('Reaberto').first()).toBeVisible();
  await expectAccessible(admin);
  await picture(admin, 'pix-statements');
  // Its owner sees it under review without having sent anything.
  await expect(rowOf(trader, _id)).toContainText('Em análise');
  await admin.goto('/deposits-pix-approve-reject');
  await rowOf(admin, _id).getByText(`R$\u00a061,${cents}`).first().click();
  await expect(admin.getByRole('dialog').getByLabel('EndToEndId do banco')).toHaveValue(bank);
});
