/** One's own wallet on the demo's chain: filled, a send and a swap with their codes, followed live until their blocks. */
import { type Browser, expect, type Page } from '@playwright/test';
import { demo, expectAccessible, fits, mailAfter, picture, signIn, test, typeCode } from './kit';

/** Blocks come every second while something waits for them. */
const MINED = { timeout: 90_000 };
const ELSEWHERE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

async function wallet(browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, demo('trader2'));
  await page.goto('/account-setting?tab=crypto');
  await expect(page.getByTestId('qr-text')).toHaveValue(/^0x[0-9a-fA-F]{40}$/);
  return page;
}

/** The code of the mail that names this amount and comes when something is done. */
async function code(page: Page, amount: string, act: () => Promise<void>): Promise<string> {
  const mail = await mailAfter(page, demo('trader2').email, new RegExp(amount.replace('.', '\\.')), act);
  return /(?<![\d.,])\d{6}(?![\d.,])/.exec(mail)?.[0] ?? '';
}

/** The history's line of a kind and an amount. */
const line = (page: Page, kind: string, amount: string) =>
  page.getByRole('row').filter({ hasText: kind }).filter({ hasText: amount }).first();

test('a send and a swap are ordered with their codes and seen in their blocks', async ({ browser }) => {
  test.slow();
  const page = await wallet(browser);
  await page.getByRole('button', { name: /Receber 0,2 BNB/ }).click();
  await expect(line(page, 'Recebimento', '250')).toBeVisible(MINED);
  await expect(line(page, 'Recebimento', '0,2')).toBeVisible(MINED);
  await expectAccessible(page);
  await picture(page, 'wallet');

  // Any two runs differ.
  const cents = String(Math.floor(Math.random() * 90) + 10);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  const sending = page.getByRole('dialog', { name: 'Enviar moedas' });
  await expect(sending.getByRole('radio', { name: 'USDT' })).toBeChecked();
  await sending.getByLabel('Endereço de destino').fill(ELSEWHERE);
  await sending.getByRole('textbox', { name: /^Valor/ }).fill(`1,${cents}`);
  await expectAccessible(page);
  // "1.50" is "1.5" in the mail as on the chain.
  const plain = (whole: number) => `${whole}.${cents}`.replace(/0$/, '');
  const toSend = await code(page, `${plain(1)} USDT`, () =>
    sending.getByRole('button', { name: 'Revisar envio' }).click(),
  );
  await expect(sending.getByTestId('send-to')).toContainText('0x 5aAe b605');
  await expectAccessible(page);
  await picture(page, 'wallet-send');
  await typeCode(page, toSend);
  await sending.getByRole('button', { name: 'Enviar agora' }).click();
  await expect(sending).toBeHidden();
  const sent = line(page, 'Envio', `1,${cents}`);
  await expect(sent).toContainText('Concluído', MINED);

  await page.getByRole('button', { name: 'Trocar', exact: true }).click();
  const swapping = page.getByRole('dialog', { name: 'Trocar moedas' });
  await swapping.getByLabel('De', { exact: true }).click();
  await page.getByRole('option', { name: 'USDT', exact: true }).click();
  await swapping.getByLabel('Para', { exact: true }).click();
  await page.getByRole('option', { name: 'PYX', exact: true }).click();
  await swapping.getByRole('textbox', { name: /^Você troca/ }).fill(`3,${cents}`);
  await expect(swapping.getByTestId('swap-minimum')).toContainText('PYX');
  await expect(swapping.getByText('USDT → PYX')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'wallet-swap');
  const toSwap = await code(page, `${plain(3)} USDT`, () =>
    swapping.getByRole('button', { name: 'Revisar troca' }).click(),
  );
  await picture(page, 'wallet-swap-review');
  await typeCode(page, toSwap);
  await swapping.getByRole('button', { name: 'Trocar agora' }).click();
  await expect(swapping).toBeHidden();
  const swapped = line(page, 'Troca', `3,${cents}`);
  await expect(swapped).toContainText('Concluído', MINED);
  await expect(swapped).toContainText('PYX');
  await swapped.click();
  await expect(page.getByRole('dialog').getByText('Taxa da rede paga')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByRole('heading', { name: 'Saldos na rede' })).toBeVisible();
  await fits(page);
  await picture(page, 'wallet-phone');
});

test('the words are shown for a minute to who has the code, and a destination waits', async ({ browser }) => {
  const page = await wallet(browser);
  await page.getByRole('button', { name: 'Revelar frase' }).click();
  const mail = await mailAfter(page, demo('trader2').email, /frase/i, () =>
    page
      .getByRole('dialog', { name: 'Revelar a frase secreta?' })
      .getByRole('button', { name: 'Continuar' })
      .click(),
  );
  await typeCode(page, /\b\d{6}\b/.exec(mail)?.[0] ?? '');
  const words = page.getByTestId('phrase-word');
  await expect(words).toHaveCount(12);
  await expect(words.first()).toContainText('••••••');
  await page.getByRole('button', { name: 'Mostrar palavras' }).click();
  await expect(words.first()).toHaveText(/^1\. [a-z]+$/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Apagar da tela' }).click();
  await expect(words).toHaveCount(0);

  const label = `Cofre ${Math.floor(Math.random() * 1e6)}`;
  await page.getByRole('button', { name: 'Adicionar destino' }).click();
  const adding = page.getByRole('dialog', { name: 'Adicionar destino' });
  const address = `0x${Array.from({ length: 40 }, () => '0123456789abcdef'[Math.floor(Math.random() * 16)]).join('')}`;
  await adding.getByLabel('Endereço (BSC)').fill(address);
  await adding.getByLabel('Apelido').fill(label);
  await expectAccessible(page);
  const listed = await mailAfter(page, demo('trader2').email, new RegExp(address, 'i'), () =>
    adding.getByRole('button', { name: 'Continuar' }).click(),
  );
  await expect(page.getByRole('dialog', { name: 'Código para mudar a lista' })).toBeVisible();
  await typeCode(page, /(?<![0-9a-fA-F])\d{6}(?![0-9a-fA-F])/.exec(listed)?.[0] ?? '');
  const row = page.getByRole('row').filter({ hasText: label });
  await expect(row).toContainText('Espera');
  await expectAccessible(page);
  await picture(page, 'whitelist');
});
