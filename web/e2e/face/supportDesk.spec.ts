/** The support's desk in the built face: who has a ticket, internal notes, replies that are kept ready, the list's filters, the day's report. */

import { expectAccessible, fits, picture } from '../kit';
import { CUSTOMER, refuse, stub } from './stub';
import {
  AGENT,
  ANSWERS,
  BIA,
  bubbles,
  CANNED,
  CUSTOMER_PANEL,
  desk,
  detail,
  NOTE,
  RUI,
  STAFF_LIST,
  T,
  taken,
  ticket,
} from './supportFixtures';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const RESPONSE = `/customer-service/ticket-response/${T}`;
const TEAM = `GET /support/get-ticket-support-team/${T}`;
const field = (page: Page) => page.getByRole('textbox', { name: 'Escreva uma mensagem' });
const opened = (more: object = {}) => detail({ customer: CUSTOMER_PANEL, desk: desk(), ...more });

/** What each call of a kind was sent, in order; each is answered by `answer`. */
function sent<Body>(answer: (body: Body) => object) {
  const bodies: Body[] = [];
  const call = async (route: Route) => {
    const body = route.request().postDataJSON() as Body;
    bodies.push(body);
    await route.fulfill({ json: answer(body) });
  };
  return { bodies, call };
}

test('a ticket is taken, and everybody at the desk sees whose it is', async ({ page }) => {
  const take = sent<{ from: string | null }>(() => desk(T, taken('Bia Ramos', { version: 10 })));
  const state = await stub(page, AGENT, { ...ANSWERS, [`POST /support/take-ticket/${T}`]: take.call });
  await page.goto(RESPONSE);
  await expect(bubbles(page)).toHaveCount(6);
  await page.getByRole('button', { name: 'Assumir', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Com você' })).toBeVisible();
  expect(take.bodies).toEqual([{ from: null }]);
  await picture(page, 'desk-taken');
  await expectAccessible(page);
  // A colleague takes it: seen at once, and said where one answers.
  await state.fact('queue:tickets', 1, {
    kind: 'ticket.desk',
    desk: desk(T, taken('Rui Leal', { version: 11 })),
    handedBy: null,
  });
  await expect(page.getByRole('button', { name: 'Com Rui Leal' })).toBeVisible();
  await expect(page.getByText('Rui Leal está com este chamado. Sua resposta não o toma dele.')).toBeVisible();
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'desk-taken-phone');
  await expectAccessible(page, ['dark']);
});

test("a colleague's ticket is taken only after one was told whose it is", async ({ page }) => {
  const take = sent<{ from: string | null }>(() => desk(T, taken('Bia Ramos', { version: 10 })));
  const state = await stub(page, AGENT, {
    ...ANSWERS,
    [TEAM]: opened({ desk: desk(T, taken('Rui Leal')) }),
    [`POST /support/take-ticket/${T}`]: refuse(409, 'ticket.taken', 'Este chamado está com Ana Prado.'),
  });
  await page.goto(RESPONSE);
  await page.getByRole('button', { name: 'Com Rui Leal' }).click();
  await page.getByRole('menuitem', { name: 'Assumir mesmo assim' }).click();
  const dialog = page.getByRole('dialog', { name: 'Assumir o chamado de um colega?' });
  await expect(dialog).toContainText('Rui Leal');
  await expect(dialog).toContainText('há 12 min');
  expect(state.calls.filter((call) => call.startsWith('POST /support'))).toEqual([]);
  await picture(page, 'desk-take-over');
  await expectAccessible(page);
  const yes = dialog.getByRole('button', { name: 'Assumir' });
  await yes.click();
  await expect(dialog.getByText('Este chamado está com Ana Prado.')).toBeVisible();
  state.answers[`POST /support/take-ticket/${T}`] = take.call;
  await yes.click();
  await expect(dialog).toBeHidden();
  expect(take.bodies).toEqual([{ from: RUI }]);
  await expect(page.getByRole('button', { name: 'Com você' })).toBeVisible();
});

test("one's own is handed over or let go; who is handed one is told by whom", async ({ page }) => {
  const hand = sent<{ to: string }>(() => desk(T, taken('Rui Leal', { version: 10 })));
  const state = await stub(page, AGENT, {
    ...ANSWERS,
    [TEAM]: opened({ desk: desk(T, taken('Bia Ramos')) }),
    [`POST /support/hand-over-ticket/${T}`]: hand.call,
    [`POST /support/let-go-ticket/${T}`]: desk(T, { version: 12 }),
  });
  await page.goto(RESPONSE);
  await page.getByRole('button', { name: 'Com você' }).click();
  await page.getByRole('menuitem', { name: 'Passar adiante' }).click();
  const dialog = page.getByRole('dialog', { name: 'Passar adiante' });
  await dialog.getByRole('combobox', { name: 'Para quem' }).click();
  // Not to oneself.
  await expect(page.getByRole('option')).toHaveText(['Rui Leal · 1 aberto']);
  await page.getByRole('option').click();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Passar adiante' }).click();
  await expect(dialog).toBeHidden();
  expect(hand.bodies).toEqual([{ to: RUI }]);
  await expect(page.getByRole('button', { name: 'Com Rui Leal' })).toBeVisible();
  await state.fact('queue:tickets', 1, {
    kind: 'ticket.desk',
    desk: desk(T, taken('Bia Ramos', { version: 11 })),
    handedBy: 'Rui Leal',
  });
  await expect(page.getByTestId('toast').getByText('Rui Leal passou um chamado para você.')).toBeVisible();
  await page.getByRole('button', { name: 'Com você' }).click();
  await page.getByRole('menuitem', { name: 'Liberar' }).click();
  await expect(page.getByRole('button', { name: 'Assumir', exact: true })).toBeVisible();
});

test('a note is written beside the replies, kept apart from them, and comes live', async ({ page }) => {
  const note = (number: number, text: string, name = 'Bia Ramos', id = BIA) => ({
    ...NOTE,
    _id: `n${number}`,
    number,
    text,
    author: { _id: id, name },
    created_at: new Date(Date.parse(NOTE.created_at) + number * 60_000).toISOString(),
  });
  const add = sent<{ text: string; clientId: string }>(({ text }) => note(2, text));
  const state = await stub(page, AGENT, {
    ...ANSWERS,
    [TEAM]: opened({ desk: desk(T, { notes: 1 }) }),
    [`GET /support/ticket-notes/${T}`]: { data: [NOTE] },
    [`POST /support/ticket-notes/${T}`]: add.call,
  });
  await page.goto(RESPONSE);
  const notes = page.getByRole('log').locator('[data-note]');
  await expect(notes).toHaveText([/Nota interna\s*Rui Leal.*O banco confirmou/]);
  // Where it was written: before the last message.
  const order = page.getByRole('log').locator('[data-number], [data-note]');
  await expect(order.nth(5)).toContainText('O banco confirmou');
  await field(page).fill('Vou ver.');
  await page.getByText('Nota interna', { exact: true }).last().click();
  await expect(page.getByText('Só a equipe vê. O cliente nunca recebe.')).toBeVisible();
  const inside = page.getByRole('textbox', { name: 'Escreva uma nota para a equipe' });
  await expect(inside).toHaveValue('');
  await inside.fill('Liguei para ela.');
  await picture(page, 'desk-note');
  await expectAccessible(page);
  await page.reload();
  await page.getByText('Nota interna', { exact: true }).last().click();
  await expect(inside).toHaveValue('Liguei para ela.');
  await inside.press('Control+Enter');
  await expect(notes).toHaveCount(2);
  await expect(inside).toHaveValue('');
  expect(add.bodies.map(({ text }) => text)).toEqual(['Liguei para ela.']);
  expect(add.bodies[0]?.clientId).toBeTruthy();
  // One by a colleague: the fact says that there is one, the call what it says.
  state.answers[`GET /support/ticket-notes/${T}`] = {
    data: [NOTE, note(2, 'Liguei para ela.'), note(3, 'Visto.', 'Rui Leal', RUI)],
  };
  await state.fact('queue:tickets', 1, {
    kind: 'ticket.desk',
    desk: desk(T, { notes: 3, version: 12 }),
    handedBy: null,
  });
  await expect(notes).toHaveCount(3);
  await page.getByText('Resposta', { exact: true }).click();
  await expect(field(page)).toHaveValue('Vou ver.');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'desk-note-phone');
  await expectAccessible(page, ['dark']);
});

test('the customer asks for no note and sees nothing of the desk', async ({ page }) => {
  const { calls } = await stub(page, CUSTOMER, ANSWERS);
  await page.goto(`/support/ticket/${T}`);
  await expect(bubbles(page)).toHaveCount(6);
  await expect(page.getByText('Nota interna')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Inserir uma resposta pronta' })).toHaveCount(0);
  expect(calls.filter((call) => /notes|canned|agents|desk/.test(call))).toEqual([]);
});

test("a reply that is kept ready is found and put in by keyboard, in the customer's language", async ({
  page,
}) => {
  await stub(page, AGENT, {
    ...ANSWERS,
    [TEAM]: opened({ customer: { ...CUSTOMER_PANEL, locale: 'en' } }),
  });
  await page.goto(RESPONSE);
  await field(page).pressSequentially('Oi\n/');
  const list = page.getByRole('listbox', { name: 'Respostas prontas' });
  await expect(list.getByRole('option')).toHaveText([/^Prazo do PIX/, /^Comprovante/]);
  await picture(page, 'desk-canned');
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await expect(list.getByRole('option', { selected: true })).toHaveText(/^Comprovante/);
  await page.keyboard.type('prazo');
  await expect(list.getByRole('option')).toHaveText([/^Prazo do PIX/]);
  await page.keyboard.press('Enter');
  await expect(list).toBeHidden();
  const text = 'Oi\nHello, Marina! The PIX of ticket 41 arrives within one working day.';
  await expect(field(page)).toHaveValue(text);
  // One writes on behind it; nothing was sent.
  await page.keyboard.type(' Bye');
  await expect(field(page)).toHaveValue(`${text} Bye`);
  await expect(bubbles(page)).toHaveCount(6);
  // In the middle of a line a stroke is a stroke; Escape closes and leaves what was typed.
  await field(page).fill('');
  await field(page).pressSequentially('e/ou');
  await expect(list).toBeHidden();
  await field(page).fill('');
  await field(page).pressSequentially('/nada assim');
  await expect(page.getByText('Nenhuma resposta pronta com isso.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText('Nenhuma resposta pronta com isso.')).toBeHidden();
  await expect(field(page)).toHaveValue('/nada assim');
  // Where there are no keys there is a button.
  await page.setViewportSize(PHONE);
  await field(page).fill('');
  await page.getByRole('button', { name: 'Inserir uma resposta pronta' }).click();
  await fits(page);
  await picture(page, 'desk-canned-phone');
  await list.getByRole('option', { name: /^Comprovante/ }).click();
  await expect(field(page)).toHaveValue('Please send the receipt.');
});

test('a name that looks like a variable stays a name', async ({ page }) => {
  await stub(page, AGENT, {
    ...ANSWERS,
    [TEAM]: opened({ ticket: ticket({ userName: '{ticket} Duarte' }) }),
  });
  await page.goto(RESPONSE);
  await field(page).pressSequentially('/prazo');
  await expect(page.getByRole('option', { name: /^Prazo do PIX/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(field(page)).toHaveValue('Olá, {ticket}! O PIX do chamado 41 entra em até um dia útil.');
});

test('replies are kept, changed, ordered and retired', async ({ page }) => {
  const made = sent<{ title: string }>((body) => ({ ...CANNED.data[0], ...body, _id: 'new' }));
  const order = sent<{ ids: string[] }>(() => CANNED);
  const retire = sent<{ retired: boolean }>(() => ({ ...CANNED.data[0] }));
  const [first, second] = CANNED.data.map(({ _id }) => _id);
  const state = await stub(page, AGENT, {
    ...ANSWERS,
    'POST /support/canned-replies': async (route: Route) =>
      route.fulfill({
        status: 422,
        json: {
          code: 'canned_reply.variable',
          message: 'Entre chaves só valem {name}.',
          errors: { en: ['Entre chaves só valem {name}.'] },
        },
      }),
    'POST /support/order-canned-replies': order.call,
    [`POST /support/canned-replies/${first}/retire`]: retire.call,
  });
  await page.goto('/customer-service/canned-replies');
  await expect(page.getByRole('list', { name: 'Respostas prontas' }).getByRole('listitem')).toHaveCount(2);
  await picture(page, 'canned-dark');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Descer Prazo do PIX' }).click();
  await expect.poll(() => order.bodies).toEqual([{ ids: [second, first] }]);
  await page.getByRole('button', { name: 'Retirar' }).first().click();
  await expect.poll(() => retire.bodies).toEqual([{ retired: true }]);

  await page.getByRole('button', { name: 'Nova resposta' }).click();
  const dialog = page.getByRole('dialog', { name: 'Nova resposta' });
  await dialog.getByRole('textbox', { name: 'Título' }).fill('Saudação');
  for (const [language, text] of [
    ['português', 'Olá, {name}!'],
    ['inglês', 'Hi, {nome}!'],
    ['espanhol', '¡Hola, {name}!'],
  ] as const)
    await dialog.getByRole('textbox', { name: `Texto em ${language}` }).fill(text);
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await expect(dialog.getByText('Entre chaves só valem {name}.')).toBeVisible();
  await picture(page, 'canned-form');
  await expectAccessible(page);
  state.answers['POST /support/canned-replies'] = made.call;
  await dialog.getByRole('textbox', { name: 'Texto em inglês' }).fill('Hi, {name}!');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await expect(dialog).toBeHidden();
  expect(made.bodies).toEqual([
    { title: 'Saudação', text: { pt: 'Olá, {name}!', en: 'Hi, {name}!', es: '¡Hola, {name}!' } },
  ]);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'canned-phone');
  await expectAccessible(page, ['dark']);
});

test('no reply yet, and one that cannot be read', async ({ page }) => {
  const state = await stub(page, AGENT, { ...ANSWERS, 'GET /support/canned-replies': { data: [] } });
  await page.goto('/customer-service/canned-replies');
  await expect(page.getByText('Nenhuma resposta pronta ainda.')).toBeVisible();
  await expectAccessible(page);
  state.answers['GET /support/canned-replies'] = refuse(503, 'service.unavailable', 'Indisponível.');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Tentar de novo' })).toBeVisible();
});

test('the list narrows by who has a ticket and by its age, and says how long things took', async ({
  page,
}) => {
  const asked: string[] = [];
  const state = await stub(page, AGENT, {
    ...ANSWERS,
    'GET /support/list-tickets-all/': async (route: Route) => {
      asked.push(new URL(route.request().url()).search);
      await route.fulfill({ json: STAFF_LIST });
    },
  });
  await page.goto('/customer-service/tickets-list');
  const row = page.getByRole('row').filter({ hasText: 'Trocar o telefone' });
  await expect(row).toContainText('Rui Leal');
  await expect(row).toContainText('30 min');
  await page.getByRole('combobox', { name: 'Com quem' }).click();
  await page.getByRole('option', { name: 'Comigo' }).click();
  await expect(page).toHaveURL(/[?&]agent=me/);
  await page.getByRole('combobox', { name: 'Idade' }).click();
  await page.getByRole('option', { name: 'Há três dias ou mais' }).click();
  await expect.poll(() => asked.at(-1)).toMatch(/agent=me.*age=3d|age=3d.*agent=me/);
  // The order by waiting goes both ways.
  expect(asked.at(-1)).toMatch(/sortby=waiting_since/);
  await page.getByRole('button', { name: 'Aguardando' }).click();
  await expect.poll(() => asked.at(-1)).toMatch(/sortdirection=asc/);
  await expectAccessible(page);
  await picture(page, 'desk-list');
  // Whose it is has changed: a list that is narrowed by it asks again.
  const before = asked.length;
  await page.mouse.move(0, 0);
  await state.fact('queue:tickets', 1, {
    kind: 'ticket.desk',
    desk: desk(T, taken('Bia Ramos', { version: 12 })),
    handedBy: null,
  });
  await expect.poll(() => asked.length).toBeGreaterThan(before);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'desk-list-phone');
  await expectAccessible(page, ['dark']);
});

test('the list is put in order by how tickets stand, what they are about, whose they are and how soon they were answered', async ({
  page,
}) => {
  const asked: string[] = [];
  await stub(page, AGENT, {
    ...ANSWERS,
    'GET /support/list-tickets-all/': async (route: Route) => {
      asked.push(new URL(route.request().url()).search);
      await route.fulfill({ json: STAFF_LIST });
    },
  });
  await page.goto('/customer-service/tickets-list');
  for (const [name, sort] of [
    ['Situação', 'status'],
    ['Categoria', 'category'],
    ['Cliente', 'customer'],
    ['1ª resposta', 'first_answer'],
  ] as const) {
    const head = page.getByRole('columnheader', { name, exact: true });
    for (const [direction, said] of [
      ['desc', 'descending'],
      ['asc', 'ascending'],
    ] as const) {
      await head.getByRole('button').click();
      await expect(head).toHaveAttribute('aria-sort', said);
      await expect.poll(() => asked.at(-1)).toContain(`sortby=${sort}&sortdirection=${direction}`);
    }
  }
});

test('the list narrows to one colleague, found by typing; the address keeps whom', async ({ page }) => {
  const asked: string[] = [];
  await stub(page, AGENT, {
    ...ANSWERS,
    'GET /support/list-tickets-all/': async (route: Route) => {
      asked.push(new URL(route.request().url()).searchParams.get('agent') ?? '');
      await route.fulfill({ json: STAFF_LIST });
    },
  });
  await page.goto('/customer-service/tickets-list');
  const holder = page.getByRole('combobox', { name: 'Com quem' });
  await holder.click();
  // Oneself stands there once, as a word.
  await expect(page.getByRole('option')).toHaveText(['Comigo', 'Com ninguém', 'Com alguém', 'Rui Leal']);
  await page.keyboard.type('rui');
  await expect(page.getByRole('option')).toHaveText(['Rui Leal']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`[?&]agent=${RUI}`));
  await expect.poll(() => asked.at(-1)).toBe(RUI);
  await expectAccessible(page);
  await page.reload();
  await expect(holder).toHaveValue('Rui Leal');
  // On a phone the filter stands in its drawer; what is set is named above the rows.
  await page.setViewportSize(PHONE);
  await expect(page.getByText('Com quem: Rui Leal')).toBeVisible();
  await fits(page);
  await picture(page, 'desk-colleague-phone');
  await expectAccessible(page, ['dark']);
  // Who is nobody's colleague any more has no name here, and no id on screen.
  await page.goto(`/customer-service/tickets-list?agent=${T}`);
  await expect(page.getByText('Com quem: Um colega')).toBeVisible();
});

test('where words are found in a message, the list shows it', async ({ page }) => {
  const [first, ...others] = STAFF_LIST.data;
  const asked: string[] = [];
  await stub(page, AGENT, {
    ...ANSWERS,
    'GET /support/list-tickets-all/': async (route: Route) => {
      const { searchParams } = new URL(route.request().url());
      asked.push(searchParams.get('search') ?? '');
      const found = { number: 7, text: '… e o comprovante da transferência foi anexado ontem' };
      const data = searchParams.has('search') ? [{ ...first, found }] : [first, ...others];
      await route.fulfill({ json: { ...STAFF_LIST, data } });
    },
  });
  await page.goto('/customer-service/tickets-list');
  await expect(page.getByRole('row').filter({ hasText: 'Trocar o telefone' })).toBeVisible();
  await expect(page.locator('[data-found]')).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Assunto, nº ou mensagem' }).fill('comprovante');
  await expect(page.locator('[data-found]')).toHaveText(
    'Mensagem 7: … e o comprovante da transferência foi anexado ontem',
  );
  expect(asked.at(-1)).toBe('comprovante');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'desk-found-phone');
  // And leads to it.
  await page.locator('[data-found]').click();
  await expect(page).toHaveURL(/\/customer-service\/ticket-response\/[^?]+\?message=7$/);
});

test('what was solved by day is a short report', async ({ page }) => {
  await stub(page, AGENT, ANSWERS);
  await page.goto('/customer-service/tickets-list');
  await page.getByRole('button', { name: 'Resolvidos por dia' }).click();
  const report = page.getByRole('dialog', { name: 'Chamados por dia' });
  await expect(report.getByRole('row').nth(1)).toHaveText(/20\/11\/2026\s*4\s*3\s*12\s?min\s*4,3 \(3\)/);
  await expect(report.getByRole('row').nth(2)).toContainText('–');
  const colleagues = report.getByRole('table', { name: 'Avaliações por colega neste período' });
  await expect(colleagues.getByRole('row').nth(1)).toHaveText(/Rui Leal\s*4,3 \(3\)/);
  await picture(page, 'desk-report');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await expectAccessible(page, ['dark']);
});

test('the next ticket passes over what colleagues have taken, and the keys are told', async ({ page }) => {
  const rows = ['t2', 't3', 't4'].map((_id, place) => ({
    ...ticket({ _id, subject: `Chamado ${_id}`, waitingSince: NOTE.created_at }),
    desk: desk(_id, place === 0 ? taken('Rui Leal') : place === 1 ? taken('Bia Ramos') : {}),
  }));
  await stub(page, AGENT, {
    ...ANSWERS,
    'GET /support/list-tickets-all/': { ...STAFF_LIST, data: rows },
    'GET /support/ticket-notes/t3': { data: [] },
    'GET /support/get-ticket-support-team/t3': opened({
      ticket: ticket({ _id: 't3', subject: 'Chamado t3' }),
      desk: desk('t3', taken('Bia Ramos')),
    }),
  });
  await page.goto(RESPONSE);
  await expect(bubbles(page)).toHaveCount(6);
  const waiting = page.getByRole('navigation', { name: 'Aguardando resposta' });
  await expect(waiting.getByRole('listitem')).toHaveCount(3);
  await page.keyboard.press('n');
  await expect(page).toHaveURL('/customer-service/ticket-response/t3');
  await page.keyboard.press('?');
  await expect(
    page.getByRole('dialog').getByText('No começo de uma linha da resposta: respostas prontas'),
  ).toBeVisible();
});
