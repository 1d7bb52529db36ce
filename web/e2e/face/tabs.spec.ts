/** One person per tab (docs/rules/web.md#session-in-the-browser), in the built face. */

import { expectAccessible, fits, picture, SKINS, typeCode, wear } from '../kit';
import { LISTS, RATE, page as rows } from './pixFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, type Stub, stub } from './stub';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const ANA = { ...ADMINISTRATOR, _id: '018f0000-0000-7000-8000-0000000000a1' };
/** A token as the server makes it, which says whose it is. */
const tokenOf = ({ _id: sub }: { _id: string }, sid: string) =>
  `x.${Buffer.from(JSON.stringify({ sub, sid, iat: 0, exp: 900 })).toString('base64url')}.y`;
const MINE = tokenOf(CUSTOMER, 's1');
const HERS = tokenOf(ANA, 's2');

const PIX = {
  'GET /pix/rate': RATE,
  'GET /list-deposits-pix': rows([]),
  'POST /auth/refresh': { token: MINE },
};

/** Who asks is told about themself, and what each call was signed with is kept. */
function tellApart(state: Stub): { call: string; token: string }[] {
  const signed: { call: string; token: string }[] = [];
  state.answers['GET /me'] = (route: Route) => {
    const token = route.request().headers().authorization?.replace('Bearer ', '') ?? '';
    signed.push({ call: 'GET /me', token });
    return route.fulfill({ json: { user: token === HERS ? ANA : CUSTOMER } });
  };
  return signed;
}

/** Marina has typed an amount and sends it just when her token is refused. */
async function typed(page: Page, state: Stub) {
  await page.goto('/wallet/my-deposits-pix');
  await page.getByLabel('Você recebe').fill('100');
  state.answers['POST /deposit-pix'] = refuse(401, 'auth.unauthenticated', 'Entre de novo.');
}
const send = (page: Page) => page.getByRole('button', { name: 'Gerar PIX' }).click();
const shut = (page: Page, title: string) => page.getByRole('dialog', { name: title });
const sent = ({ calls }: Stub) => calls.filter((call) => call === 'POST /deposit-pix').length;

test('a renewed token of somebody else is not used: nothing typed is sent, and the tab says who is there', async ({
  page,
}) => {
  const state = await stub(page, CUSTOMER, PIX);
  const signed = tellApart(state);
  const tokens: string[] = [];
  page.on('request', (request) => {
    if (request.headers().authorization === `Bearer ${HERS}`) tokens.push(new URL(request.url()).pathname);
  });
  await typed(page, state);
  state.answers['POST /auth/refresh'] = { token: HERS };
  await send(page);
  const gate = shut(page, 'Ana Prado entrou neste navegador');
  await expect(gate).toContainText('Esta aba era de Marina Duarte.');
  expect(sent(state)).toBe(1);
  // Her token told her name and did nothing else.
  expect(tokens).toEqual(['/api/me']);
  expect(signed.filter(({ token }) => token === HERS)).toHaveLength(1);
  await expectAccessible(page);
  for (const [locale, skin] of [
    ['pt', 'dark'],
    ['pt', 'light'],
  ] as const) {
    await wear(page, skin);
    await picture(page, `shut-other-${locale}-${skin}`);
  }
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'shut-other-phone');
  // Nothing gets below it.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(gate).toBeVisible();
  state.answers['GET /admin/waiting'] = { queues: [] };
  await gate.getByRole('button', { name: 'Continuar como Ana Prado' }).click();
  await expect(page.getByRole('button', { name: /Conta de Ana Prado|Abrir menu/ }).first()).toBeVisible();
  await expect(gate).toHaveCount(0);
  expect(sent(state)).toBe(1);
});

test('in that tab the first one signs in again and finds what was typed', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...PIX,
    'POST /auth/login': { token: tokenOf(CUSTOMER, 's3') },
  });
  tellApart(state);
  await typed(page, state);
  state.answers['POST /auth/refresh'] = { token: HERS };
  await send(page);
  const gate = shut(page, 'Ana Prado entrou neste navegador');
  await gate.getByRole('button', { name: 'Entrar de novo como Marina Duarte' }).click();
  await expect(gate.getByLabel('E-mail')).toHaveValue(CUSTOMER.email);
  await gate.getByRole('textbox', { name: 'Senha' }).fill('cavalo-bateria-grampo');
  await gate.getByRole('button', { name: 'Entrar', exact: true }).click();
  await expect(gate).toHaveCount(0);
  await expect(page.getByLabel('Você recebe')).toHaveValue('100');
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  expect(sent(state)).toBe(1);
  state.answers['POST /deposit-pix'] = refuse(422, 'x', 'Depois.');
  await send(page);
  await expect.poll(() => sent(state)).toBe(2);
});

test('a sign-in tells the other tabs, and each page that makes a session asks first', async ({
  page,
  context,
}) => {
  const state = await stub(page, CUSTOMER, PIX);
  tellApart(state);
  await typed(page, state);
  const other = await context.newPage();
  const second = await stub(other, CUSTOMER, {
    'POST /auth/refresh': { token: MINE },
    'POST /auth/login': { token: HERS },
    'POST /auth/logout': null,
    'GET /affiliates/verify-upline/ana21': { username: 'ana21', firstName: 'Ana' },
    'GET /verifySignature/good': { valid: true },
    'GET /admin/waiting': { queues: [] },
  });
  tellApart(second);
  for (const path of ['/ref/ana21', '/new-password/good/novo@exemplo.com.br', '/login?to=%2Fsupport']) {
    await other.goto(path);
    await expect(other.getByText(`Neste navegador está Marina Duarte (${CUSTOMER.email}).`)).toBeVisible();
    await expect(other.getByRole('textbox')).toHaveCount(0);
  }
  await picture(other, 'signed-in-dark');
  await expectAccessible(other);
  await expect(other.getByRole('link', { name: 'Continuar como Marina Duarte' })).toHaveAttribute(
    'href',
    '/support',
  );
  // The word that the first one leaves is lost here: what follows does not need it.
  await other.evaluate(() => {
    const post = BroadcastChannel.prototype.postMessage;
    BroadcastChannel.prototype.postMessage = function (word) {
      if (word !== 'signed-out') post.call(this, word);
    };
  });
  await other.getByRole('button', { name: 'Sair e usar outra conta' }).click();
  await other.getByLabel('E-mail').fill('ana@exemplo.com.br');
  await other.getByRole('textbox', { name: 'Senha' }).fill('cavalo-bateria-grampo');
  await other.getByRole('button', { name: 'Entrar', exact: true }).click();
  await expect(other).toHaveURL('/support');
  await expect(shut(page, 'Ana Prado entrou neste navegador')).toBeVisible();
  expect(sent(state)).toBe(0);
});

test('a session ended elsewhere says so, and what was typed is there after the sign-in', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...PIX,
    'GET /list-deposits-pix': LISTS,
    'POST /auth/login': { twoFactor: { challenge: 'c1', methods: ['email'] } },
    'POST /auth/2fa': { token: tokenOf(CUSTOMER, 's4') },
  });
  tellApart(state);
  await page.goto('/wallet/my-deposits-pix');
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  // Also in what lies above the page.
  await page.keyboard.press('Control+k');
  const palette = page.getByPlaceholder('Buscar uma tela');
  await palette.fill('extra');
  await state.cut({ code: 4002, reason: 'revoked' });
  const gate = shut(page, 'Sua sessão terminou');
  await expect(gate).toContainText('Entre de novo como Marina Duarte');
  await expectAccessible(page);
  for (const skin of SKINS) {
    await wear(page, skin);
    await picture(page, `shut-ended-${skin}`);
  }
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'shut-ended-phone');
  await page.keyboard.press('Escape');
  await gate.getByRole('textbox', { name: 'Senha' }).fill('cavalo-bateria-grampo');
  await gate.getByRole('button', { name: 'Entrar', exact: true }).click();
  await typeCode(page, '123456');
  await expect(gate).toHaveCount(0);
  await expect(palette).toHaveValue('extra');
  await expect(palette).toBeVisible();
});

test('who does not go on leaves, and a sign-out leaves nothing in any tab', async ({ page }) => {
  const state = await stub(page, CUSTOMER, PIX);
  await page.goto('/wallet/my-deposits-pix');
  await state.cut({ code: 4002, reason: 'revoked' });
  await shut(page, 'Sua sessão terminou').getByRole('button', { name: 'Ir para a entrada' }).click();
  await expect(page).toHaveURL('/login?to=%2Fwallet%2Fmy-deposits-pix');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Entrar na sua conta');
});

for (const [locale, title, goOn] of [
  ['en', 'Ana Prado signed in with this browser', 'Go on as Ana Prado'],
  ['es', 'Ana Prado entró en este navegador', 'Continuar como Ana Prado'],
] as const)
  test(`the same in ${locale}`, async ({ page }) => {
    await page.addInitScript((kept) => localStorage.setItem('locale', kept), locale);
    await stub(page, CUSTOMER, PIX);
    await page.goto('/wallet/my-deposits-pix');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.evaluate(
      (now) => new BroadcastChannel('arbora-session').postMessage({ owner: 'another', now }),
      { id: ANA._id, name: ANA.fullName },
    );
    await expect(shut(page, title).getByRole('button', { name: goOn })).toBeVisible();
    await page.setViewportSize(PHONE);
    await fits(page);
    await picture(page, `shut-other-${locale}`);
  });
