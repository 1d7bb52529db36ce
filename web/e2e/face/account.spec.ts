/** The account screen, tab by tab: with data, when calls fail, on a phone, in both skins; and what is asked before a form is left. */

import { drawn, everywhere, expectAccessible, fits, picture } from '../kit';
import { ACCOUNT, LIMITS, PREFERENCES, WHOLE } from './accountFixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 1000 };
const TABS = {
  general: 'Geral',
  security: 'Senha e segurança',
  other: 'Outras informações',
  social: 'Redes sociais',
  notifications: 'Notificações',
  privacy: 'Privacidade',
} as const;

for (const [tab, title] of Object.entries(TABS))
  test(`tab: ${tab}`, async ({ page }) => {
    const body = await drawn(page, 400, 300);
    await stub(page, WHOLE, {
      ...ACCOUNT,
      'GET /files/f-1': (route: Route) => route.fulfill({ body, contentType: 'image/png' }),
    });
    await page.goto(`/account-setting?tab=${tab}`);
    await expect(page.getByRole('tab', { name: title })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('tabpanel').getByRole('heading', { level: 2 }).first()).toBeVisible();
    await everywhere(page, `account-${tab}`);
  });

test('the tabs of one’s account, under both addresses', async ({ page }) => {
  await stub(page, CUSTOMER, ACCOUNT);
  for (const path of ['/account-setting', '/trading-bot']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: 'Minha conta' })).toBeVisible();
    await expect(page.getByRole('tab')).toHaveText([...Object.values(TABS), 'Carteiras cripto']);
  }
});

test('who has given little sees what may be given', async ({ page }) => {
  await stub(page, { ...CUSTOMER, address: null, mobileNumber: null });
  await page.goto('/trading-bot?tab=other');
  await expect(page.getByLabel('CPF ou CNPJ')).toBeEditable();
  await everywhere(page, 'account-other-empty');
});

test('what fails says so and can be asked again', async ({ page }) => {
  const broken = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /notifications/preferences': broken,
    'GET /self-limits': broken,
    'GET /sessions': broken,
  });
  await page.goto('/account-setting?tab=notifications');
  const news = page.getByRole('region', { name: 'Notificações' }).last();
  await expect(news.getByText('Não foi possível carregar as notificações.')).toBeVisible();
  await everywhere(page, 'account-notifications-error');
  await state.fromClick('GET /notifications/preferences', PREFERENCES);
  await news.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(page.getByRole('switch', { name: 'Rede: Na tela' })).toBeChecked();

  await page.goto('/account-setting?tab=security');
  const limits = page.getByRole('region', { name: 'Meus limites de saída' });
  await expect(limits.getByRole('button', { name: 'Tentar de novo' })).toBeVisible();
  const devices = page.getByRole('region', { name: 'Dispositivos' });
  await expect(devices.getByRole('button', { name: 'Tentar de novo' })).toBeVisible();
  await everywhere(page, 'account-security-error');
  await state.fromClick('GET /self-limits', LIMITS);
  await limits.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(page.getByRole('region', { name: 'Por operação' })).toBeVisible();
});

test('an unknown tab is the first one', async ({ page }) => {
  await stub(page, CUSTOMER);
  await page.goto('/account-setting?tab=nothing');
  await expect(page.getByRole('tab', { name: 'Geral' })).toHaveAttribute('aria-selected', 'true');
});

test('something unsaved is not left without a question: another tab, another screen, the way back', async ({
  page,
}) => {
  await stub(page, CUSTOMER, ACCOUNT);
  await page.goto('/support/new-ticket');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Conta de Marina Duarte' }).click();
  await page.getByRole('menuitem', { name: 'Minha conta' }).click();
  const phone = page.getByLabel('Celular');
  await phone.fill('+55 11 97777-0000');
  await expect(page.getByText('Alterações não salvas')).toBeVisible();
  const question = page.getByRole('dialog', { name: 'Alterações não salvas' });
  const stay = question.getByRole('button', { name: 'Continuar editando' });

  await page.getByRole('tab', { name: 'Redes sociais' }).click();
  await expect(stay).toBeFocused();
  await picture(page, 'account-unsaved');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'account-unsaved-phone');
  await page.setViewportSize(DESK);
  await stay.click();
  await expect(question).toBeHidden();
  await expect(phone).toHaveValue('+55 11 97777-0000');

  await page.goBack();
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(page).toHaveURL('/account-setting');
  await expect(phone).toHaveValue('+55 11 97777-0000');

  await page.getByRole('link', { name: 'Suporte', exact: true }).click();
  await question.getByRole('button', { name: 'Sair sem salvar' }).click();
  await expect(page).toHaveURL('/support');
  // Nothing is kept of it, and what is clean is left at once.
  await page.getByRole('button', { name: 'Conta de Marina Duarte' }).click();
  await page.getByRole('menuitem', { name: 'Minha conta' }).click();
  await expect(phone).toHaveValue('+55 11 98888-7777');
  await page.getByRole('tab', { name: 'Redes sociais' }).click();
  await expect(page.getByLabel('Instagram')).toBeVisible();
});

test('a password that is half typed counts as unsaved; what is discarded does not', async ({ page }) => {
  await stub(page, CUSTOMER, ACCOUNT);
  await page.goto('/account-setting?tab=security');
  await page.getByRole('textbox', { name: 'Senha atual' }).fill('segredo');
  await page.getByRole('tab', { name: 'Geral' }).click();
  await page
    .getByRole('dialog', { name: 'Alterações não salvas' })
    .getByRole('button', { name: 'Continuar editando' })
    .click();
  await page.getByRole('button', { name: 'Descartar' }).click();
  await page.getByRole('tab', { name: 'Geral' }).click();
  await expect(page.getByLabel('Nome completo')).toBeVisible();
});

test('the window is not closed over something unsaved without a question of the browser', async ({
  page,
}) => {
  await stub(page, CUSTOMER);
  await page.goto('/account-setting');
  const asks = () =>
    page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
  await expect(page.getByLabel('Celular')).toBeVisible();
  expect(await asks()).toBe(false);
  await page.getByLabel('Celular').fill('+55 11 97777-0000');
  await expect.poll(asks).toBe(true);
});

test('a profile that others change shows through what one has not touched', async ({ page }) => {
  const state = await stub(page, CUSTOMER);
  await page.goto('/account-setting');
  await page.getByLabel('Celular').fill('+55 11 97777-0000');
  state.answers['GET /me'] = { user: { ...CUSTOMER, fullName: 'Marina Duarte Lima' } };
  await state.fact(`user:${CUSTOMER._id}`, 1, { kind: 'user.changed', reason: 'profile' });
  await expect(page.getByLabel('Nome completo')).toHaveValue('Marina Duarte Lima');
  await expect(page.getByLabel('Celular')).toHaveValue('+55 11 97777-0000');
});
