/** Tickets: what a new one is about, the list of all of them, and the way from one to the next. */

import { expectAccessible, fits, picture } from '../kit';
import { CUSTOMER, refuse, stub } from './stub';
import { AGENT, ANSWERS, bubbles, CUSTOMER_PANEL, desk, detail, message, T, ticket } from './supportFixtures';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };

const SUBJECTS = {
  data: [
    {
      kind: 'transfer',
      id: 's1',
      amount: '12.500000',
      currency: 'USDT',
      status: 'complete',
      at: '2026-11-20T15:30:00Z',
    },
    {
      kind: 'pix_deposit',
      id: 's2',
      amount: '100.000000',
      currency: 'USDT',
      status: 'pending_approval',
      at: '2026-11-20T14:00:00Z',
    },
    {
      kind: 'pix_deposit',
      id: 's3',
      amount: '250.000000',
      currency: 'USDT',
      status: 'approved',
      at: '2026-11-18T14:00:00Z',
    },
  ],
};

test('a new ticket says what it is about, by keyboard', async ({ page }) => {
  const sent: unknown[] = [];
  await stub(page, CUSTOMER, {
    ...ANSWERS,
    'GET /support/subjects': SUBJECTS,
    'POST /support/open-ticket': async (route: Route) => {
      const { clientId, ...rest } = route.request().postDataJSON();
      expect(clientId).toBeTruthy();
      sent.push(rest);
      await route.fulfill({ json: { ticket: ticket(), message: message(1, 'customer', 'oi', 0) } });
    },
    [`GET /support/get-ticket-user/${T}`]: detail({ about: SUBJECTS.data[2] }),
  });
  await page.goto('/support/new-ticket');
  await page.getByRole('textbox', { name: 'Assunto' }).fill('Meu depósito');
  await page.getByRole('textbox', { name: 'Descrição' }).fill('Onde está?');
  const category = page.getByRole('combobox', { name: 'Categoria' });
  // What a further key would take; a list that opens marks it a moment later.
  const marked = page.locator('[role=option][data-combobox-selected]');
  await category.focus();
  // As it opens, a list marks its first line a moment late, and may do so anew under a key that comes between: then Enter takes nothing.
  await expect(async () => {
    await page.keyboard.press('ArrowDown');
    await expect(marked).toHaveText('Financeiro', { timeout: 500 });
    await page.keyboard.press('Enter');
    await expect(category).toHaveValue('Financeiro', { timeout: 500 });
  }).toPass();
  // Only kinds of which there is something.
  const about = page.getByRole('combobox', { name: 'Sobre o quê (opcional)' });
  await expect(page.getByRole('combobox', { name: 'Qual deles' })).toHaveCount(0);
  await about.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option')).toHaveText(['Nada em particular', 'Depósito PIX', 'Transferência']);
  // A list that opens by Enter marks its first line or nothing, as its drawing and its timer fall: a key moves on from there.
  await expect(async () => {
    await page.keyboard.press('ArrowDown');
    await expect(marked).toHaveText('Depósito PIX', { timeout: 500 });
  }).toPass();
  await page.keyboard.press('Enter');
  await expect(about).toHaveValue('Depósito PIX');
  const which = page.getByRole('combobox', { name: 'Qual deles' });
  await expect(which).toHaveValue('');
  // A kind alone says too little.
  await page.getByRole('button', { name: 'Abrir chamado' }).click();
  await expect(page.getByText('Escolha qual, ou volte a “Nada em particular”.')).toBeVisible();
  expect(sent).toEqual([]);
  await which.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('option')).toHaveText([
    /^100,00\sUSDT · Em análise · 20\/11\/2026/,
    /^250,00\sUSDT · Aprovado · 18\/11\/2026/,
  ]);
  await picture(page, 'support-new-about');
  await expect(marked).toHaveText(/^100,00/);
  await page.keyboard.press('ArrowDown');
  await expect(marked).toHaveText(/^250,00/);
  await page.keyboard.press('Enter');
  await expect(which).toHaveValue(/^250,00/);
  await expectAccessible(page);
  await expect(page.getByText('Escolha qual, ou volte a “Nada em particular”.')).toHaveCount(0);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'support-new-about-phone');
  await page.getByRole('button', { name: 'Abrir chamado' }).click();
  await expect(page).toHaveURL(`/support/ticket/${T}`);
  expect(sent).toEqual([
    {
      subject: 'Meu depósito',
      category: 'financial',
      description: 'Onde está?',
      about: { kind: 'pix_deposit', id: 's3' },
    },
  ]);
  // Both sides see it on the ticket; here it leads nowhere.
  const seen = page.getByTestId('ticket-about');
  await expect(seen).toContainText(/Depósito PIX\s*250,00\sUSDT\s*Aprovado/);
  await expect(seen.getByRole('link')).toHaveCount(0);
});

test('nothing in particular is as good', async ({ page }) => {
  const sent: { about: unknown }[] = [];
  const state = await stub(page, CUSTOMER, {
    ...ANSWERS,
    'GET /support/subjects': SUBJECTS,
    'POST /support/open-ticket': async (route: Route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ json: { ticket: ticket(), message: message(1, 'customer', 'oi', 0) } });
    },
  });
  await page.goto('/support/new-ticket');
  const fill = async () => {
    await page.getByRole('textbox', { name: 'Assunto' }).fill('Oi');
    await page.getByRole('textbox', { name: 'Descrição' }).fill('Oi');
    await page.getByRole('combobox', { name: 'Categoria' }).click();
    await page.getByRole('option', { name: 'Outro' }).click();
  };
  await fill();
  // The only one of its kind is chosen with it; taken back, nothing is.
  await page.getByRole('combobox', { name: 'Sobre o quê (opcional)' }).click();
  await page.getByRole('option', { name: 'Transferência' }).click();
  await expect(page.getByRole('combobox', { name: 'Qual deles' })).toHaveValue(/^12,50/);
  await page.getByRole('combobox', { name: 'Sobre o quê (opcional)' }).click();
  await page.getByRole('option', { name: 'Nada em particular' }).click();
  await expect(page.getByRole('combobox', { name: 'Qual deles' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Abrir chamado' }).click();
  await expect(page).toHaveURL(`/support/ticket/${T}`);
  await expect(bubbles(page)).not.toHaveCount(0);
  await expect(page.getByTestId('ticket-about')).toHaveCount(0);
  // Who has nothing, or cannot be told, is not asked.
  for (const answer of [{ data: [] }, refuse(503, 'service.unavailable', 'Indisponível.')]) {
    state.answers['GET /support/subjects'] = answer;
    await page.goto('/support/new-ticket');
    await fill();
    await expect(page.getByRole('combobox', { name: 'Sobre o quê (opcional)' })).toHaveCount(0);
  }
  await page.getByRole('button', { name: 'Abrir chamado' }).click();
  await expect(page).toHaveURL(`/support/ticket/${T}`);
  expect(sent.map(({ about }) => about)).toEqual([null, null]);
});

const LOOKS = '018f0000-0000-7000-8000-0000000000c1';

/** A colleague has a ticket open. */
const looks = (item: string, on = true) => ({
  type: 'glimpse',
  key: `deciding:${item}:${LOOKS}`,
  glimpse: { kind: 'deciding', queue: 'tickets', item, user: LOOKS, name: 'Rui Leal', on },
});

test('the list of all tickets narrows to open or closed ones, and says who looks at which', async ({
  page,
}) => {
  const state = await stub(page, AGENT, ANSWERS);
  await page.goto('/customer-service/tickets-list?status=closed');
  const status = page.getByRole('combobox', { name: 'Situação' });
  await expect(status).toHaveValue('Fechado');
  await status.click();
  await page.getByRole('option', { name: 'Aberto' }).click();
  await expect(page).toHaveURL(/[?&]status=open/);
  await state.say(looks('t2'));
  const row = page.getByRole('row').filter({ hasText: 'Como ativo o robô?' });
  await expect(row).toContainText('Rui Leal está vendo');
  await picture(page, 'tickets-looking');
  await expectAccessible(page);
  await state.say(looks('t2', false));
  await expect(row).not.toContainText('está vendo');
});

test('one key goes to the next that waits, where no colleague looks; the others see where one is', async ({
  page,
}) => {
  const state = await stub(page, AGENT, {
    ...ANSWERS,
    'GET /support/get-ticket-support-team/t2': detail({
      ticket: ticket({ _id: 't2', subject: 'Como ativo o robô?' }),
      customer: CUSTOMER_PANEL,
      desk: desk('t2'),
    }),
  });
  const told = (item: string, on: boolean) =>
    state
      .heard()
      .some(
        (word) => JSON.stringify(word) === JSON.stringify({ op: 'deciding', queue: 'tickets', item, on }),
      );
  await page.goto(`/customer-service/ticket-response/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  await expect.poll(() => told(T, true)).toBe(true);
  const field = page.getByRole('textbox', { name: 'Escreva uma mensagem' });
  await field.pressSequentially('n');
  await expect(field).toHaveValue('n');
  await field.fill('');
  await field.blur();
  const queue = page.getByRole('navigation', { name: 'Aguardando resposta' });
  // Before it is read there is no next one.
  await expect(queue.getByRole('listitem').filter({ hasText: 'Trocar o telefone' })).toBeVisible();
  await page.keyboard.press('n');
  await expect(page).toHaveURL('/customer-service/ticket-response/t2');
  await expect(page.getByRole('heading', { level: 1, name: 'Como ativo o robô?' })).toBeVisible();
  await expect.poll(() => told(T, false) && told('t2', true)).toBe(true);
  await state.say(looks('t3'));
  await expect(queue.getByRole('listitem').filter({ hasText: 'Trocar o telefone' })).toContainText(
    'Rui Leal está vendo',
  );
  await picture(page, 'ticket-next');
  await expectAccessible(page);
  // Whoever looks says so again and again; the look at the page may have taken longer than one word lasts.
  await state.say(looks('t3'));
  await expect(queue.getByRole('listitem').filter({ hasText: 'Trocar o telefone' })).toContainText(
    'Rui Leal está vendo',
  );
  await page.keyboard.press('n');
  await expect(page).toHaveURL(`/customer-service/ticket-response/${T}`);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog').getByText('Próximo chamado que espera')).toBeVisible();
  await page.keyboard.press('Escape');
  // Where there are no keys there is a button.
  await page.setViewportSize(PHONE);
  await fits(page);
  await page.getByRole('button', { name: 'Próximo chamado' }).click();
  await expect(page).toHaveURL('/customer-service/ticket-response/t2');
});

test('an agent sees what a ticket is about, and goes there', async ({ page }) => {
  const state = await stub(page, AGENT, {
    ...ANSWERS,
    [`GET /support/get-ticket-support-team/${T}`]: detail({
      customer: CUSTOMER_PANEL,
      about: SUBJECTS.data[1],
    }),
  });
  await page.goto(`/customer-service/ticket-response/${T}`);
  const seen = page.getByTestId('ticket-about');
  await expect(seen).toContainText(/Depósito PIX\s*100,00\sUSDT\s*Em análise/);
  await expect(seen.getByRole('link', { name: 'Depósito PIX' })).toHaveAttribute(
    'href',
    '/deposits-pix-approve-reject?tab=all&search=marinaduarte48201',
  );
  await picture(page, 'ticket-response-about');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  // Who may not go there reads its name.
  state.answers['GET /me'] = {
    user: {
      ...AGENT,
      roles: [
        {
          _id: 'r3',
          name: 'store_employee',
          permissions: ['registered-user', 'customer-service_response-ticket'].map((subject) => ({
            action: 'read',
            subject,
          })),
        },
      ],
    },
  };
  await page.reload();
  await expect(seen).toContainText('Depósito PIX');
  await expect(seen.getByRole('link')).toHaveCount(0);
});
