/** A customer and an agent in two browsers: a ticket appears, both chat live, a cut line loses nothing and doubles nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, expect, type Page } from '@playwright/test';
import { expectAccessible, type Person, picture, signIn, test } from './kit';

const demo = (name: string): Person => ({
  email: `${name}@arbora.example`,
  password: readFileSync(
    join(process.env.E2E_DATA_DIR ?? '.data', 'secrets', `demo_${name}.password`),
    'utf8',
  ).trim(),
});

/** Twelve by twelve pixels of one colour: a real picture. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAwAAAAMCAIAAADZF8uwAAAAE0lEQVR42mOQv9pNEDGMKhqMigCjAtdxtTaJGQAAAABJRU5ErkJggg==',
  'base64',
);

async function enter(browser: Browser, name: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, demo(name));
  return page;
}

const log = (page: Page) => page.getByRole('log');
const numbers = (page: Page) =>
  log(page)
    .locator('[data-number]')
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-number'))));
const row = (page: Page, number: number) => log(page).locator(`[data-number="${number}"]`);
const field = (page: Page) => page.getByRole('textbox', { name: 'Escreva uma mensagem' });

async function say(page: Page, text: string) {
  await field(page).fill(text);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  await expect(log(page).getByText(text, { exact: true })).toBeVisible();
}

test('a ticket lives between a customer and an agent', async ({ browser }) => {
  test.setTimeout(300_000);
  const subject = `Depósito não entrou ${Date.now()}`;
  const agent = await enter(browser, 'store');
  await agent.goto('/customer-service/tickets-list');
  await expect(agent.getByText('Ao vivo').first()).toBeVisible();
  await expectAccessible(agent);
  const customer = await enter(browser, 'trader1');

  // The form says what is missing and sends nothing before that.
  await customer.goto('/support/new-ticket');
  await customer.getByRole('button', { name: 'Abrir chamado' }).click();
  await expect(customer.getByText('Selecione uma categoria')).toBeVisible();
  await expectAccessible(customer);
  await customer.getByLabel('Assunto').fill(subject);
  await customer.getByRole('combobox', { name: 'Categoria' }).click();
  await customer.getByRole('option', { name: 'Financeiro' }).click();
  await customer.getByLabel('Descrição').fill('Enviei o PIX ontem.');
  await customer
    .locator('input[type=file]')
    .setInputFiles({ name: 'comprovante.png', mimeType: 'image/png', buffer: PNG });
  await customer.getByRole('button', { name: 'Abrir chamado' }).click();
  await expect(customer).toHaveURL(/\/support\/ticket\/[0-9a-f-]{36}$/);
  await expect(customer.getByRole('img', { name: 'Imagem anexada: comprovante.png' })).toBeVisible();

  // The agent's list shows it without a reload.
  await agent.getByRole('row').filter({ hasText: subject }).click();
  await expect(agent).toHaveURL(/ticket-response/);
  await expect(agent.getByRole('img', { name: 'Imagem anexada: comprovante.png' })).toBeVisible();
  await expect(agent.getByRole('complementary', { name: 'Cliente' })).toContainText('@trader1');

  // Presence, typing, read marks.
  await expect(customer.getByTestId('people')).toContainText('Gisele está respondendo');
  await expect(agent.getByTestId('people')).toContainText('Ana está aqui agora');
  // It ends by itself soon after the last key: watched for from before.
  const typing = expect(customer.getByTestId('people')).toContainText('Gisele está digitando…');
  await field(agent).pressSequentially('Vou verificar', { delay: 30 });
  await typing;
  await agent.getByRole('button', { name: 'Enviar', exact: true }).click();
  await expect(log(customer).getByText('Vou verificar')).toBeVisible();
  await expect(row(agent, 2).getByText('Visto')).toBeVisible();
  // The answer took the ticket, and what is noted inside stays there.
  await expect(agent.getByRole('button', { name: 'Com você' })).toBeVisible();
  await agent.getByText('Nota interna', { exact: true }).click();
  await agent.getByRole('textbox', { name: 'Escreva uma nota para a equipe' }).fill('Só para a equipe.');
  await agent.getByRole('button', { name: 'Guardar nota' }).click();
  await expect(log(agent).getByText('Só para a equipe.')).toBeVisible();
  await agent.getByText('Resposta', { exact: true }).click();
  await say(customer, 'Obrigada!');
  await expect(log(customer).getByText('Só para a equipe.')).toHaveCount(0);
  await expect(log(agent).getByText('Obrigada!')).toBeVisible();
  await expect(row(customer, 3).getByText('Visto')).toBeVisible();

  // One's own words can be corrected; the other side sees the new ones, marked.
  await row(customer, 3).getByRole('button', { name: 'Editar mensagem' }).click();
  await customer.getByRole('textbox', { name: 'Corrigir mensagem' }).fill('Muito obrigada!');
  await customer.getByRole('button', { name: 'Salvar' }).click();
  await expect(log(agent).getByText('Muito obrigada!')).toBeVisible();
  await expect(log(agent).getByText('editada')).toBeVisible();
  // Words are found as they read now, by both sides; what is noted inside is no message.
  for (const page of [customer, agent]) {
    const search = page.getByRole('searchbox', { name: 'Buscar nesta conversa' });
    await search.fill('obrigado');
    await search.press('Enter');
    await expect(page.getByTestId('found')).toContainText('1 de 1');
    await expect(row(page, 3).locator('mark')).toHaveText('obrigada');
    await search.fill('equipe');
    await expect(page.getByTestId('found')).toContainText('Nenhuma mensagem tem essas palavras.');
    await search.press('Escape');
    await expect(log(page)).toBeFocused();
    await page.keyboard.press('End');
  }
  await picture(customer, 'support-live-customer');
  await picture(agent, 'support-live-agent');
  await expectAccessible(customer);
  await expectAccessible(agent);

  // The agent's line is cut; what was said meanwhile arrives once and in order.
  await agent.context().setOffline(true);
  await expect(agent.getByText('Conexão perdida!').first()).toBeVisible();
  await agent.getByRole('textbox', { name: 'Escreva uma mensagem' }).fill('rascunho');
  for (const text of ['primeira', 'segunda', 'terceira']) await say(customer, text);
  await expect(log(agent).getByText('primeira')).toBeHidden();
  await agent.context().setOffline(false);
  await expect(log(agent).getByText('terceira')).toBeVisible();
  for (const text of ['primeira', 'segunda', 'terceira'])
    await expect(log(agent).getByText(text, { exact: true })).toHaveCount(1);
  for (const page of [agent, customer]) {
    await expect.poll(() => numbers(page)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const [index, text] of ['primeira', 'segunda', 'terceira'].entries())
      await expect(row(page, 4 + index)).toContainText(text);
  }
  await expect(field(agent)).toHaveValue('rascunho');
  await agent.getByRole('button', { name: 'Enviar', exact: true }).click();
  await expect(log(customer).getByText('rascunho')).toBeVisible();

  // Closed by the agent, opened again by the customer's words.
  await agent.getByRole('button', { name: 'Mais ações' }).click();
  await agent.getByRole('menuitem', { name: 'Fechar chamado' }).click();
  await agent.getByRole('dialog').getByRole('button', { name: 'Fechar chamado' }).click();
  await expect(customer.getByText(/Este chamado está fechado\. Escreva para reabrir/)).toBeVisible();
  await say(customer, 'Ainda não entrou');
  await expect(log(agent).getByText('Ainda não entrou')).toBeVisible();
  await expect(field(agent)).toBeVisible();
});
