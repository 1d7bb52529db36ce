/** Staff look at an account as its owner sees it: from the person's page, in a tab of its own, and on the owner's account. */

import { expectAccessible, fits, picture, typeCode } from '../kit';
import { ACCOUNT, LOOKS } from './accountFixtures';
import { ahead, MINUTE, SECOND } from './clock';
import { page as list, OUTBOUND } from './fixtures';
import { LOGS, person } from './peopleFixtures';
import { RATE } from './pixFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const LOOK = '0190a000-0000-7000-8000-00000000100c';
const REASON = 'A cliente não vê o depósito de ontem no extrato';
const SEEN = { ...CUSTOMER, look: { _id: LOOK, reason: REASON, until: ahead(12 * MINUTE) } };
const PIX = '/wallet/my-deposits-pix';
const END = `DELETE /admin/user/${CUSTOMER._id}/look`;
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
const OVER = refuse(403, 'look.over', 'O tempo para ver esta conta acabou.');

/** Answers, and notes under which look each call was made. */
const under = (noted: (string | undefined)[], json: unknown) => (route: Route) => {
  noted.push(route.request().headers()['x-arbora-look']);
  return route.fulfill({ json });
};

test('from the person: a reason, a code of one’s own for that account, then a tab for it', async ({
  page,
}) => {
  const bodies: unknown[] = [];
  const noted = (answer: (route: Route) => unknown) => (route: Route) => {
    bodies.push(route.request().postDataJSON());
    return answer(route) as Promise<void>;
  };
  const begin = 'POST /admin/user/u-ana/look';
  const state = await stub(
    page,
    { ...ADMINISTRATOR, _id: 'u-me' },
    {
      'GET /admin/user/u-ana': person({ editable: true }),
      'GET /admin/user-logs-list/u-ana': LOGS,
      'GET /outbound-state': { ...OUTBOUND, factor: 'email' },
      'POST /security-code': noted((route) => route.fulfill({ json: { method: 'email' } })),
      [begin]: noted(refuse(422, 'code.wrong', 'Código incorreto.')),
    },
  );
  await page.goto('/administrator/users/view/u-ana');
  await page.getByRole('button', { name: 'Ver como esta pessoa' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('O titular é avisado agora');
  await expect(dialog.getByRole('button', { name: 'Continuar' })).toBeDisabled();
  await picture(page, 'look-reason');
  await expectAccessible(page);
  await dialog.getByRole('textbox', { name: /Motivo/ }).fill(REASON);
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await typeCode(page, '111111');
  await expect(page.getByRole('alert')).toContainText('Código incorreto.');
  state.answers[begin] = noted((route) =>
    route.fulfill({ status: 201, json: { _id: LOOK, until: ahead(15 * MINUTE) } }),
  );
  await typeCode(page, '222222');
  const open = page.getByRole('dialog').getByRole('link', { name: 'Abrir a conta' });
  await expect(open).toHaveAttribute('href', `/look/${LOOK}?of=u-ana`);
  await expect(open).toBeFocused();
  await expect(open).toHaveAttribute('target', '_blank');
  await picture(page, 'look-ready');
  await expectAccessible(page);
  expect(bodies).toEqual([
    { purpose: 'look-as', destination: person().username },
    { reason: REASON, securityCode: '111111' },
    { reason: REASON, securityCode: '222222' },
  ]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Ver como esta pessoa' })).toBeFocused();
});

test('the dialog has the focus and gives it back; a way to the code that cannot be loaded is said', async ({
  page,
}) => {
  const state = await stub(
    page,
    { ...ADMINISTRATOR, _id: 'u-me' },
    { 'GET /admin/user/u-ana': person({ editable: true }), 'GET /outbound-state': DOWN },
  );
  await page.goto('/administrator/users/view/u-ana');
  const begin = page.getByRole('button', { name: 'Ver como esta pessoa' });
  await begin.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  const reason = dialog.getByRole('textbox', { name: /Motivo/ });
  await expect(reason).toBeFocused();
  await reason.fill(REASON);
  await expect(dialog.getByRole('alert')).toContainText(
    'Não foi possível carregar como o seu código é enviado.',
  );
  await expect(dialog.getByRole('button', { name: 'Continuar' })).toBeDisabled();
  await expectAccessible(page);
  await state.fromClick('GET /outbound-state', { ...OUTBOUND, factor: 'email' });
  await dialog.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(dialog.getByRole('button', { name: 'Continuar' })).toBeEnabled();
  await expect(reason).toHaveValue(REASON);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(begin).toBeFocused();
});

test('who may not is not offered it', async ({ page }) => {
  await stub(
    page,
    { ...ADMINISTRATOR, _id: 'u-me' },
    { 'GET /admin/user/u-ana': person({ editable: false }) },
  );
  await page.goto('/administrator/users/view/u-ana');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Ver como esta pessoa' })).toHaveCount(0);
});

test('the tab: whose, why and how long; every call names the look, nothing is sent, nothing comes live', async ({
  page,
}) => {
  const noted: (string | undefined)[] = [];
  const state = await stub(page, SEEN, {
    'GET /me': under(noted, { user: SEEN, places: [] }),
    'GET /list-deposits-pix': under(noted, list([])),
    'GET /pix/rate': under(noted, RATE),
    [END]: null,
  });
  await page.goto(`/look/${LOOK}`);
  const bar = page.getByTestId('look-bar');
  await expect(bar).toContainText('Marina Duarte · @marinaduarte48201');
  await expect(bar).toContainText(REASON);
  await expect(bar).toContainText(/1[12]:\d\d/);
  await expect(page).not.toHaveURL(/look/);
  const menu = page.getByRole('navigation');
  await expect(menu.getByRole('link', { name: 'Suporte' })).toHaveCount(0);
  await menu.getByRole('link', { name: 'PIX' }).first().click();
  await expect(page).toHaveURL(new RegExp(PIX));
  await expect(page.getByRole('banner').getByText('Sem atualização')).toBeVisible();
  await picture(page, 'look-tab');
  await expectAccessible(page);
  const sending = page.locator('form button[type="submit"]');
  await expect(sending.first()).toBeVisible();
  for (const button of await sending.all()) await expect(button).toHaveAttribute('aria-disabled', 'true');
  // Nor does Ctrl K lead where a look is refused.
  await page.keyboard.press('Control+k');
  const field = page.getByPlaceholder('Buscar uma tela');
  await field.fill('Análises');
  await expect(page.getByRole('dialog').getByText('Análises').first()).toBeVisible();
  for (const shut of ['Minha conta', 'WhatsApp']) {
    await field.fill(shut);
    await expect(page.getByRole('dialog')).toContainText('Nenhuma tela com esse nome.');
  }
  await page.keyboard.press('Escape');
  await page.setViewportSize(PHONE);
  await fits(page, 'a look on a phone');
  await expect(bar.getByRole('button', { name: 'Encerrar' })).toBeVisible();
  await picture(page, 'look-tab-phone');
  expect(noted.length).toBeGreaterThan(1);
  expect(new Set(noted)).toEqual(new Set([LOOK]));
  expect(state.opened).toBe(0);
  // Loaded again it still is what it was.
  await page.reload();
  await expect(bar).toContainText('Marina Duarte');
  await bar.getByRole('button', { name: 'Encerrar' }).click();
  await expect(page.getByRole('heading', { name: 'A visita a esta conta acabou' })).toBeVisible();
  await expect(bar).toHaveCount(0);
  await expectAccessible(page);
  expect(state.calls.filter((call) => !call.startsWith('GET ') && !call.startsWith('POST /auth/'))).toEqual([
    END,
  ]);
});

test('with its time over the tab shows nothing but that, whoever says so first', async ({ page }) => {
  await stub(page, { ...SEEN, look: { ...SEEN.look, until: ahead(20 * SECOND) } });
  await page.goto(`/look/${LOOK}`);
  await expect(page.getByTestId('look-bar')).toBeVisible();
  await page.clock.fastForward(21 * SECOND);
  await expect(page.getByRole('heading', { name: 'A visita a esta conta acabou' })).toBeVisible();
  await expect(page.getByText('Marina Duarte')).toHaveCount(0);
  await picture(page, 'look-over');
});

test('a look that the server no longer knows is over, and the browser stays signed in', async ({ page }) => {
  const state = await stub(page, SEEN, { 'GET /me': OVER, 'GET /admin/user/u-ana': person() });
  await page.goto(`/look/${LOOK}?of=u-ana`);
  await expect(page.getByRole('heading', { name: 'A visita a esta conta acabou' })).toBeVisible();
  expect(await page.evaluate(() => document.cookie)).toContain('signed_in=1');
  // Loaded again it still leads back to whose account it was.
  await page.reload();
  await expect(page.getByRole('heading', { name: 'A visita a esta conta acabou' })).toBeVisible();
  state.answers['GET /me'] = { user: { ...ADMINISTRATOR, _id: 'u-me' }, places: [] };
  await page.getByRole('button', { name: 'Ir para a página da pessoa' }).click();
  await expect(page).toHaveURL(/\/administrator\/users\/view\/u-ana$/);
});

test('the owner reads who looked, why and when', async ({ page }) => {
  const state = await stub(page, CUSTOMER, { ...ACCOUNT, 'GET /me/looks': { data: [] } });
  await page.goto('/account-setting?tab=privacy');
  const card = page.getByRole('region', { name: 'Quem viu a minha conta' });
  await expect(card.getByText('Ninguém da equipe viu a sua conta.')).toBeVisible();
  state.answers['GET /me/looks'] = LOOKS;
  await state.fact(`user:${CUSTOMER._id}`, 1, {
    kind: 'account.seen',
    look: LOOK,
    by: 'Rui',
    role: 'administrator',
    reason: REASON,
  });
  await expect(card.getByRole('listitem')).toHaveCount(2);
  await expect(card).toContainText('Rui · Administrador');
  await expect(card.getByText('agora')).toBeVisible();
  await picture(page, 'looks-own');
  await expectAccessible(page);
  state.answers['GET /me/looks'] = DOWN;
  await page.reload();
  await expect(card.getByText('Não foi possível carregar quem viu a conta.')).toBeVisible();
  await state.fromClick('GET /me/looks', LOOKS);
  await card.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(card.getByRole('listitem')).toHaveCount(2);
});
