/** One's own wallet in the built face: pictures and axe, with data, without, and when calls fail; its dialogs. */
import { expectAccessible, fits, picture, typeCode } from '../kit';
import { CUSTOMER, stub } from './stub';
import { AT_HAND, EMPTY, FAILING, swapQuote } from './web3Fixtures';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };

async function open(page: Page, answers: Record<string, unknown>, path = '/account-setting?tab=crypto') {
  const stubbed = await stub(page, CUSTOMER, answers);
  await page.goto(path);
  await expect(page.getByRole('heading', { name: 'Destinos permitidos' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  return stubbed;
}

for (const [state, answers] of [
  ['data', AT_HAND],
  ['empty', EMPTY],
  ['error', FAILING],
] as const)
  test(`screen: wallet, ${state}`, async ({ page }) => {
    await open(page, answers);
    if (state === 'error')
      await expect(page.getByRole('button', { name: 'Tentar de novo' }).first()).toBeVisible();
    if (state === 'empty') await expect(page.getByText('Nada por aqui ainda.')).toBeVisible();
    await picture(page, `wallet-${state}-dark`);
    await expectAccessible(page);
    await fits(page);
    await page.evaluate(() => document.documentElement.setAttribute('data-mantine-color-scheme', 'light'));
    await picture(page, `wallet-${state}-light`);
    await page.setViewportSize(PHONE);
    await fits(page);
    await picture(page, `wallet-${state}-phone`);
    await expectAccessible(page, ['dark']);
  });

test('the menu leads to the tab, and /trading-bot shows the same screen', async ({ page }) => {
  await open(page, AT_HAND, '/trading-bot?tab=crypto');
  await page.goto('/');
  await page.getByRole('link', { name: 'Carteira cripto' }).click();
  await expect(page).toHaveURL(/\/account-setting\?tab=crypto/);
  await expect(page.getByRole('heading', { name: 'Saldos na rede' })).toBeVisible();
});

test('sending, step by step', async ({ page }) => {
  const { calls } = await open(page, AT_HAND);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Enviar moedas' });
  await dialog.getByRole('button', { name: 'Revisar envio' }).click();
  await expect(dialog.getByText(/comece com 0x/)).toBeVisible();
  expect(calls.some((call) => call.includes('transferToken'))).toBe(false);
  await dialog.getByLabel('Endereço de destino').fill('0x9858EfFD232B4033E47d90003D41EC34EcaEda94');
  await dialog.getByRole('textbox', { name: /^Valor/ }).fill('40,5');
  await picture(page, 'send-form');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Revisar envio' }).click();
  await expect(dialog.getByTestId('send-to')).toHaveText(
    '0x 9858 EfFD 232B 4033 E47d 9000 3D41 EC34 EcaE da94',
  );
  await expect(dialog.getByText('0,00042')).toBeVisible();
  await picture(page, 'send-review');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'send-review-phone');
});

test('a swap whose price worsens asks before it goes on', async ({ page }) => {
  const answers: Record<string, unknown> = { ...AT_HAND };
  const stubbed = await open(page, answers);
  await page.getByRole('button', { name: 'Trocar', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Trocar moedas' });
  await dialog.getByRole('textbox', { name: /^Você troca/ }).fill('10');
  await expect(dialog.getByText('USDT → PYX')).toBeVisible();
  await expect(dialog.getByTestId('swap-minimum')).toContainText('19,8404');
  await picture(page, 'swap-form');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Revisar troca' }).click();
  await expectAccessible(page);
  stubbed.answers['POST /web3/swapTokens/quote'] = swapQuote({
    minimum: '19000000000000000000',
    impact: '16.20',
  });
  const accept = dialog.getByRole('button', { name: 'Aceitar' });
  await expect(accept).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Trocar agora' })).toHaveAttribute('aria-disabled', 'true');
  await picture(page, 'swap-moved');
  await expectAccessible(page);
  await accept.click();
  // A price this bad wants a word as well.
  await expect(dialog.getByLabel(/CONFIRMAR/)).toBeVisible();
  await expect(dialog.getByTestId('swap-minimum')).toContainText('19,00 BNB');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'swap-review-phone');
});

test('the list of destinations goes on with a code of exactly that', async ({ page }) => {
  const sent: unknown[] = [];
  const answer = (json: object) => async (route: Route) => {
    sent.push(route.request().postDataJSON());
    await route.fulfill({ json });
  };
  await open(page, {
    ...EMPTY,
    'POST /security-code': answer({ method: 'email' }),
    'POST /whitelist/on': answer({ on: true, offAt: null, entries: [] }),
  });
  await page.getByRole('region', { name: 'Destinos permitidos' }).getByRole('switch').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Ligar' }).click();
  await typeCode(page, '123456');
  await expect(page.getByText('Lista ligada.')).toBeVisible();
  expect(sent).toEqual([{ purpose: 'whitelist', destination: 'on' }, { securityCode: '123456' }]);
});

test('a member on the list is called as members are, and who has left by no name', async ({ page }) => {
  const times = { usableAt: '2026-11-02T12:00:00Z', created_at: '2026-11-01T12:00:00Z' };
  const entries = [
    { _id: 'w1', kind: 'member', destination: 'ana21', label: 'Ana', ...times },
    { _id: 'w2', kind: 'member', destination: 'closed-4f2a91c07be3', label: '', ...times },
    { _id: 'w3', kind: 'pix', destination: 'marina@exemplo.com.br', label: '', ...times },
  ];
  await open(page, { ...AT_HAND, 'GET /whitelist': { on: true, offAt: null, entries } });
  const list = page.getByRole('region', { name: 'Destinos permitidos' });
  await expect(list.getByText('@ana21')).toHaveAttribute('translate', 'no');
  await expect(list.getByText('marina@exemplo.com.br')).toHaveAttribute('translate', 'no');
  const left = list.getByRole('row').filter({ hasText: 'Conta encerrada' });
  await expect(left).toHaveCount(1);
  await expect(page.getByText(/closed-/)).toHaveCount(0);
  // The last question calls them alike.
  await left.getByRole('button', { name: 'Remover' }).click();
  await expect(page.getByRole('dialog').getByText('Conta encerrada')).toBeVisible();
  await expect(page.getByText(/closed-/)).toHaveCount(0);
});

test('the words are hidden until pressed and go when the page is left', async ({ page }) => {
  await open(page, AT_HAND);
  await page.getByRole('button', { name: 'Revelar frase' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Continuar' }).click();
  await typeCode(page, '123456');
  const words = page.getByTestId('phrase-word');
  await expect(words).toHaveCount(12);
  await expect(page.getByText('sausage')).toHaveCount(0);
  await page.getByRole('button', { name: 'Mostrar palavras' }).click();
  await expect(words.nth(5)).toHaveText('6. sausage');
  await picture(page, 'phrase');
  await expectAccessible(page);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expect(words).toHaveCount(0);
});
