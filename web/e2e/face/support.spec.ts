/** Support's screens in the built face: pictures, axe in both skins, and what a chat must do when lines are slow or cut. */

import { expectAccessible, fits, picture } from '../kit';
import { JUST_NOW } from './clock';
import { PIXEL } from './fixtures';
import { CUSTOMER, refuse, type Stub, stub, type Told } from './stub';
import {
  AGENT,
  ANSWERS,
  BIA,
  bubbles,
  CUSTOMER_PANEL,
  desk,
  detail,
  message,
  page1,
  T,
  ticket,
} from './supportFixtures';
import { expect, type Locator, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const say = (state: Stub, text: Told) => state.say(text);

const event = (seq: number, body: object) => ({
  type: 'event',
  stream: `ticket:${T}`,
  epoch: 1,
  seq,
  at: JUST_NOW,
  event: body,
});

const arrived = (seq: number, number: number, text: string, more: object = {}) =>
  event(seq, { kind: 'ticket.message', message: message(number, 'staff', text, 0, more) });

const SCREENS = [
  ['support', '/support', CUSTOMER, 'Suporte'],
  ['support-new', '/support/new-ticket', CUSTOMER, 'Novo chamado'],
  ['support-ticket', `/support/ticket/${T}`, CUSTOMER, /^Depósito/],
  ['tickets', '/customer-service/tickets-list', AGENT, 'Chamados'],
  ['ticket-response', `/customer-service/ticket-response/${T}`, AGENT, /^Depósito/],
] as const;

for (const [name, path, user, title] of SCREENS)
  test(`screen: ${name}`, async ({ page }) => {
    await stub(page, user, ANSWERS);
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(page.getByText('Ao vivo').first()).toBeVisible();
    await page.waitForLoadState('networkidle');
    await picture(page, `${name}-dark`);
    await expectAccessible(page);
    await page.evaluate(() => document.documentElement.setAttribute('data-mantine-color-scheme', 'light'));
    await picture(page, `${name}-light`);
    await page.setViewportSize(PHONE);
    await picture(page, `${name}-phone`);
    await expectAccessible(page, ['dark']);
  });

for (const [side, user, path, call] of [
  ['its customer', CUSTOMER, `/support/ticket/${T}`, `GET /support/get-ticket-user/${T}`],
  ['staff', AGENT, `/customer-service/ticket-response/${T}`, `GET /support/get-ticket-support-team/${T}`],
] as const)
  test(`the thing that a ticket is about changes beside the conversation: ${side}`, async ({ page }) => {
    const about = { kind: 'pix_deposit', id: 'd1', amount: '100.000000', currency: 'USDT' };
    const pending = { ...about, status: 'pending_approval', at: '2026-11-20T12:00:00Z' };
    const staff = side === 'staff' && { customer: CUSTOMER_PANEL, desk: desk() };
    const state = await stub(page, user, { ...ANSWERS, [call]: detail({ about: pending, ...staff }) });
    await page.goto(path);
    const shown = page.getByTestId('ticket-about');
    await expect(shown).toContainText('Em análise');
    const read = () => state.calls.filter((one) => one === call).length;
    const before = read();
    const approved = { ...about, status: 'approved', at: '2026-11-20T14:59:00Z' };
    await say(state, event(1, { kind: 'ticket.about', ticket: T, about: approved }));
    await expect(shown).toContainText('Aprovado');
    // Told, not asked for.
    expect(read()).toBe(before);
    await page.setViewportSize(PHONE);
    await fits(page);
    await expectAccessible(page, ['dark']);
  });

test('no ticket yet: what to do', async ({ page }) => {
  await stub(page, CUSTOMER, { ...ANSWERS, 'GET /support/list-tickets-user/': page1([]) });
  await page.goto('/support');
  await expect(page.getByText('Nenhum chamado ainda.')).toBeVisible();
  await page.getByRole('link', { name: 'Novo chamado' }).first().click();
  await page.getByRole('button', { name: 'Abrir chamado' }).click();
  await expect(page.getByText('Selecione uma categoria')).toBeVisible();
  await expect(page.getByText('Escreva o assunto.')).toBeVisible();
  await expectAccessible(page);
});

test('what is sent shows at once, once, and can be tried again', async ({ page }) => {
  let fail = true;
  const bodies: { clientId: string; text: string }[] = [];
  const state = await stub(page, CUSTOMER, {
    ...ANSWERS,
    'POST /support/ticket-response': async (route: Route) => {
      const body = route.request().postDataJSON();
      bodies.push(body);
      if (fail) return refuse(503, 'service.unavailable', 'Serviço indisponível no momento.')(route);
      const stored = message(7, 'customer', body.text, 0, { clientId: body.clientId });
      // The stream may be faster than the answer.
      await say(state, event(1, { kind: 'ticket.message', message: stored }));
      await route.fulfill({ json: { ticket: ticket({ lastNumber: 7, version: 10 }), message: stored } });
    },
  });
  await page.goto(`/support/ticket/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  const field = page.getByRole('textbox', { name: 'Escreva uma mensagem' });
  await field.fill('E2E00000000202611201432abcdefghij1');
  await page.reload();
  await expect(field).toHaveValue('E2E00000000202611201432abcdefghij1');
  await field.press('Control+Enter');
  await expect(page.getByText('Não enviada.')).toBeVisible();
  await expect(field).toHaveValue('');
  await picture(page, 'support-failed');
  await expectAccessible(page);
  fail = false;
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(bubbles(page)).toHaveCount(7);
  await expect(page.getByText('Não enviada.')).toBeHidden();
  await expect(page.getByText('E2E00000000202611201432abcdefghij1')).toHaveCount(1);
  expect(new Set(bodies.map(({ clientId }) => clientId)).size).toBe(1);
});

test('doubles, edits, typing, presence, read marks and a new divider', async ({ page }) => {
  const state = await stub(page, CUSTOMER, ANSWERS);
  await page.goto(`/support/ticket/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  await expect(page.getByText('Não lidas', { exact: true })).toBeVisible();
  await expect(page.getByText('Visto')).toBeVisible();
  await say(state, {
    type: 'glimpse',
    key: 'p',
    glimpse: {
      kind: 'presence',
      ticket: T,
      users: [
        { id: BIA, name: 'Bia Ramos', staff: true },
        { id: CUSTOMER._id, name: 'Marina', staff: false },
      ],
    },
  });
  await expect(page.getByText('Bia está respondendo')).toBeVisible();
  await say(state, {
    type: 'glimpse',
    key: 't',
    glimpse: { kind: 'typing', ticket: T, user: BIA, name: 'Bia Ramos', on: true },
  });
  await expect(page.getByText('Bia está digitando…')).toBeVisible();
  await picture(page, 'support-typing');
  await say(state, arrived(1, 7, 'Achei o depósito.'));
  await say(state, arrived(1, 7, 'Achei o depósito.'));
  await say(state, arrived(2, 8, 'Já foi aprovado.'));
  await expect(bubbles(page)).toHaveCount(8);
  await say(
    state,
    event(3, {
      kind: 'ticket.message_changed',
      message: message(8, 'staff', 'Já foi aprovado!', 0, { edited: true }),
    }),
  );
  await expect(page.getByText('Já foi aprovado!')).toBeVisible();
  await page.getByRole('textbox', { name: 'Escreva uma mensagem' }).pressSequentially('oi');
  await expect.poll(() => state.heard().some(({ op }) => op === 'typing')).toBe(true);
});

test('what is said quickly goes out one after the other', async ({ page }) => {
  const order: string[] = [];
  let number = 6;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await stub(page, CUSTOMER, {
    ...ANSWERS,
    'POST /support/ticket-response': async (route: Route) => {
      const { text, clientId } = route.request().postDataJSON();
      order.push(text);
      if (text === 'primeira') await held;
      number++;
      const stored = message(number, 'customer', text, 0, { clientId });
      await route.fulfill({
        json: { ticket: ticket({ lastNumber: number, version: number + 10 }), message: stored },
      });
    },
  });
  await page.goto(`/support/ticket/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  const field = page.getByRole('textbox', { name: 'Escreva uma mensagem' });
  for (const text of ['primeira', 'segunda', 'terceira']) {
    await field.fill(text);
    await field.press('Control+Enter');
    await expect(page.getByRole('log').getByText(text)).toBeVisible();
  }
  await expect.poll(() => order).toEqual(['primeira']);
  release();
  await expect(bubbles(page)).toHaveCount(9);
  expect(order).toEqual(['primeira', 'segunda', 'terceira']);
});

test('a read mark that nobody confirms is told again', async ({ page }) => {
  const state = await stub(page, CUSTOMER, ANSWERS);
  const marks = () => state.heard().filter(({ op }) => op === 'read').length;
  await page.goto(`/support/ticket/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  await expect.poll(marks).toBeGreaterThan(0);
  const first = marks();
  await page.clock.fastForward(5_000);
  await expect.poll(marks).toBeGreaterThan(first);
  await say(state, event(1, { kind: 'ticket.read', ticket: T, side: 'customer', upTo: 6, message: null }));
  // What was received is worked off by the next frame.
  const workedOff = async () => {
    await page.clock.runFor(100);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  };
  await workedOff();
  await expect(page.getByText('Não lidas', { exact: true })).toBeVisible();
  const confirmed = marks();
  await page.clock.fastForward(30_000);
  await workedOff();
  expect(marks()).toBe(confirmed);
});

test('nothing moves for a reader further up: a pill says how many came', async ({ page }) => {
  const many = Array.from({ length: 40 }, (_, index) =>
    message(index + 1, index % 2 ? 'staff' : 'customer', `Linha ${index + 1}`, 300 - index),
  );
  const state = await stub(page, CUSTOMER, {
    ...ANSWERS,
    [`GET /support/get-ticket-user/${T}`]: detail({
      ticket: ticket({ lastNumber: 40, readByCustomer: 40 }),
      messages: many,
    }),
  });
  await page.goto(`/support/ticket/${T}`);
  await expect(page.getByText('Linha 40', { exact: true })).toBeInViewport();
  await page.getByRole('log').evaluate((log) => {
    log.scrollTop = 0;
  });
  // The page has noticed that its reader went up.
  await expect(page.getByRole('button', { name: 'Ir para o fim' })).toBeVisible();
  for (const [index, text] of ['um', 'dois', 'três'].entries())
    await say(state, arrived(index + 1, 41 + index, text));
  await page.getByRole('button', { name: '3 novas' }).click();
  await expect(page.getByText('três')).toBeInViewport();
  await expect(page.getByRole('button', { name: '3 novas' })).toBeHidden();
});

test('deleting asks first and leads back to the list', async ({ page }) => {
  const { calls } = await stub(page, AGENT, { ...ANSWERS, [`DELETE /support/delete-ticket/${T}`]: null });
  await page.goto(`/customer-service/ticket-response/${T}`);
  await page.getByRole('button', { name: 'Mais ações' }).click();
  await page.getByRole('menuitem', { name: 'Excluir chamado' }).click();
  await expect(page.getByRole('dialog', { name: 'Excluir este chamado?' })).toBeVisible();
  expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual([]);
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Excluir chamado' }).click();
  await expect(page).toHaveURL('/customer-service/tickets-list');
});

test('a mail stays in the conversation as what it is, and a second click sends nothing more', async ({
  page,
}) => {
  const bodies: { clientId: string; text: string }[] = [];
  const state = await stub(page, AGENT, {
    ...ANSWERS,
    'POST /support/email-send': async (route: Route) => {
      const body = route.request().postDataJSON();
      bodies.push(body);
      if (bodies.length === 1)
        return refuse(503, 'service.unavailable', 'Serviço indisponível no momento.')(route);
      const more = { clientId: body.clientId, mailedTo: 'ma***@exemplo.com.br', author: AGENT._id };
      const stored = message(7, 'staff', body.text, 0, more);
      await say(state, event(1, { kind: 'ticket.message', message: stored }));
      await route.fulfill({ json: { ticket: ticket({ lastNumber: 7, version: 10 }), message: stored } });
    },
  });
  await page.goto(`/customer-service/ticket-response/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  await page.getByRole('button', { name: 'Mais ações' }).click();
  await page.getByRole('menuitem', { name: 'Enviar por e-mail' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Texto do e-mail').fill('Seu depósito foi aprovado.');
  const send = dialog.getByRole('button', { name: 'Enviar por e-mail' });
  await send.click();
  await expect(dialog.getByText('Serviço indisponível no momento.')).toBeVisible();
  await send.click();
  await expect(page.getByTestId('toast').getByText('E-mail enviado.')).toBeVisible();
  const sent = bubbles(page).last();
  await expect(sent).toContainText('E-mail enviado a ma***@exemplo.com.br');
  await expect(sent).toContainText('Seu depósito foi aprovado.');
  await expect(sent.getByRole('button', { name: 'Editar mensagem' })).toHaveCount(0);
  expect(bodies).toHaveLength(2);
  expect(bodies[0]).toEqual(bodies[1]);
  await picture(page, 'ticket-mailed');
  await expectAccessible(page);
});

test('a picture of a conversation is a preview until one looks closer', async ({ page }) => {
  const sizes: (string | null)[] = [];
  await stub(page, CUSTOMER, {
    ...ANSWERS,
    'GET /files/f1': (route: Route) => {
      sizes.push(new URL(route.request().url()).searchParams.get('size'));
      return route.fulfill({ contentType: 'image/png', body: PIXEL });
    },
  });
  await page.goto(`/support/ticket/${T}`);
  const small = page.getByRole('button', { name: 'Abrir comprovante.png' });
  await expect(small.locator('img')).toBeAttached();
  expect(new Set(sizes)).toEqual(new Set(['preview']));
  await small.click();
  await expect(page.getByRole('dialog', { name: 'comprovante.png' }).locator('img')).toBeAttached();
  await expect.poll(() => sizes.at(-1)).toBeNull();
});

test('a PDF is read over the conversation', async ({ page }) => {
  await stub(page, CUSTOMER, {
    ...ANSWERS,
    'GET /files/f2': (route: Route) =>
      route.fulfill({ contentType: 'application/pdf', body: Buffer.from('%PDF-1.4\n%%EOF') }),
  });
  await page.goto(`/support/ticket/${T}`);
  await page.getByRole('button', { name: 'Abrir extrato novembro.pdf' }).click();
  const dialog = page.getByRole('dialog', { name: 'extrato novembro.pdf' });
  await expect(dialog.locator('iframe[title="extrato novembro.pdf"]')).toHaveAttribute('src', /^blob:/);
  const come = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Baixar' }).click();
  expect((await come).suggestedFilename()).toBe('extrato novembro.pdf');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'support-pdf-phone');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

/** As the browser tells of what is pasted or dropped. */
const bring = (
  target: Locator,
  how: 'paste' | 'drop',
  files: readonly (readonly [string, string])[],
  text = '',
) =>
  target.evaluate(
    (node, told) => {
      const data = new DataTransfer();
      for (const [name, type] of told.files) data.items.add(new File(['x'], name, { type }));
      if (told.text) data.setData('text/plain', told.text);
      const more = { bubbles: true, cancelable: true };
      node.dispatchEvent(
        told.how === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, ...more })
          : new DragEvent('drop', { dataTransfer: data, ...more }),
      );
    },
    { how, files, text },
  );

test('an image or a PDF is pasted or dropped into the conversation, one a message', async ({ page }) => {
  await stub(page, CUSTOMER, ANSWERS);
  await page.goto(`/support/ticket/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  const field = page.getByRole('textbox', { name: 'Escreva uma mensagem' });
  await bring(field, 'paste', [['print.png', 'image/png']]);
  await expect(page.getByRole('status').filter({ hasText: 'Anexo: print.png' })).toHaveCount(1);
  await expect(field).toBeFocused();
  await expectAccessible(page);
  // A text brings its own picture with it, and is a text.
  await bring(field, 'paste', [['word.png', 'image/png']], 'oi');
  await bring(field, 'drop', [['pagina.html', 'text/html']]);
  await expect(page.getByTestId('toast')).toContainText('Envie um arquivo PNG, JPG, JPEG, GIF, PDF.');
  await expect(page.getByRole('status').filter({ hasText: 'Anexo: print.png' })).toHaveCount(1);
  await bring(field, 'drop', [
    ['extrato.pdf', 'application/pdf'],
    ['outro.pdf', 'application/pdf'],
  ]);
  await expect(page.getByText('Um anexo por mensagem: ficou extrato.pdf.')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'Anexo: extrato.pdf' })).toHaveCount(1);
  await picture(page, 'support-dropped');
  await page.goto('/support/new-ticket');
  const text = page.getByRole('textbox', { name: 'Descrição' });
  await bring(text, 'paste', [['print.png', 'image/png']]);
  await expect(page.getByRole('button', { name: 'Remover print.png' })).toBeVisible();
});

test('an attachment that did not arrive is said for a moment, and stays in the panel', async ({ page }) => {
  await stub(page, CUSTOMER, {
    ...ANSWERS,
    'POST /support/open-ticket': { ticket: ticket(), message: message(1, 'customer', 'oi', 0) },
    [`POST /support/upload-image/${T}`]: refuse(503, 'service.unavailable', 'Serviço indisponível.'),
  });
  await page.goto('/support/new-ticket');
  await page.getByRole('textbox', { name: 'Assunto' }).fill('Oi');
  await page.getByRole('textbox', { name: 'Descrição' }).fill('Oi');
  await page.getByRole('combobox', { name: 'Categoria' }).click();
  await page.getByRole('option', { name: 'Outro' }).click();
  await page
    .getByLabel('Anexo (opcional)')
    .setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') });
  await page.getByRole('button', { name: 'Abrir chamado' }).click();
  const text = 'O chamado foi aberto, mas o anexo não foi enviado: Serviço indisponível.';
  const notice = page.getByRole('alert').filter({ hasText: text });
  await notice.hover();
  await page.clock.runFor(10_000);
  await expect(notice).toBeVisible();
  await picture(page, 'support-notice');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'support-notice-phone');
  await page.mouse.move(0, 0);
  await page.clock.runFor(4_100);
  await expect(notice).toHaveCount(0);
  await page.getByRole('button', { name: /^Notificações/ }).click();
  await expect(page.getByRole('dialog').getByText(text)).toBeVisible();
});
