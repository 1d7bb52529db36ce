/** A transfer through two browsers: one sends with a code, the other sees it arrive; both statements show it, to the last digit. */
import { type Browser, expect, type Page } from '@playwright/test';
import { demo, expectAccessible, newestMail, picture, signIn, test, typeCode } from './kit';

async function somebody(
  browser: Browser,
  key: 'trader1' | 'trader2' | 'admin1',
  path: string,
): Promise<Page> {
  const context = await browser.newContext({ acceptDownloads: true });
  const page = await context.newPage();
  await signIn(page, demo(key));
  await page.goto(path);
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  return page;
}

/** Any two amounts differ, and none ends in a zero, which mails leave out. */
const amount = () => `1.${Math.floor(Math.random() * 90_000) + 10_000}${Math.floor(Math.random() * 9) + 1}`;

test('balance goes from one member to another, live on both sides', async ({ browser }) => {
  const [ana, bruno] = [
    await somebody(browser, 'trader1', '/wallet/transfers'),
    await somebody(browser, 'trader2', '/wallet/transfers'),
  ];
  const value = amount();
  const written = value.replace('.', ',');

  await ana.getByLabel('Para quem').fill('trader2');
  await ana.getByRole('button', { name: /@trader2/ }).click();
  await ana.getByRole('textbox', { name: /^Valor/ }).fill(written);
  await expectAccessible(ana);
  await picture(ana, 'transfers-form');
  await ana.getByRole('button', { name: 'Transferir' }).click();
  const dialog = ana.getByRole('dialog', { name: 'Confirmar transferência' });
  await expect(dialog).toContainText('@trader2');
  await expect(dialog).toContainText(written);
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await expect(ana.getByRole('dialog', { name: 'Código de segurança' })).toBeVisible();
  const mail = await newestMail(ana, demo('trader1').email, new RegExp(written));
  expect(mail).toContain('Destino: trader2');
  // The other browser was not touched. A message stays for 3 s only: watched for from before.
  const told = bruno.getByTestId('toast').filter({ hasText: /Você recebeu .* de @trader1/ });
  const arrived = expect(told.first()).toBeVisible();
  await typeCode(ana, /\b\d{6}\b/.exec(mail.replace(written, ''))?.[0] ?? '');
  await expect(ana.getByText('Transferência a @trader2 concluída.').first()).toBeVisible();
  await arrived;
  const four = written.slice(0, 6);
  await expect(bruno.getByRole('row').filter({ hasText: four }).first()).toContainText('Recebida');
  await expect(ana.getByRole('row').filter({ hasText: four }).first()).toContainText('Enviada');

  for (const [page, side] of [
    [ana, 'ana'],
    [bruno, 'bruno'],
  ] as const) {
    await page.goto('/customer/extrato?account=available');
    const row = page.getByRole('row').filter({ hasText: 'Transferência entre membros' }).first();
    await expect(row).toContainText(four);
    await expectAccessible(page);
    await picture(page, `statement-${side}`);
  }
  const saved = ana.waitForEvent('download');
  await ana.getByRole('button', { name: 'CSV' }).click();
  expect((await saved).suggestedFilename()).toMatch(/^arbora-.*\.csv$/);
  const document = ana.waitForEvent('download');
  await ana.getByRole('button', { name: 'PDF' }).click();
  expect((await document).suggestedFilename()).toMatch(/\.pdf$/);

  // On a phone.
  await ana.setViewportSize({ width: 390, height: 844 });
  await expect(ana.getByText('Transferência entre membros').first()).toBeVisible();
  await picture(ana, 'statement-phone');
  await ana.goto('/wallet/transfers');
  await expect(ana.getByLabel('Para quem')).toBeVisible();
  await picture(ana, 'transfers-phone');
});

test('staff see the transfer and give sponsorship', async ({ browser }) => {
  const admin = await somebody(browser, 'admin1', '/transfers-reports');
  await expect(admin.getByRole('heading', { name: 'Relatório de transferências' })).toBeVisible();
  await expect(admin.getByRole('row').filter({ hasText: '@trader2' }).first()).toBeVisible();
  await expectAccessible(admin);
  await picture(admin, 'transfers-report');

  await admin.goto('/add-remove-balance?search=trader2');
  const people = admin.getByRole('table', { name: 'Pessoas e saldos' });
  await people.getByRole('row').filter({ hasText: '@trader2' }).click();
  await admin.getByRole('textbox', { name: /^Valor/ }).fill('25');
  await expectAccessible(admin);
  await picture(admin, 'sponsorship');
  await admin.getByRole('button', { name: 'Adicionar' }).click();
  const dialog = admin.getByRole('dialog', { name: 'Adicionar patrocínio' });
  await dialog.getByLabel('Motivo').fill('Campanha de boas-vindas');
  await dialog.getByRole('button', { name: 'Adicionar' }).click();
  await expect(admin.getByText('Patrocínio registrado.').first()).toBeVisible();
  await expect(admin.getByRole('row').filter({ hasText: 'Campanha de boas-vindas' }).first()).toContainText(
    'Concluído',
  );
  await admin.setViewportSize({ width: 390, height: 844 });
  await picture(admin, 'sponsorship-phone');
});
