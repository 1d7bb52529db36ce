/** The audit as staff search it: the list and its filters, an entry with its link, how the chain stands; without a server. */

import { expectAccessible, fits, picture, wear } from '../kit';
import { ANSWERS, BROKEN, chain, ENTRY, LATE, LINK, THING } from './auditFixtures';
import { page as list } from './fixtures';
import { PEOPLE } from './peopleFixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, type Page, test } from './window';

const PHONE = { width: 390, height: 844 };
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
const LIST = 'GET /admin/audit';
const CHAIN = 'GET /admin/audit-chain';
const ONE = 'GET /admin/audit/14';
const PATH = '/administrator/audit';

/** What the list was asked last. */
function asked(page: Page) {
  let last = new URLSearchParams();
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/admin/audit') last = searchParams;
  });
  return (name: string) => last.get(name);
}

test('the list and the chain: with entries, empty, failing, on a phone', async ({ page }) => {
  test.slow();
  const state = await stub(page, ADMINISTRATOR, ANSWERS);
  await page.goto(PATH);
  await expect(page.getByRole('heading', { level: 1, name: 'Auditoria' })).toBeVisible();
  const rows = page.getByRole('table', { name: 'Auditoria' });
  const surplus = rows.getByRole('row', { name: /Excedente enviado/ });
  await expect(surplus).toContainText('Plataforma');
  await expect(rows.getByRole('row', { name: /active → inactive/ })).toContainText('@biacastro7');
  await expect(rows.getByTitle(THING)).toBeVisible();
  const card = page.getByRole('region', { name: 'Corrente da auditoria' });
  await expect(card).toContainText('até o elo 9');
  await expect(card).toContainText('12 assinaturas no arquivo');
  await expect(card.getByRole('alert')).toHaveCount(0);
  await page.waitForLoadState('networkidle');
  await picture(page, 'audit-dark');
  await expectAccessible(page);
  await wear(page, 'light');
  await picture(page, 'audit-light');
  await wear(page, 'dark');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'audit-phone');
  await expectAccessible(page, ['dark']);
  await page.setViewportSize({ width: 1280, height: 800 });
  state.answers[LIST] = list([]);
  await page.reload();
  await expect(page.getByText('Nenhum registro ainda.')).toBeVisible();
  state.answers[LIST] = DOWN;
  state.answers[CHAIN] = DOWN;
  await page.reload();
  await expect(page.getByText('Não foi possível carregar os registros da auditoria.')).toBeVisible();
  await expect(page.getByText('Não foi possível carregar o estado da corrente.')).toBeVisible();
});

test('narrowed to a person, an action and an id: the address holds it', async ({ page }) => {
  await stub(page, ADMINISTRATOR, { ...ANSWERS, 'GET /admin/users-list/': PEOPLE });
  const last = asked(page);
  await page.goto(PATH);
  const actor = page.getByRole('combobox', { name: 'Feito por' });
  await actor.fill('ana');
  await page.getByRole('option', { name: /Ana Prado/ }).click();
  await expect(page).toHaveURL(/actor=anaprado21/);
  await expect.poll(() => last('actor')).toBe('anaprado21');
  const action = page.getByRole('combobox', { name: 'O quê' });
  await action.fill('Entrou');
  await page.getByRole('option', { name: 'Entrou', exact: true }).click();
  await expect(page).toHaveURL(/action=auth\.signed_in/);
  await page.getByRole('searchbox').fill(THING);
  await expect.poll(() => last('search')).toBe(THING);
  await expect.poll(() => last('action')).toBe('auth.signed_in');
  await expectAccessible(page, ['dark']);
  // A link shows the same again.
  await page.reload();
  await expect(actor).toHaveValue('@anaprado21');
  await page.getByRole('button', { name: 'Limpar filtros' }).first().click();
  await expect(page).not.toHaveURL(/actor=|action=|search=/);
});

test('an entry with its link, by keyboard; in the address; changed; gone', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, ANSWERS);
  await page.goto(PATH);
  await expect(page.locator('tr[data-row="14"]')).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(page.locator('tr[data-row="14"]')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/entry=14/);
  const drawer = page.getByRole('dialog', { name: 'Registro 14' });
  await expect(drawer).toContainText('crypto_withdrawal.pay');
  await expect(drawer).toContainText(LINK.digest);
  await expect(drawer).toContainText('confere com o registro');
  await expect(drawer.getByRole('link', { name: /Ana Prado/ })).toHaveAttribute(
    'href',
    '/administrator/users/view/u-ana',
  );
  await picture(page, 'audit-entry');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'audit-entry-phone');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await expect(page).not.toHaveURL(/entry=/);
  state.answers[ONE] = { ...ENTRY, link: { ...LINK, before: null, matches: false } };
  await page.goto(`${PATH}?entry=14`);
  await expect(drawer.getByRole('alert')).toContainText('não confere');
  await expect(drawer).toContainText('O elo anterior não existe mais.');
  state.answers[ONE] = { ...ENTRY, link: null };
  await page.reload();
  await expect(drawer).toContainText('Ainda fora da corrente');
  state.answers[ONE] = refuse(404, 'request.not_found', 'Não encontrado.');
  await page.reload();
  await expect(drawer.getByRole('alert')).toContainText('Não encontrado.');
});

test('the chain says no more than is known', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, { ...ANSWERS, [CHAIN]: chain(LATE) });
  await page.goto(PATH);
  const card = page.getByRole('region', { name: 'Corrente da auditoria' });
  await expect(card.getByRole('alert')).toContainText('Sem assinatura há mais de um dia');
  state.answers[CHAIN] = chain(BROKEN);
  await page.reload();
  await expect(card.getByRole('alert')).toHaveCount(2);
  await expect(card).toContainText('não confere');
  await picture(page, 'audit-chain-broken');
  await expectAccessible(page);
  state.answers[CHAIN] = chain(null);
  await page.reload();
  await expect(card.getByRole('note')).toContainText('não tem a chave que assina');
});
