/** What the account screen sends: data with codes, the picture, places elsewhere, news, by whose clocks. */

import { drawn, expectAccessible, fits, picture, typeCode, wear } from '../kit';
import { ACCOUNT, DECIDES, PREFERENCES, SOCIAL, STAFF_PREFERENCES, unasked, WHOLE } from './accountFixtures';
import { NETWORK, REFERENCES } from './affiliatesFixtures';
import { JUST_NOW } from './clock';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 1000 };

/** Notes each body and answers with what the next one of the list says; the last one stays. */
function noting(...answers: ((route: Route) => unknown)[]) {
  const bodies: unknown[] = [];
  return {
    bodies,
    answer: async (route: Route) => {
      bodies.push(route.request().postDataJSON());
      await answers[Math.min(bodies.length, answers.length) - 1]?.(route);
    },
  };
}
const ok =
  (json: unknown = {}) =>
  (route: Route) =>
    route.fulfill({ json });
const fields = (status: number, code: string, errors: Record<string, string[]>) => (route: Route) =>
  route.fulfill({ status, json: { code, message: 'Confira os campos.', errors } });

test('other info: what differs goes with the code; a refused field is said where it stands', async ({
  page,
}) => {
  const { bodies, answer } = noting(
    fields(422, 'pix.document_invalid', { document: ['CPF ou CNPJ inválido.'] }),
    ok({ user: CUSTOMER }),
  );
  const state = await stub(page, CUSTOMER, { ...ACCOUNT, 'POST /security-code': {}, 'PATCH /me': answer });
  await page.goto('/account-setting?tab=other');
  const save = page.getByRole('button', { name: 'Salvar alterações' });
  await page.getByLabel('CPF ou CNPJ').fill('123');
  await save.click();
  await expect(page.getByText('Informe um CPF ou CNPJ completo.')).toBeVisible();
  await page.getByLabel('CPF ou CNPJ').fill('123.456.789-00');
  await page.getByRole('textbox', { name: 'Data de nascimento' }).fill('17/04/1988');
  await page.getByRole('textbox', { name: 'Data de nascimento' }).press('Tab');
  await page.getByRole('combobox', { name: 'Fuso horário' }).click();
  await page.getByRole('combobox', { name: 'Fuso horário' }).fill('manaus');
  await page.getByRole('option', { name: /Manaus/ }).click();
  await save.click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await typeCode(page, '123456');
  await expect(page.getByText('CPF ou CNPJ inválido.')).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
  await picture(page, 'account-other-refused');
  await page.getByLabel('CPF ou CNPJ').fill('123.456.789-09');
  await expect(page.getByText('CPF ou CNPJ inválido.')).toBeHidden();
  state.answers['GET /me'] = {
    user: { ...WHOLE, emailChange: null, hold: null, timeZone: 'America/Manaus' },
  };
  await save.click();
  await typeCode(page, '654321');
  await expect(page.getByTestId('toast').getByText('Dados salvos.')).toBeVisible();
  await expect(page.getByLabel('CPF', { exact: true })).toHaveValue('***.456.789-**');
  await expect(page.getByText('Alterações não salvas')).toBeHidden();
  const wanted = { birthDate: '1988-04-17', timeZone: 'America/Manaus' };
  expect(bodies).toEqual([
    { ...wanted, document: '123.456.789-00', securityCode: '123456' },
    { ...wanted, document: '123.456.789-09', securityCode: '654321' },
  ]);
});

test('with the authenticator on both codes are asked for', async ({ page }) => {
  const { bodies, answer } = noting(ok({ user: CUSTOMER }));
  const both = { ...CUSTOMER, twoFactor: { email: true, app: true, passkey: false, recoveryCodesLeft: 8 } };
  await stub(page, both, { ...ACCOUNT, 'POST /security-code': {}, 'PATCH /me': answer });
  await page.goto('/account-setting?tab=other');
  await page.getByLabel('Complemento').fill('ap 32');
  await page.getByRole('button', { name: 'Salvar alterações' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Dígito 1 de 6').first().click();
  await page.keyboard.type('123456');
  await dialog.getByLabel('Dígito 1 de 6').last().click();
  await page.keyboard.type('654321');
  await expect(page.getByTestId('toast').getByText('Dados salvos.')).toBeVisible();
  expect(bodies).toEqual([
    { address: { ...CUSTOMER.address, complement: 'ap 32' }, securityCode: '123456', appCode: '654321' },
  ]);
});

test('language and time zone alone need no code; the language is spoken from then on', async ({ page }) => {
  const { bodies, answer } = noting(ok({ user: CUSTOMER }));
  const state = await stub(page, CUSTOMER, { ...ACCOUNT, 'PATCH /me': answer });
  await page.goto('/account-setting?tab=other');
  await page.getByRole('combobox', { name: 'Idioma' }).click();
  await page.getByRole('option', { name: 'English' }).click();
  await page.getByRole('combobox', { name: 'Fuso horário' }).click();
  await page.getByRole('combobox', { name: 'Fuso horário' }).fill('São Luí');
  await expect(page.getByText('Nenhum fuso com esse nome.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Fuso horário' }).fill('manáus');
  await page.getByRole('option', { name: /Manaus/ }).click();
  state.answers['GET /me'] = { user: { ...CUSTOMER, locale: 'en', timeZone: 'America/Manaus' } };
  await page.getByRole('button', { name: 'Salvar alterações' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My account');
  expect(bodies).toEqual([{ locale: 'en', timeZone: 'America/Manaus' }]);
});

test('what fails without a reason was not saved; what was saved stays so when the profile cannot be read anew', async ({
  page,
}) => {
  const broken = (route: Route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' });
  const { answer } = noting(broken, ok({ user: CUSTOMER }));
  const state = await stub(page, CUSTOMER, { ...ACCOUNT, 'POST /security-code': {}, 'PATCH /me': answer });
  await page.goto('/account-setting');
  await page.getByLabel('Nome completo').fill('Marina Duarte Lima');
  await page.getByRole('button', { name: 'Salvar alterações' }).click();
  await typeCode(page, '123456');
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveText('Erro ao salvar.');
  await picture(page, 'account-not-saved');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  state.answers['GET /me'] = broken;
  await typeCode(page, '654321');
  await expect(page.getByTestId('toast').getByText('Dados salvos.')).toBeVisible();
  await expect(page.getByTestId('toast').getByText('Erro ao buscar dados do usuário')).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
  // What was typed stands until the profile says the same.
  await expect(page.getByLabel('Nome completo')).toHaveValue('Marina Duarte Lima');
});

test("moments are shown by one's own clocks, days of the business stay", async ({ page }) => {
  await stub(
    page,
    { ...CUSTOMER, timeZone: 'Pacific/Auckland' },
    {
      'GET /affiliates/dashboard': NETWORK,
      'GET /notifications': {
        unread: 0,
        meta: { page: 1, limit: 30, total: 1, lastPage: 1 },
        data: [{ id: 'n1', code: 'welcome', params: {}, at: '2026-11-18T12:00:00Z', read: true }],
      },
    },
  );
  await page.goto('/account-setting');
  // Noon of London is one in the night there.
  await expect(page.getByRole('row', { name: /Cadastro/ })).toContainText('03/03/2026 01:00');
  await page.getByRole('button', { name: /^Notificações/ }).click();
  await expect(page.getByRole('dialog').getByText('19/11/2026 01:00')).toBeVisible();
  await page.goto('/affiliate-network/dashboard');
  await expect(page.getByText('19/11/2026').first()).toBeVisible();
});

test('a zone that this browser does not know breaks nothing', async ({ page }) => {
  await stub(page, { ...CUSTOMER, timeZone: 'Mars/Olympus' });
  await page.goto('/account-setting');
  await expect(page.getByRole('row', { name: /Cadastro/ })).toContainText('02/03/2026 09:00');
  await page.getByRole('tab', { name: 'Outras informações' }).click();
  await expect(page.getByRole('combobox', { name: 'Fuso horário' })).toBeVisible();
});

test('the phrase of the mails', async ({ page }) => {
  const { bodies, answer } = noting(ok({ user: CUSTOMER }));
  await stub(page, CUSTOMER, { ...ACCOUNT, 'POST /security-code': {}, 'PATCH /me': answer });
  await page.goto('/account-setting?tab=security');
  await page.getByLabel('Sua frase').fill(' jabuticaba azul ');
  await page
    .getByRole('region', { name: 'Frase contra golpes' })
    .getByRole('button', { name: 'Salvar alterações' })
    .click();
  await typeCode(page, '123456');
  await expect(page.getByTestId('toast').getByText('Dados salvos.')).toBeVisible();
  expect(bodies).toEqual([{ antiPhishing: 'jabuticaba azul', securityCode: '123456' }]);
});

const shown = async (page: Page, name: string) => {
  await picture(page, `${name}-dark`);
  await expectAccessible(page);
  await wear(page, 'light');
  await picture(page, `${name}-light`);
  await wear(page, 'dark');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, `${name}-phone`);
  await page.setViewportSize(DESK);
};

test('where what cuts a picture does not come, what was typed beside it stays, and it is asked for again', async ({
  page,
}) => {
  await stub(page, CUSTOMER);
  const missing = /\/assets\/CropForm-/;
  await page.route(missing, (route) => route.abort());
  await page.goto('/account-setting');
  const phone = page.getByLabel('Celular');
  await phone.fill('+55 11 97777-0000');
  await page
    .getByRole('region', { name: 'Foto' })
    .locator('input[type="file"]')
    .setInputFiles({ name: 'foto.png', mimeType: 'image/png', buffer: await drawn(page, 64, 64) });
  const dialog = page.getByRole('dialog', { name: 'Ajustar a foto' });
  await expect(dialog.getByRole('alert')).toContainText('Não foi possível carregar o recorte da foto.');
  await expectAccessible(page);
  await page.unroute(missing);
  await dialog.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(dialog.getByRole('button', { name: 'Salvar foto' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(phone).toHaveValue('+55 11 97777-0000');
});

test('a picture is chosen, cut to a square, put and taken off', async ({ page }) => {
  const photo = await drawn(page, 640, 400);
  const sizes: number[][] = [];
  let tries = 0;
  const state = await stub(page, CUSTOMER, {
    'POST /me/upload-image': async (route: Route) => {
      tries += 1;
      if (tries === 1) return refuse(422, 'file.damaged', 'O arquivo está danificado.')(route);
      const sent = route.request().postDataBuffer() ?? Buffer.alloc(0);
      const head = sent.indexOf('IHDR') + 4;
      sizes.push([sent.readUInt32BE(head), sent.readUInt32BE(head + 4)]);
      state.answers['GET /me'] = { user: { ...CUSTOMER, avatar: 'f-1' } };
      await route.fulfill({ json: { avatar: 'f-1' } });
    },
    'DELETE /me/avatar': async (route: Route) => {
      state.answers['GET /me'] = { user: CUSTOMER };
      await route.fulfill({ status: 204 });
    },
    'GET /files/f-1': (route: Route) => route.fulfill({ body: photo, contentType: 'image/png' }),
  });
  await page.goto('/account-setting');
  const card = page.getByRole('region', { name: 'Foto' });
  const choose = (name: string, mimeType: string, buffer: Buffer) =>
    card.locator('input[type="file"]').setInputFiles({ name, mimeType, buffer });
  await choose('foto.pdf', 'application/pdf', photo);
  await expect(card).toContainText('PNG, JPG, JPEG, GIF');
  const dialog = page.getByRole('dialog', { name: 'Ajustar a foto' });

  await choose('quebrada.png', 'image/png', Buffer.from('nothing of a picture'));
  await expect(dialog.getByRole('alert')).toHaveText('Não foi possível abrir esta imagem. Tente outra.');
  await dialog.getByRole('button', { name: 'Cancelar' }).click();
  await expect(dialog).toBeHidden();

  await choose('foto.png', 'image/png', photo);
  const save = dialog.getByRole('button', { name: 'Salvar foto' });
  await expect(save).not.toHaveAttribute('aria-disabled', 'true');
  await dialog.getByRole('slider').focus();
  for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
  await shown(page, 'account-crop');
  await save.click();
  await expect(dialog.getByText('O arquivo está danificado.')).toBeVisible();
  await save.click();
  await expect(page.getByTestId('toast').getByText('Foto salva.')).toBeVisible();
  await expect(dialog).toBeHidden();
  expect(sizes).toEqual([[512, 512]]);
  await expect(card.locator('img')).toHaveAttribute('src', /^data:image\/png/);
  // Also where the shell names the person.
  await expect(page.getByRole('button', { name: 'Conta de Marina Duarte' }).locator('img')).toHaveAttribute(
    'src',
    /^data:image\/png/,
  );
  await card.getByRole('button', { name: 'Remover foto' }).click();
  await page
    .getByRole('dialog', { name: 'Remover a sua foto?' })
    .getByRole('button', { name: 'Remover foto' })
    .click();
  await expect(page.getByTestId('toast').getByText('Foto removida.')).toBeVisible();
  await expect(card.locator('img')).toHaveCount(0);
});

test('another address: both mailboxes are told, a refused one is said in its field, and it is taken back', async ({
  page,
}) => {
  const { bodies, answer } = noting(
    fields(422, 'email.taken', { email: ['Este e-mail já tem conta.'] }),
    refuse(422, 'code.wrong', 'Código incorreto.'),
    (route) => route.fulfill({ status: 202 }),
  );
  const state = await stub(page, CUSTOMER, {
    'POST /security-code': {},
    'POST /me/email': answer,
    'DELETE /me/email': async (route: Route) => {
      state.answers['GET /me'] = { user: CUSTOMER };
      await route.fulfill({ status: 204 });
    },
  });
  await page.goto('/account-setting');
  const card = page.getByRole('region', { name: 'E-mail' });
  await card.getByRole('button', { name: 'Alterar e-mail' }).click();
  const dialog = page.getByRole('dialog', { name: 'Alterar e-mail' });
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await expect(dialog.getByText('Informe um e-mail válido.')).toBeVisible();
  await dialog.getByLabel('Novo e-mail').fill(CUSTOMER.email);
  await expect(dialog.getByText('É o endereço de agora.')).toBeVisible();
  await dialog.getByLabel('Novo e-mail').fill('taken@exemplo.com.br');
  await dialog.getByRole('textbox', { name: 'Senha atual' }).fill('segredo-bem-longo');
  await shown(page, 'account-email');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await typeCode(page, '123456');
  await expect(dialog.getByText('Este e-mail já tem conta.')).toBeVisible();
  await dialog.getByLabel('Novo e-mail').fill('marina@novo.com.br');
  await dialog.getByRole('textbox', { name: 'Senha atual' }).fill('segredo-bem-longo');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await typeCode(page, '111111');
  await expect(dialog.getByRole('alert')).toContainText('Código incorreto.');
  state.answers['GET /me'] = { user: { ...CUSTOMER, emailChange: WHOLE.emailChange } };
  await typeCode(page, '222222');
  await expect(page.getByTestId('toast').getByText('Pedido registrado. Abra os dois e-mails.')).toBeVisible();
  await expect(card.getByText('Mudança para m•••@novo.com.br')).toBeVisible();
  await expect(card.getByText('E-mail atual: confirmado')).toBeVisible();
  await expect(card.getByText('E-mail novo: falta abrir o link')).toBeVisible();
  const password = 'segredo-bem-longo';
  expect(bodies).toEqual([
    { email: 'taken@exemplo.com.br', password, securityCode: '123456' },
    { email: 'marina@novo.com.br', password, securityCode: '111111' },
    { email: 'marina@novo.com.br', password, securityCode: '222222' },
  ]);
  await card.getByRole('button', { name: 'Desistir da mudança' }).click();
  await page
    .getByRole('dialog', { name: 'Desistir da mudança' })
    .getByRole('button', { name: 'Desistir da mudança' })
    .click();
  await expect(page.getByTestId('toast').getByText('Pedido desfeito.')).toBeVisible();
  await expect(card.getByText('Mudança para', { exact: false })).toBeHidden();
});

test('who decides is told that two change the address', async ({ page }) => {
  await stub(page, DECIDES);
  await page.goto('/account-setting');
  const change = page.getByRole('button', { name: 'Alterar e-mail' });
  await expect(change).toHaveAttribute('aria-disabled', 'true');
  await expect(change).toHaveAttribute('aria-description', /duas pessoas/);
});

test('news: each switch is a change of its own; what is refused goes back; security stays on', async ({
  page,
}) => {
  const off = { ...PREFERENCES.data[1], mail: false };
  const { bodies, answer } = noting(
    ok(off),
    refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.'),
  );
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /notifications/preferences': STAFF_PREFERENCES,
    'PATCH /notifications/preferences': answer,
  });
  await page.goto('/account-setting?tab=notifications');
  const mail = page.getByRole('switch', { name: 'Saídas: E-mail' });
  await expect(mail).toBeChecked();
  // Of what writes no mails there is no switch, nor of security.
  await expect(page.getByRole('switch', { name: 'Novidades: E-mail' })).toHaveCount(0);
  await expect(page.getByRole('switch', { name: /^Segurança/ })).toHaveCount(0);
  await expect(page.getByRole('img', { name: 'Segurança: Na tela: sempre ligado' })).toBeVisible();
  // Nothing is pushed: no column for it.
  await expect(page.getByRole('columnheader')).toHaveText(['Assunto', 'Caixa', 'E-mail', 'Na tela']);
  state.answers['GET /notifications/preferences'] = {
    ...STAFF_PREFERENCES,
    data: STAFF_PREFERENCES.data.map((row) => (row.group === 'money_out' ? off : row)),
  };
  // A press lands on the track, which belongs to the same label.
  await mail.click({ force: true });
  await expect(mail).not.toBeChecked();
  const toast = page.getByRole('switch', { name: 'Rede: Na tela' });
  await toast.click({ force: true });
  await expect(page.getByRole('tabpanel').getByRole('alert')).toHaveText(
    'Erro ao salvar. Algo deu errado. Tente de novo.',
  );
  await expect(toast).toBeChecked();
  await expect(mail).not.toBeChecked();
  expect(bodies).toEqual([
    { group: 'money_out', mail: false },
    { group: 'network', toast: false },
  ]);
  await shown(page, 'account-news');
});

test('what is told to those alone who ask for it is off until they do, on every way', async ({ page }) => {
  const asked = { ...unasked, inbox: true, wanted: true, mail: true };
  const { bodies, answer } = noting(ok(asked));
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /notifications/preferences': STAFF_PREFERENCES,
    'PATCH /notifications/preferences': answer,
  });
  await page.goto('/account-setting?tab=notifications');
  const wanted = page.getByRole('switch', { name: 'Fila do suporte: Caixa' });
  await expect(wanted).not.toBeChecked();
  await expect(page.getByRole('switch', { name: /^Fila do suporte/ })).toHaveCount(1);
  state.answers['GET /notifications/preferences'] = {
    ...STAFF_PREFERENCES,
    data: STAFF_PREFERENCES.data.map((row) => (row.group === 'tickets' ? asked : row)),
  };
  await wanted.click({ force: true });
  await expect(wanted).toBeChecked();
  // It makes no toast: the pages of who answers show it by themselves.
  await expect(page.getByRole('switch', { name: 'Fila do suporte: E-mail' })).toBeChecked();
  await expect(page.getByRole('switch', { name: /^Fila do suporte/ })).toHaveCount(2);
  expect(bodies).toEqual([{ group: 'tickets', wanted: true }]);
});

test('where notices are pushed to devices there is a column for it', async ({ page }) => {
  const data = PREFERENCES.data.map((row) => ({ ...row, push: row.group === 'news' ? null : true }));
  await stub(page, CUSTOMER, { ...ACCOUNT, 'GET /notifications/preferences': { ...PREFERENCES, data } });
  await page.goto('/account-setting?tab=notifications');
  await expect(page.getByRole('switch', { name: 'Rede: Push' })).toBeChecked();
  await expect(page.getByRole('switch', { name: 'Novidades: Push' })).toHaveCount(0);
});

test('quiet hours: on with a proposal, changed by their two times, never of no length; a refusal is told', async ({
  page,
}) => {
  const hours = { from: '22:00', until: '07:00' };
  const { bodies, answer } = noting(
    ok({ ...PREFERENCES, quietHours: hours }),
    ok({ ...PREFERENCES, quietHours: { from: '22:00', until: '08:00' } }),
    refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.'),
  );
  const state = await stub(page, CUSTOMER, { ...ACCOUNT, 'PATCH /notifications/quiet-hours': answer });
  await page.goto('/account-setting?tab=notifications');
  const card = page.getByRole('region', { name: 'Horário de silêncio' });
  const on = card.getByRole('switch', { name: 'Segurar e-mails neste horário' });
  await expect(on).not.toBeChecked();
  await expect(card.getByRole('button', { name: 'Salvar horário' })).toHaveCount(0);
  state.answers['GET /notifications/preferences'] = { ...PREFERENCES, quietHours: hours };
  await on.click({ force: true });
  await expect(on).toBeChecked();
  const until = card.getByLabel('Até: horas');
  await until.fill('22');
  await expect(card.getByRole('alert')).toHaveText('O começo e o fim precisam ser diferentes.');
  await expect(card.getByRole('button', { name: 'Salvar horário' })).toBeDisabled();
  await until.fill('08');
  state.answers['GET /notifications/preferences'] = {
    ...PREFERENCES,
    quietHours: { from: '22:00', until: '08:00' },
  };
  await card.getByRole('button', { name: 'Salvar horário' }).click();
  await expect(page.getByTestId('toast').last()).toHaveText(/Horário de silêncio salvo/);
  await on.click({ force: true });
  await expect(card.getByRole('alert')).toHaveText('Erro ao salvar. Algo deu errado. Tente de novo.');
  await expect(on).toBeChecked();
  expect(bodies).toEqual([{ hours }, { hours: { from: '22:00', until: '08:00' } }, { hours: null }]);
});

test('the daily digest is off at first; a refusal leaves it so', async ({ page }) => {
  const { bodies, answer } = noting(
    refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.'),
    ok({ ...PREFERENCES, digest: true }),
  );
  const state = await stub(page, CUSTOMER, { ...ACCOUNT, 'PATCH /notifications/digest': answer });
  await page.goto('/account-setting?tab=notifications');
  const card = page.getByRole('region', { name: 'Resumo diário' });
  const on = card.getByRole('switch', { name: 'Receber o resumo diário' });
  await expect(on).not.toBeChecked();
  await on.click({ force: true });
  await expect(card.getByRole('alert')).toHaveText('Erro ao salvar. Algo deu errado. Tente de novo.');
  await expect(on).not.toBeChecked();
  state.answers['GET /notifications/preferences'] = { ...PREFERENCES, digest: true };
  await on.click({ force: true });
  await expect(on).toBeChecked();
  expect(bodies).toEqual([{ on: true }, { on: true }]);
});

test('what is quiet makes no toast, and is counted all the same', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /notifications/preferences': {
      ...PREFERENCES,
      data: PREFERENCES.data.map((row) => (row.group === 'news' ? { ...row, toast: false } : row)),
    },
  });
  await page.goto('/account-setting?tab=notifications');
  await expect(page.getByRole('switch', { name: 'Novidades: Na tela' })).not.toBeChecked();
  const stream = `user:${CUSTOMER._id}`;
  const line = { kind: 'notification', id: 'n9', params: {}, at: JUST_NOW };
  const asked = () => state.calls.filter((call) => call === 'GET /notifications').length;
  const before = asked();
  await state.fact(stream, 1, { ...line, code: 'order_ended', quiet: true });
  await state.fact('public', 1, { kind: 'announcement', code: 'outbound_resumed', params: {} });
  // Looked for from before it is told: it leaves by itself. One alone.
  const one = expect(page.getByTestId('toast')).toHaveText([/Boas-vindas/]);
  await Promise.all([one, state.fact(stream, 2, { ...line, id: 'n10', code: 'welcome' })]);
  await expect.poll(asked).toBeGreaterThan(before);
});

test('places elsewhere: none of a stranger’s host; shown at the sponsor and at direct referrals alone', async ({
  page,
}) => {
  const { bodies, answer } = noting(ok({ user: CUSTOMER }));
  const known = { ...CUSTOMER, sponsor: { username: 'ana21', firstName: 'Ana', social: SOCIAL } };
  const referred = REFERENCES.data.map((row, at) => (at === 0 ? { ...row, social: SOCIAL } : row));
  await stub(page, known, {
    ...ACCOUNT,
    'POST /security-code': {},
    'PATCH /me': answer,
    'GET /affiliates/dashboard': NETWORK,
    'GET /affiliates/reference-list': { ...REFERENCES, data: referred },
  });
  await page.goto('/account-setting?tab=social');
  await expect(page.getByText('Só a sua própria rede vê', { exact: false })).toBeVisible();
  await page.getByLabel('Instagram').fill('https://instagram.com.evil.example/marina');
  await page.getByRole('button', { name: 'Salvar alterações' }).click();
  await expect(page.getByText('Use o seu nome de usuário', { exact: false })).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.getByLabel('Instagram').fill('@marina.duarte');
  await page.getByRole('button', { name: 'Salvar alterações' }).click();
  await typeCode(page, '123456');
  await expect(page.getByTestId('toast').getByText('Dados salvos.')).toBeVisible();
  const none = { telegram: '', whatsapp: '', facebook: '', youtube: '', x: '', linkedin: '' };
  expect(bodies).toEqual([{ social: { ...none, instagram: '@marina.duarte' }, securityCode: '123456' }]);

  await page.goto('/affiliate-network/dashboard');
  const sponsor = page.getByRole('link', { name: 'LinkedIn: @ana21' });
  await expect(sponsor).toHaveAttribute('href', SOCIAL.linkedin);
  await expect(sponsor).toHaveAttribute('rel', /noopener/);
  await expect(page.getByRole('link', { name: 'WhatsApp: @ana21' })).toHaveAttribute(
    'href',
    'https://wa.me/5511988887777',
  );
  await sponsor.scrollIntoViewIfNeeded();
  await picture(page, 'network-sponsor');
  await page.goto('/affiliate-network/direct-references');
  const links = page.locator('[data-social]').getByRole('link');
  await expect(links).toHaveCount(3);
  await expectAccessible(page);
  await picture(page, 'references-social');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'references-social-phone');
  await page.setViewportSize(DESK);
  await page.getByRole('combobox', { name: 'Nível' }).click();
  await page.getByRole('option', { name: '2', exact: true }).click();
  await expect(page.getByRole('columnheader', { name: 'Redes sociais' })).toHaveCount(0);
});

const LINK = '/email/change/token';
const link = (more: object) => ({
  side: 'old',
  email: 'm•••@novo.com.br',
  done: false,
  changed: false,
  ...more,
});

test('the link of a change: opening looks, the button confirms one side', async ({ page }) => {
  const { calls } = await stub(page, null, {
    [`GET ${LINK}`]: link({}),
    [`POST ${LINK}`]: link({ done: true }),
  });
  await page.goto('/change-email/token');
  await expect(page.getByText('mudança deste e-mail para m•••@novo.com.br', { exact: false })).toBeVisible();
  await shown(page, 'change-email');
  expect(calls).not.toContain(`POST ${LINK}`);
  await page.getByRole('button', { name: 'Confirmar a mudança' }).click();
  await expect(page.getByText('Falta abrir o link enviado ao e-mail novo.', { exact: false })).toBeVisible();
  await shown(page, 'change-email-half');
});

test('the second side changes it; who is signed in goes back to their account', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    [`GET ${LINK}`]: link({ side: 'new' }),
    [`POST ${LINK}`]: link({ side: 'new', done: true, changed: true }),
  });
  await page.goto('/change-email/token');
  await expect(page.getByText('confirmar que m•••@novo.com.br é seu', { exact: false })).toBeVisible();
  state.answers['GET /me'] = { user: { ...CUSTOMER, email: 'marina@novo.com.br' } };
  await page.getByRole('button', { name: 'Confirmar a mudança' }).click();
  await expect(page.getByText('E-mail alterado para m•••@novo.com.br.')).toBeVisible();
  await shown(page, 'change-email-done');
  await page.getByRole('link', { name: 'Ir para a minha conta' }).click();
  await expect(page.getByText('marina@novo.com.br').first()).toBeVisible();
});

test('a link that is used up, and one that nobody can tell about now', async ({ page }) => {
  const state = await stub(page, null, {
    [`GET ${LINK}`]: refuse(503, 'unavailable', 'Indisponível.'),
    [`POST ${LINK}`]: refuse(422, 'link.change_invalid', 'Link inválido.'),
    'GET /email/change/old': refuse(422, 'link.change_invalid', 'Link inválido.'),
  });
  await page.goto('/change-email/old');
  await expect(page.getByRole('alert')).toContainText('Link de confirmação inválido!');
  await page.goto('/change-email/token');
  await expect(page.getByText('Não foi possível carregar o link.')).toBeVisible();
  await state.fromClick(`GET ${LINK}`, link({}));
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await page.getByRole('button', { name: 'Confirmar a mudança' }).click();
  await expect(page.getByRole('alert')).toContainText('Link de confirmação inválido!');
});
