/** What staff change of people: added, switched off, another profile, address or picture; what needs two. */

import { everywhere, expectAccessible, fits, picture } from '../kit';
import { page as list, PIXEL } from './fixtures';
import { DECIDER, EDITOR, ok, PEOPLE, person, plain, ROLES, request, row, sent } from './peopleFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const LIST = 'GET /admin/users-list/';
const ONE = 'GET /admin/user/u-ana';
const EDIT = 'PATCH /admin/user/u-ana/edit';

test('the list offers no change of whom one may not change, nor of who has left', async ({ page }) => {
  await stub(page, ADMINISTRATOR, {
    [LIST]: list([
      row('u-ana', 'anaprado21', 'Ana Prado'),
      row('u-caio', 'caiolima31', 'Caio Lima', { invited: true, editable: false }),
      row('u-edu', 'closed7', 'Conta encerrada', { status: 'closed', editable: false }),
    ]),
    'GET /admin/roles': ROLES,
  });
  await page.goto('/administrator/users/list');
  for (const [name, offers] of [
    ['anaprado21', ['Ver', 'Editar', 'Desativar']],
    ['caiolima31', ['Ver']],
    ['closed7', ['Ver']],
  ] as const) {
    await page.getByRole('button', { name: `Ações de @${name}` }).click();
    await expect(page.getByRole('menuitem')).toHaveText([...offers]);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menuitem')).toHaveCount(0);
  }
});

test('an account is switched off with its reason; the invitation goes again', async ({ page }) => {
  const { bodies, answer } = sent(ok({ _id: 'u-ana' }));
  const state = await stub(page, ADMINISTRATOR, {
    [LIST]: PEOPLE,
    'GET /admin/roles': ROLES,
    [EDIT]: answer,
    'POST /admin/sendemail/creation/user/u-caio': null,
  });
  await page.goto('/administrator/users/list');
  await page.getByRole('button', { name: 'Ações de @anaprado21' }).click();
  await picture(page, 'people-menu');
  await expect(page.getByRole('menuitem', { name: 'Reenviar convite' })).toHaveCount(0);
  await page.getByRole('menuitem', { name: 'Desativar' }).click();
  const dialog = page.getByRole('dialog', { name: 'Desativar @anaprado21?' });
  await expect(dialog.getByRole('button', { name: 'Desativar' })).toBeDisabled();
  await expect(dialog).toContainText('as conexões abertas caem');
  await expect(dialog.getByText('uma segunda pessoa')).toHaveCount(0);
  await dialog.getByRole('textbox', { name: 'Motivo' }).fill('Documento falso');
  await picture(page, 'people-deactivate');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Desativar' }).click();
  await expect(page.getByTestId('toast').getByText('Conta desativada.')).toBeVisible();
  expect(bodies).toEqual([{ status: 'inactive', reason: 'Documento falso' }]);
  await page.getByRole('button', { name: 'Ações de @caiolima31' }).click();
  await page.getByRole('menuitem', { name: 'Reenviar convite' }).click();
  await expect(page.getByTestId('toast').getByText('Convite reenviado.', { exact: false })).toBeVisible();
  expect(state.calls).toContain('POST /admin/sendemail/creation/user/u-caio');
});

test('who decides is switched by two: said before, and led to the queue', async ({ page }) => {
  const { answer } = sent(ok({ _id: 'u-bia', request: request() }));
  await stub(page, ADMINISTRATOR, {
    [LIST]: PEOPLE,
    'GET /admin/roles': ROLES,
    'PATCH /admin/user/u-bia/edit': answer,
    'GET /admin/grants': {
      requests: [
        request(),
        request({
          _id: 'e2',
          action: 'email',
          before: 'bia@exemplo.com.br',
          after: 'bia.castro@exemplo.com.br',
          why: null,
        }),
      ],
      freezes: [],
      lifters: 2,
      newApproverHours: 24,
    },
    'GET /admin/role-holders': list([]),
  });
  await page.goto('/administrator/users/list');
  await page.getByRole('button', { name: 'Ações de @biacastro7' }).click();
  await page.getByRole('menuitem', { name: 'Desativar' }).click();
  const dialog = page.getByRole('dialog', { name: 'Desativar @biacastro7?' });
  await expect(dialog.getByRole('status')).toContainText('uma segunda pessoa precisa aprovar');
  await dialog.getByRole('textbox', { name: 'Motivo' }).fill('Saiu da empresa');
  await dialog.getByRole('button', { name: 'Pedir' }).click();
  await expect(
    page.getByTestId('toast').getByText('Pedido feito. Falta a aprovação de outra pessoa.'),
  ).toBeVisible();
  await expect(page).toHaveURL(/set-permissions\?tab=requests/);
  const table = page.getByRole('table', { name: 'Pedidos' });
  await expect(table).toContainText('Desativar a conta');
  await expect(table).toContainText('Saiu da empresa');
  await expect(table).toContainText('bia@exemplo.com.br → bia.castro@exemplo.com.br');
  await everywhere(page, 'people-requests');
});

test('somebody is added: username shown before, refusals beside their fields, a sponsor found', async ({
  page,
}) => {
  const refused = (route: Route) =>
    route.fulfill({
      status: 422,
      json: {
        code: 'request.invalid',
        message: 'Confira os dados informados.',
        errors: {
          email: ['Este e-mail já está em uso.'],
          sponsor: ['Indicação não encontrada.'],
        },
      },
    });
  const { bodies, answer } = sent(
    refused,
    ok({ _id: 'u-ana', username: 'joseantonioda7', request: request() }),
  );
  await stub(page, ADMINISTRATOR, {
    [LIST]: PEOPLE,
    [ONE]: person(),
    'GET /admin/roles': ROLES,
    'GET /search-user/rui': [{ username: 'rui9', name: 'Rui M.', avatar: null }],
    'POST /admin/user': answer,
  });
  await page.goto('/administrator/users/list');
  await page.getByRole('button', { name: 'Adicionar usuário' }).click();
  const drawer = page.getByRole('dialog', { name: 'Adicionar usuário' });
  const send = drawer.getByRole('button', { name: 'Enviar convite' });
  await expect(send).toHaveAccessibleDescription('Preencha nome e e-mail.');
  await drawer.getByRole('textbox', { name: 'Nome completo' }).fill('José Antônio da Conceição');
  await expect(drawer).toContainText('@joseantonioda e um número de 1 a 99999');
  await drawer.getByRole('textbox', { name: 'E-mail' }).fill('jose@exemplo.com.br');
  await drawer.getByRole('combobox', { name: 'Patrocinador' }).fill('rui');
  await page.getByRole('option', { name: /Rui M\./ }).click();
  await drawer.getByRole('checkbox', { name: 'Vendedor' }).check();
  await expect(drawer.getByRole('status')).toHaveCount(0);
  await drawer.getByRole('checkbox', { name: 'Administrador' }).check();
  await expect(drawer.getByRole('status')).toContainText('uma segunda pessoa precisa aprovar');
  await send.click();
  await expect(drawer.getByText('Este e-mail já está em uso.')).toBeVisible();
  await expect(drawer.getByText('Indicação não encontrada.')).toBeVisible();
  await expect(drawer.getByRole('alert')).toHaveCount(0);
  await picture(page, 'people-add-dark');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'people-add-phone');
  await expectAccessible(page, ['dark']);
  await drawer.getByRole('textbox', { name: 'E-mail' }).fill('jose.antonio@exemplo.com.br');
  await expect(drawer.getByText('Este e-mail já está em uso.')).toHaveCount(0);
  await send.click();
  await expect(
    page.getByTestId('toast').getByText('Convite enviado a jose.antonio@exemplo.com.br.'),
  ).toBeVisible();
  await expect(page).toHaveURL(/users\/view\/u-ana/);
  expect(bodies[1]).toEqual({
    fullName: 'José Antônio da Conceição',
    email: 'jose.antonio@exemplo.com.br',
    mobileNumber: null,
    locale: 'pt',
    sponsor: 'rui9',
    roles: ['r-salesperson', 'r-administrator'],
  });
});

test('the profile is changed: only what differs is sent, refusals stand beside their fields', async ({
  page,
}) => {
  test.slow();
  const { bodies, answer } = sent(
    (route) =>
      route.fulfill({
        status: 422,
        json: {
          code: 'request.invalid',
          message: 'Confira os dados informados.',
          errors: { mobileNumber: ['Número inválido.'] },
        },
      }),
    ok({ _id: 'u-ana' }),
  );
  await stub(page, EDITOR, { [ONE]: plain(), [EDIT]: answer });
  await page.goto('/administrator/users/edit/u-ana');
  const save = page.getByRole('button', { name: 'Salvar', exact: true });
  await expect(save).toHaveAccessibleDescription('Nada foi alterado.');
  await everywhere(page, 'people-edit');
  await page.getByRole('textbox', { name: 'Celular' }).fill('123');
  await page.getByRole('textbox', { name: 'Cidade' }).fill('');
  await save.click();
  // An address is whole or none.
  expect(bodies).toEqual([]);
  await page.getByRole('textbox', { name: 'Cidade' }).fill('Santos');
  await save.click();
  await expect(page.getByText('Número inválido.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Celular' }).fill('+55 13 91234-5678');
  await save.click();
  await expect(page.getByTestId('toast').getByText('Dados salvos.', { exact: false })).toBeVisible();
  expect(bodies.at(-1)).toEqual({
    mobileNumber: '+55 13 91234-5678',
    address: { ...CUSTOMER.address, city: 'Santos' },
  });
});

test('another e-mail: what it costs stands before the press, a taken one beside the field', async ({
  page,
}) => {
  const { bodies, answer } = sent(
    (route) =>
      route.fulfill({
        status: 409,
        json: {
          code: 'email.taken',
          message: 'Este e-mail já está em uso.',
          errors: { email: ['Este e-mail já está em uso.'] },
        },
      }),
    ok({ _id: 'u-ana' }),
  );
  await stub(page, EDITOR, { [ONE]: plain(), [EDIT]: answer });
  await page.goto('/administrator/users/edit/u-ana');
  const field = page.getByRole('textbox', { name: 'E-mail' });
  await field.fill('ana.nova@exemplo.com.br');
  const change = async () => {
    await page.locator('#content').getByRole('button', { name: 'Trocar e-mail' }).click();
    const dialog = page.getByRole('dialog', { name: 'Trocar o e-mail?' });
    await expect(dialog).toContainText('saídas de dinheiro esperam 72 h');
    await dialog.getByRole('button', { name: 'Trocar e-mail' }).click();
    await expect(dialog).toHaveCount(0);
  };
  await change();
  await expect(page.getByText('Este e-mail já está em uso.')).toBeVisible();
  await expectAccessible(page, ['dark']);
  await field.fill('ana.outra@exemplo.com.br');
  await change();
  await expect(page.getByTestId('toast').getByText('E-mail trocado.', { exact: false })).toBeVisible();
  expect(bodies).toEqual([{ email: 'ana.nova@exemplo.com.br' }, { email: 'ana.outra@exemplo.com.br' }]);
});

test('what is done to who decides waits for a second person; while it waits, no more is asked for', async ({
  page,
}) => {
  const { bodies, answer } = sent(ok({ _id: 'u-bia', request: request({ action: 'factor' }) }));
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/roles': ROLES,
    'GET /admin/user/u-bia': DECIDER,
    'PATCH /admin/user/u-bia/edit': answer,
    'GET /admin/grants': { requests: [request()], freezes: [], lifters: 2, newApproverHours: 24 },
  });
  await page.goto('/administrator/users/edit/u-bia');
  await expect(page.getByRole('region', { name: 'E-mail' }).getByRole('status')).toContainText(
    'segunda pessoa',
  );
  await picture(page, 'people-edit-decider');
  await page.getByRole('button', { name: 'Remover segundo fator' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remover o segundo fator de @biacastro7?' });
  await dialog.getByRole('textbox', { name: 'Motivo' }).fill('Perdeu o celular');
  await expectAccessible(page, ['dark']);
  await dialog.getByRole('button', { name: 'Pedir' }).click();
  await expect(page).toHaveURL(/tab=requests/);
  expect(bodies).toEqual([{ twoFactor: false, reason: 'Perdeu o celular' }]);
  // While it waits.
  state.answers['GET /admin/user/u-bia'] = { ...DECIDER, request: request() };
  await page.goto('/administrator/users/view/u-bia');
  await expect(page.getByRole('link', { name: 'Ver pedidos' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Desativar' })).toHaveAccessibleDescription(
    'Um pedido sobre esta conta espera uma segunda pessoa.',
  );
  await expectAccessible(page);
  await picture(page, 'people-view-waits');
  // Decided elsewhere: the fact asks again.
  state.answers['GET /admin/user/u-bia'] = {
    ...DECIDER,
    status: 'inactive',
    statusReason: 'Saiu da empresa',
  };
  const grant = request({ status: 'done', decidedBy: 'dani2' });
  await state.fact(`user:${ADMINISTRATOR._id}`, 1, { kind: 'admin_grant.changed', grant });
  await expect(page.getByText('Motivo: Saiu da empresa')).toBeVisible();
});

test('another e-mail of an account in use is asked for', async ({ page }) => {
  const { bodies, answer } = sent(ok({ _id: 'u-ana', request: request({ action: 'email' }) }));
  await stub(page, ADMINISTRATOR, {
    'GET /admin/roles': ROLES,
    [ONE]: person({ emailByTwo: true }),
    [EDIT]: answer,
    'GET /admin/grants': { requests: [request()], freezes: [], lifters: 2, newApproverHours: 24 },
  });
  await page.goto('/administrator/users/edit/u-ana');
  const mail = page.getByRole('region', { name: 'E-mail' });
  await expect(mail.getByRole('status')).toContainText('uma segunda pessoa precisa aprovar');
  await mail.getByRole('textbox', { name: 'E-mail' }).fill('ana.nova@exemplo.com.br');
  await mail.getByRole('button', { name: 'Pedir' }).click();
  const dialog = page.getByRole('dialog', { name: 'Trocar o e-mail?' });
  await expect(dialog).toContainText('por 7 dias, desfaz a troca');
  await dialog.getByRole('button', { name: 'Pedir' }).click();
  await expect(page).toHaveURL(/tab=requests/);
  expect(bodies).toEqual([{ email: 'ana.nova@exemplo.com.br' }]);
});

test('a picture is put and taken off; another kind is said at once, a refusal stands there', async ({
  page,
}) => {
  let tries = 0;
  const state = await stub(page, EDITOR, {
    [ONE]: plain(),
    'POST /admin/user/u-ana/upload-image': async (route: Route) => {
      tries += 1;
      if (tries === 1) return refuse(422, 'file.damaged', 'O arquivo está danificado.')(route);
      state.answers[ONE] = plain({ avatar: 'f-1' });
      await route.fulfill({ json: { avatar: 'f-1' } });
    },
    'DELETE /admin/user/u-ana/avatar': async (route: Route) => {
      state.answers[ONE] = plain();
      await route.fulfill({ status: 204 });
    },
    'GET /files/f-1': (route: Route) => route.fulfill({ body: PIXEL, contentType: 'image/png' }),
  });
  await page.goto('/administrator/users/edit/u-ana');
  const card = page.getByRole('region', { name: 'Foto' });
  const choose = (name: string, mimeType: string) =>
    card.locator('input[type="file"]').setInputFiles({ name, mimeType, buffer: PIXEL });
  await choose('foto.pdf', 'application/pdf');
  await expect(card).toContainText('PNG, JPG, JPEG, GIF');
  await choose('foto.png', 'image/png');
  await card.getByRole('button', { name: 'Salvar foto' }).click();
  await expect(card.getByText('O arquivo está danificado.')).toBeVisible();
  await card.getByRole('button', { name: 'Salvar foto' }).click();
  await expect(page.getByTestId('toast').getByText('Foto salva.')).toBeVisible();
  await expect(card.locator('img')).toHaveAttribute('src', /^data:image\/png/);
  await card.getByRole('button', { name: 'Remover foto' }).click();
  await page
    .getByRole('dialog', { name: /^Remover a foto de @/ })
    .getByRole('button', { name: 'Remover foto' })
    .click();
  await expect(page.getByTestId('toast').getByText('Foto removida.')).toBeVisible();
  await expect(card.locator('img')).toHaveCount(0);
});
