/** What there is to read of terms, risk and privacy, and whom to ask: below every public screen, on the account, and of a person by staff. */

import { everywhere, expectAccessible, fits, picture } from '../kit';
import { ACCEPTED, ACCOUNT, RETENTION } from './accountFixtures';
import { AT_WORK } from './fixtures';
import { person, ROLES, SALESPERSON } from './peopleFixtures';
import { CONFIG, CUSTOMER, refuse, stub } from './stub';
import { expect, type Locator, type Page, test } from './window';

const PHONE = { width: 390, height: 844 };
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
const PERIODS = 'GET /privacy/retention';
const READ = { [PERIODS]: RETENTION };
const TITLE = 'Termos, risco e privacidade';

async function namesTheOfficer(within: Page | Locator) {
  const line = within.getByTestId('data-officer');
  await expect(line).toHaveText(`Encarregado de dados: ${CONFIG.officer.name}, ${CONFIG.officer.email}`);
  await expect(line.getByRole('link')).toHaveAttribute('href', `mailto:${CONFIG.officer.email}`);
}

test('before anybody signs in, everything can be read below the card', async ({ page }) => {
  await stub(page, null, READ);
  await page.goto('/login');
  const foot = page.getByRole('contentinfo');
  await namesTheOfficer(foot);
  await everywhere(page, 'legal-foot');
  const open = foot.getByRole('button', { name: TITLE });
  await open.click();
  const drawer = page.getByRole('dialog', { name: TITLE });
  await expect(drawer.getByRole('region', { name: 'Termos de uso' })).toContainText(
    'Versão dos termos e do aviso de risco: 2026-11',
  );
  await expect(drawer.getByRole('note', { name: 'Aviso de risco' })).toBeVisible();
  const periods = drawer.getByRole('table', { name: 'Por quanto tempo guardamos seus dados' });
  for (const [what, time] of [
    ['Acessos à conexão ao vivo', 'até uma hora'],
    ['Envios de arquivo interrompidos', '1 hora'],
    ['Entradas deixadas pela metade', '1 dia'],
    ['Códigos enviados', '2 dias'],
    ['Termos e avisos de risco aceitos', 'para sempre'],
  ] as const)
    await expect(periods.getByRole('row', { name: what })).toContainText(time);
  await expect(periods.getByRole('row')).toHaveCount(RETENTION.data.length);
  await namesTheOfficer(drawer);
  await everywhere(page, 'legal-drawer');
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await expect(open).toBeFocused();
});

test('Back closes the drawer first, and only then leaves the page', async ({ page }) => {
  await stub(page, null, READ);
  await page.goto('/login');
  await page.getByRole('link', { name: 'Esqueci minha senha' }).click();
  await expect(page).toHaveURL('/forgot-password');
  await page.getByRole('button', { name: TITLE }).click();
  const drawer = page.getByRole('dialog', { name: TITLE });
  await expect(drawer.getByRole('row', { name: 'Códigos enviados' })).toBeVisible();
  await page.goBack();
  await expect(drawer).toBeHidden();
  await expect(page).toHaveURL('/forgot-password');
  await page.goBack();
  await expect(page).toHaveURL('/login');
});

test('on a phone the foot comes into its own room, with a link for a finger', async ({ page }) => {
  await page.setViewportSize(PHONE);
  await stub(page, null, READ);
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  await page.route(/\/assets\/PublicFoot-/, async (route) => {
    await given;
    await route.continue();
  });
  await page.goto('/login');
  const title = page.getByRole('heading', { level: 1 });
  await expect(title).toBeVisible();
  const foot = page.getByRole('contentinfo');
  const before = await foot.boundingBox();
  const place = await title.boundingBox();
  give();
  await namesTheOfficer(foot);
  expect((await foot.boundingBox())?.height).toBe(before?.height);
  expect((await title.boundingBox())?.y).toBe(place?.y);
  const link = await foot.getByRole('button', { name: TITLE }).boundingBox();
  expect(link?.height).toBeGreaterThanOrEqual(44);
});

test('where the drawer does not come, that is said where it was asked for, and nothing typed is lost', async ({
  page,
}) => {
  await stub(page, null, READ);
  const missing = /\/assets\/LegalDrawer-/;
  await page.route(missing, (route) => route.abort());
  await page.goto('/forgot-password');
  const field = page.getByLabel('E-mail');
  await field.fill('marina@exemplo.com.br');
  const foot = page.getByRole('contentinfo');
  const open = foot.getByRole('button', { name: TITLE });
  await open.click();
  await expect(foot.getByRole('alert')).toContainText('Não foi possível carregar os termos e a privacidade.');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await expect(field).toHaveValue('marina@exemplo.com.br');
  await page.unroute(missing);
  await foot.getByRole('button', { name: 'Tentar de novo' }).click();
  const drawer = page.getByRole('dialog', { name: TITLE });
  await expect(drawer.getByRole('region', { name: 'Termos de uso' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await expect(open).toBeFocused();
  await expect(field).toHaveValue('marina@exemplo.com.br');
});

for (const [locale, title, officer, periods, code, days] of [
  [
    'en',
    'Terms, risk and privacy',
    'Data protection officer:',
    'How long we keep your data',
    'Codes that were sent',
    '2 days',
  ],
  [
    'es',
    'Términos, riesgo y privacidad',
    'Delegado de protección de datos:',
    'Cuánto tiempo guardamos sus datos',
    'Códigos enviados',
    '2 días',
  ],
] as const)
  test(`in the reader’s language: ${locale}`, async ({ page }) => {
    await stub(page, null, READ);
    await page.goto(`/login/${locale}`);
    const foot = page.getByRole('contentinfo');
    await expect(foot.getByTestId('data-officer')).toContainText(officer);
    await page.setViewportSize(PHONE);
    await foot.getByRole('button', { name: title }).click();
    const drawer = page.getByRole('dialog', { name: title });
    await expect(drawer.getByRole('table', { name: periods }).getByRole('row', { name: code })).toContainText(
      days,
    );
    await fits(page, `the drawer in ${locale}`);
    await picture(page, `legal-${locale}-phone`);
    await expectAccessible(page, ['dark']);
  });

test('periods that did not come are asked for again, and the rest can be read meanwhile', async ({
  page,
}) => {
  const state = await stub(page, null, { [PERIODS]: DOWN });
  await page.goto('/forgot-password');
  await page.getByRole('button', { name: TITLE }).click();
  const drawer = page.getByRole('dialog', { name: TITLE });
  await expect(drawer.getByRole('alert')).toContainText('Não foi possível carregar os prazos.');
  await expect(drawer.getByRole('region', { name: 'Termos de uso' })).toBeVisible();
  await expectAccessible(page);
  await state.fromClick(PERIODS, RETENTION);
  await drawer.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(drawer.getByRole('row', { name: 'Códigos enviados' })).toBeVisible();
});

test('who accepts the terms reads in them whom to ask', async ({ page }) => {
  await stub(page, { ...CUSTOMER, missing: ['terms', 'risk'] }, AT_WORK);
  await page.goto('/licences');
  await expect(page.getByRole('heading', { level: 1, name: 'Os termos mudaram' })).toBeVisible();
  await namesTheOfficer(page.getByRole('region', { name: 'Termos de uso' }));
});

test('the account says what was accepted, for how long what is kept, and whom to ask', async ({ page }) => {
  await stub(page, CUSTOMER, ACCOUNT);
  await page.goto('/support/new-ticket');
  await page.getByRole('button', { name: 'Conta de Marina Duarte' }).click();
  await page.getByRole('menuitem', { name: 'Minha conta' }).click();
  await page.getByRole('tab', { name: 'Privacidade' }).click();
  const accepted = page.getByRole('region', { name: 'Termos e aviso de risco' });
  const lines = accepted.getByRole('listitem');
  await expect(lines).toHaveCount(ACCEPTED.length);
  await expect(lines.nth(0)).toContainText('Termos de uso 2026-11');
  await expect(lines.nth(0)).toContainText('em vigor');
  await expect(lines.nth(0)).toContainText('Aceitação em 03/11/2026 09:00 · Português');
  await expect(lines.nth(1)).toContainText('Aceito 3 vezes, a última em 18/11/2026 12:30');
  await expect(lines.nth(2)).toContainText('Termos de uso 2026-02');
  await expect(lines.nth(2)).toContainText('02/03/2026 09:00 · Español');
  await expect(lines.nth(2)).not.toContainText('em vigor');
  await expect(lines.nth(3)).not.toContainText('·');
  await expect(
    page
      .getByRole('region', { name: 'Por quanto tempo guardamos seus dados' })
      .getByRole('row', { name: 'Códigos' }),
  ).toContainText('2 dias');
  await namesTheOfficer(page.getByRole('region', { name: 'Encarregado de dados' }));
  // What was accepted can be read; the way back leads to the page.
  await accepted.getByRole('button', { name: TITLE }).click();
  const drawer = page.getByRole('dialog', { name: TITLE });
  await expect(drawer.getByRole('region', { name: 'Termos de uso' })).toBeVisible();
  await page.goBack();
  await expect(drawer).toBeHidden();
  await expect(page).toHaveURL('/account-setting?tab=privacy');
});

test('what was accepted and did not come is asked for again; nothing is said to be nothing', async ({
  page,
}) => {
  const state = await stub(page, CUSTOMER, { ...ACCOUNT, 'GET /me/acceptances': DOWN });
  await page.goto('/account-setting?tab=privacy');
  const accepted = page.getByRole('region', { name: 'Termos e aviso de risco' });
  await expect(accepted.getByText('Não foi possível carregar o que foi aceito.')).toBeVisible();
  await expectAccessible(page);
  await state.fromClick('GET /me/acceptances', { data: [] });
  await accepted.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(accepted.getByText('Nada foi aceito ainda.')).toBeVisible();
});

test('staff who see a person see what they accepted', async ({ page }) => {
  await stub(page, SALESPERSON, {
    'GET /admin/roles': ROLES,
    'GET /admin/user/u-ana': person({ balance: null }),
  });
  await page.goto('/administrator/users/view/u-ana');
  const accepted = page.getByRole('region', { name: 'Termos e aviso de risco' });
  await expect(accepted.getByRole('listitem')).toHaveCount(ACCEPTED.length);
  await expect(accepted.getByRole('listitem').nth(1)).toContainText('Aceito 3 vezes');
  await expect(accepted.getByRole('button')).toHaveCount(0);
  await everywhere(page, 'people-accepted');
});
