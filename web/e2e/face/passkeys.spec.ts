/** Passkeys: the list in the account's settings, the sign-in and its second step, and a browser that knows none. */
import { authenticator } from '../authenticator';
import { expectAccessible, fits, picture, typeCode } from '../kit';
import { ASKED, EXPORTS } from './accountFixtures';
import { ago, HOUR } from './clock';
import { OUTBOUND } from './fixtures';
import { address } from './host';
import { CUSTOMER, refuse, type Stub, stub } from './stub';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const SECURITY = '/account-setting?tab=security';
const CARD = 'Chaves de acesso';

// Browsers make passkeys for a domain only.
const domain = (url: string) => url.replace('127.0.0.1', 'localhost');
/** The window is the whole process's: where a page of it goes is said each time. */
const at = (path: string) => `${domain(address())}${path}`;

const passkey = (n: number, name: string, more: object = {}) => ({
  _id: `018f0000-0000-7000-8000-0000000000c${n}`,
  name,
  synced: false,
  doubted: false,
  aside: false,
  createdAt: '2026-11-02T12:00:00Z',
  lastUsedAt: null,
  ...more,
});
const HELD = {
  data: [
    passkey(1, 'Celular', { synced: true, lastUsedAt: ago(2 * HOUR) }),
    passkey(2, 'Chave da gaveta', { doubted: true }),
    passkey(3, 'Notebook', { aside: true }),
  ],
};
const named = { type: 'public-key' as const, transports: [] };
const CREATION = {
  challenge: 'AAECAwQFBgcICQoLDA0ODw',
  rp: { id: 'localhost', name: 'Arbora' },
  user: { id: 'AQIDBAUGBwgJCgsMDQ4PEA', name: CUSTOMER.email, displayName: CUSTOMER.fullName },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  timeout: 300_000,
  excludeCredentials: [{ ...named, id: 'EBESExQVFhcYGRobHB0eHw' }],
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
};
const REQUEST = {
  challenge: 'AAECAwQFBgcICQoLDA0ODw',
  rpId: 'localhost',
  timeout: 300_000,
  allowCredentials: [],
  userVerification: 'required',
};

/** Somebody signed in on this name of the machine. */
async function inside(page: Page, url: string, answers: Parameters<typeof stub>[2], user: object = CUSTOMER) {
  const state = await stub(page, user, answers);
  await page.context().addCookies([{ name: 'signed_in', value: '1', url: domain(url) }]);
  return state;
}

/** Who has a passkey that opens something. */
const HOLDER = { ...CUSTOMER, twoFactor: { ...CUSTOMER.twoFactor, passkey: true, passkeyOpens: true } };
const MAIL = 'Receber um código por e-mail';

/** Goes as far as the device, whose passkey the server keeps. */
async function adds(page: Page, state: Stub, name: string, holder = false) {
  await page.getByRole('button', { name: 'Adicionar chave' }).click();
  const dialog = page.getByRole('dialog', { name: 'Adicionar chave de acesso' });
  await dialog.getByRole('textbox', { name: 'Senha atual' }).fill('segredo-bem-longo');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  if (holder) await dialog.getByRole('button', { name: MAIL }).click();
  await typeCode(page, '123456');
  const field = dialog.getByRole('textbox', { name: 'Nome' });
  await expect(field).toHaveValue('Chave 1');
  await field.fill(name);
  expect(state.calls).toContain('POST /me/passkeys/options');
  return dialog;
}

test('a passkey is added on the device, renamed and removed', async ({ page, host }) => {
  const sent: Record<string, unknown>[] = [];
  const keep = (answer: object | null) => async (route: Route) => {
    sent.push(route.request().postDataJSON());
    await (answer ? route.fulfill({ json: answer }) : route.fulfill({ status: 204 }));
  };
  const state = await inside(page, host.url, {
    'POST /security-code': {},
    'POST /me/passkeys/options': CREATION,
    'POST /me/passkeys': keep({ passkey: passkey(1, 'Celular'), recoveryCodes: null }),
    [`PATCH /me/passkeys/${passkey(1, '')._id}`]: keep(null),
    [`POST /me/passkeys/${passkey(1, '')._id}/remove`]: keep(null),
  });
  const device = await authenticator(page);
  await page.goto(at(SECURITY));
  const card = page.getByRole('region', { name: CARD });
  await expect(card.getByText('Nenhuma chave de acesso')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'passkeys-empty');

  const dialog = await adds(page, state, 'Celular');
  // Whoever touches it is not known to it: said, and asked again without another code.
  await device.knows(false);
  await dialog.getByRole('button', { name: 'Criar no aparelho' }).click();
  await expect(dialog.getByRole('alert')).toContainText('A chave de acesso não foi usada');
  await expectAccessible(page);
  await device.knows(true);
  state.answers['GET /me/passkeys'] = HELD;
  await dialog.getByRole('button', { name: 'Criar no aparelho' }).click();
  await expect(page.getByTestId('toast')).toContainText('Chave de acesso adicionada.');
  await expect(dialog).toBeHidden();
  expect(await device.held()).toBe(1);
  expect(state.calls.filter((call) => call === 'POST /me/passkeys/options')).toHaveLength(1);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({
    name: 'Celular',
    credential: {
      id: expect.stringMatching(/^[\w-]+$/),
      clientDataJSON: expect.stringMatching(/^[\w-]+$/),
      attestationObject: expect.stringMatching(/^[\w-]+$/),
    },
  });

  await expect(card.getByRole('listitem')).toHaveCount(3);
  await expect(card.getByText('Ela pode ter sido copiada. Remova-a e crie outra.')).toBeVisible();
  await expect(card.getByText('Se não é sua, remova-a.')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'passkeys');
  await page.setViewportSize(PHONE);
  await fits(page, 'the passkeys on a phone');
  await picture(page, 'passkeys-phone');

  await card.getByRole('button', { name: 'Renomear Celular' }).press('Enter');
  const renaming = page.getByRole('dialog', { name: 'Renomear chave de acesso' });
  const name = renaming.getByRole('textbox', { name: 'Nome' });
  await expect(name).toBeFocused();
  await name.fill('Celular novo');
  await page.keyboard.press('Enter');
  await expect(renaming).toBeHidden();
  expect(sent[1]).toEqual({ name: 'Celular novo' });

  await card.getByRole('button', { name: 'Remover Celular' }).click();
  const removing = page.getByRole('dialog', { name: 'Remover Celular' });
  await expect(removing.getByText('Ela não abrirá mais a sua conta.')).toBeVisible();
  await expectAccessible(page);
  await removing.getByRole('textbox', { name: 'Senha atual' }).fill('segredo-bem-longo');
  await removing.getByRole('button', { name: 'Continuar' }).click();
  await typeCode(page, '654321');
  await expect(removing).toBeHidden();
  expect(sent[2]).toEqual({ password: 'segredo-bem-longo', code: '654321' });
  await device.end();
});

test('the first factor brings recovery codes, and a list that fails is asked for again', async ({
  page,
  host,
}) => {
  const broken = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
  const state = await inside(page, host.url, {
    'GET /me/passkeys': broken,
    'POST /security-code': {},
    'POST /me/passkeys/options': CREATION,
    'POST /me/passkeys': {
      passkey: passkey(1, 'Celular'),
      recoveryCodes: Array.from({ length: 10 }, (_, n) => `VNJIZ-KAZAZ-${n}`),
    },
  });
  const device = await authenticator(page);
  await page.goto(at(SECURITY));
  const card = page.getByRole('region', { name: CARD });
  await expect(card.getByText('Não foi possível carregar as chaves de acesso.')).toBeVisible();
  await expectAccessible(page);
  await state.fromClick('GET /me/passkeys', { data: [] });
  await card.getByRole('button', { name: 'Tentar de novo' }).click();
  const dialog = await adds(page, state, 'Celular');
  await dialog.getByRole('button', { name: 'Criar no aparelho' }).click();
  await expect(page.getByRole('dialog', { name: 'Guarde seus códigos de recuperação' })).toBeVisible();
  await device.end();
});

test('a passkey signs in, and what goes wrong is said', async ({ page, host }) => {
  const state = await inside(page, host.url, {
    'POST /security-code': {},
    'POST /me/passkeys/options': CREATION,
    'POST /me/passkeys': { passkey: passkey(1, 'Celular'), recoveryCodes: null },
  });
  const device = await authenticator(page);
  await page.goto(at(SECURITY));
  const dialog = await adds(page, state, 'Celular');
  await dialog.getByRole('button', { name: 'Criar no aparelho' }).click();
  await expect(dialog).toBeHidden();

  // The same device, signed out.
  await page.context().clearCookies();
  const me = state.answers['GET /me'];
  delete state.answers['GET /me'];
  state.answers['POST /auth/refresh'] = refuse(401, 'auth.unauthenticated', 'Entre de novo.');
  state.answers['POST /auth/passkey/options'] = REQUEST;
  state.answers['POST /auth/passkey'] = refuse(422, 'passkey.refused', 'A chave de acesso não foi aceita.');
  await page.goto(at('/login'));
  const button = page.getByRole('button', { name: 'Usar uma chave de acesso' });
  await expect(button).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'login-passkey');
  await page.setViewportSize(PHONE);
  await fits(page, 'the sign-in on a phone');
  await button.press('Enter');
  await expect(page.getByRole('alert')).toContainText('A chave de acesso não foi aceita.');
  let shown: unknown = null;
  state.answers['POST /auth/passkey'] = async (route: Route) => {
    shown = route.request().postDataJSON();
    state.answers['GET /me'] = me;
    await route.fulfill({ json: { token: 'access' } });
  };
  await button.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Olá, Marina');
  expect(shown).toMatchObject({
    challenge: null,
    credential: { userHandle: CREATION.user.id, signature: expect.stringMatching(/^[\w-]+$/) },
  });
  await device.end();
});

test('the second step offers the passkey first, and the other ways beside it', async ({ page }) => {
  const { calls, answers } = await stub(page, null, {
    'POST /auth/login': {
      twoFactor: { challenge: 'c1', methods: ['passkey', 'app', 'recovery'], passkeysAside: false },
    },
    'POST /auth/passkey/options': REQUEST,
  });
  // One that has none.
  const device = await authenticator(page);
  await page.goto(at('/login'));
  await page.getByLabel('E-mail').fill(CUSTOMER.email);
  await page.getByRole('textbox', { name: 'Senha' }).fill('segredo-bem-longo');
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
  await expect(page.getByText('Use a digital, o rosto ou o código do aparelho')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'second-step-passkey');
  // No device has one: the browser says so, and the app is still there.
  await page.getByRole('button', { name: 'Usar a chave de acesso' }).click();
  await expect(page.getByRole('alert')).toContainText('A chave de acesso não foi usada');
  expect(calls).toContain('POST /auth/passkey/options');
  await page.getByRole('button', { name: 'Usar o aplicativo autenticador' }).click();
  await expect(page.getByLabel('Dígito 1 de 6')).toBeFocused();
  answers['POST /auth/2fa'] = { token: 'access' };
  answers['GET /me'] = { user: CUSTOMER };
  await typeCode(page, '123456');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Olá, Marina');
  await device.end();
});

test('what a code would confirm a passkey confirms as well, bound to the same', async ({ page, host }) => {
  const asked: unknown[] = [];
  const sent: unknown[] = [];
  const state = await inside(
    page,
    host.url,
    {
      'GET /outbound-state': OUTBOUND,
      'GET /me/export': { ...EXPORTS, data: [] },
      'POST /security-code': { method: 'email' },
      'POST /me/passkeys/options': CREATION,
      'POST /me/passkeys': { passkey: passkey(1, 'Celular'), recoveryCodes: null },
      'POST /security-code/passkey': async (route: Route) => {
        asked.push(route.request().postDataJSON());
        await route.fulfill({ json: REQUEST });
      },
      'POST /security-code/passkey/proof': refuse(
        422,
        'passkey.refused',
        'A chave de acesso não foi aceita.',
      ),
      'POST /me/export': async (route: Route) => {
        sent.push(route.request().postDataJSON());
        await route.fulfill({ json: ASKED });
      },
    },
    HOLDER,
  );
  const device = await authenticator(page);
  await page.goto(at(SECURITY));
  const adding = await adds(page, state, 'Celular', true);
  await adding.getByRole('button', { name: 'Criar no aparelho' }).click();
  await expect(adding).toBeHidden();
  await page.goto(at('/account-setting?tab=privacy'));
  await page.getByRole('button', { name: 'Pedir meus dados' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pedir meus dados' });
  const passkeys = dialog.getByRole('button', { name: 'Usar a chave de acesso' });
  // It comes first: no code is mailed before it is wished for.
  const mailed = () => state.calls.filter((call) => call === 'POST /security-code').length;
  const before = mailed();
  await expect(passkeys).toBeFocused();
  await expectAccessible(page);
  await picture(page, 'passkey-or-code');
  await page.setViewportSize(PHONE);
  await fits(page, 'the code on a phone');
  await passkeys.click();
  await expect(dialog.getByRole('alert')).toContainText('A chave de acesso não foi aceita.');
  expect(mailed()).toBe(before);
  await dialog.getByRole('button', { name: MAIL }).click();
  await expect(dialog.getByLabel('Dígito 1 de 6')).toBeFocused();
  await expect.poll(mailed).toBe(before + 1);
  await expectAccessible(page);
  await fits(page, 'the code beside the passkey on a phone');
  state.answers['POST /security-code/passkey/proof'] = { proof: 'PKPROOF' };
  await passkeys.press('Enter');
  await expect(dialog).toBeHidden();
  expect(asked).toEqual([{ purpose: 'export-data' }, { purpose: 'export-data' }]);
  expect(sent).toEqual([{ securityCode: 'PKPROOF' }]);
  await device.end();
});

test('where passkeys lie aside the second step says so', async ({ page }) => {
  await stub(page, null, {
    'POST /auth/login': {
      twoFactor: { challenge: 'c1', methods: ['recovery'], passkeysAside: true },
    },
  });
  const device = await authenticator(page);
  await page.goto(at('/login'));
  await page.getByLabel('E-mail').fill(CUSTOMER.email);
  await page.getByRole('textbox', { name: 'Senha' }).fill('segredo-bem-longo');
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
  await expect(page.getByText('Nenhuma chave de acesso desta conta a abre agora.')).toBeVisible();
  await expect(page.getByLabel('Código de recuperação')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'second-step-aside');
  await page.setViewportSize(PHONE);
  await fits(page, 'the second step on a phone');
  await device.end();
});

test('what was confirmed and is not taken any more is confirmed again', async ({ page, host }) => {
  const state = await inside(page, host.url, {
    'POST /security-code': {},
    'POST /me/passkeys/options': CREATION,
    'POST /me/passkeys': refuse(422, 'passkey.refused', 'A chave de acesso não foi aceita.'),
  });
  const device = await authenticator(page);
  await page.goto(at(SECURITY));
  const dialog = await adds(page, state, 'Celular');
  await dialog.getByRole('button', { name: 'Criar no aparelho' }).click();
  await expect(dialog.getByRole('alert')).toContainText('O que você confirmou não vale mais.');
  await expectAccessible(page);
  await picture(page, 'passkeys-again');
  await dialog.getByRole('textbox', { name: 'Senha atual' }).fill('segredo-bem-longo');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await typeCode(page, '654321');
  await expect(dialog.getByRole('textbox', { name: 'Nome' })).toHaveValue('Celular');
  expect(state.calls.filter((call) => call === 'POST /me/passkeys/options')).toHaveLength(2);
  await device.end();
});

test('a passkey stands for the mailed code when the app is added', async ({ page, host }) => {
  const sent: Record<string, unknown>[] = [];
  const state = await inside(
    page,
    host.url,
    {
      'POST /security-code': {},
      'POST /me/passkeys/options': CREATION,
      'POST /me/passkeys': { passkey: passkey(1, 'Celular'), recoveryCodes: null },
      'POST /security-code/passkey': REQUEST,
      'POST /security-code/passkey/proof': { proof: 'PKPROOF' },
      'POST /setup-2fa': async (route: Route) => {
        sent.push(route.request().postDataJSON());
        await route.fulfill({
          json: route.request().postDataJSON().code
            ? {}
            : { secret: 'JBSWY3DPEHPK3PXP', otpauthUrl: 'otpauth://totp/Arbora:m?secret=JBSWY3DPEHPK3PXP' },
        });
      },
    },
    HOLDER,
  );
  const device = await authenticator(page);
  await page.goto(at(SECURITY));
  const adding = await adds(page, state, 'Celular', true);
  await adding.getByRole('button', { name: 'Criar no aparelho' }).click();
  await expect(adding).toBeHidden();
  const mailed = state.calls.filter((call) => call === 'POST /security-code').length;
  await page.getByRole('button', { name: 'Ativar Aplicativo autenticador' }).click();
  const setup = page.getByRole('dialog', { name: 'Ativar aplicativo autenticador' });
  await setup.getByRole('textbox', { name: 'Senha atual' }).fill('segredo-bem-longo');
  await setup.getByRole('button', { name: 'Continuar' }).click();
  const shows = setup.getByRole('button', { name: 'Usar a chave de acesso' });
  // The app's own code first: it is new, and shows that it was paired.
  await expect(shows).toBeDisabled();
  await setup.getByLabel('Dígito 1 de 6').click();
  await page.keyboard.type('123456');
  await expectAccessible(page);
  await picture(page, 'app-by-passkey');
  await shows.click();
  await expect(setup).toBeHidden();
  expect(sent[1]).toEqual({
    method: 'app',
    enable: true,
    password: 'segredo-bem-longo',
    code: '123456',
    securityCode: 'PKPROOF',
  });
  expect(state.calls.filter((call) => call === 'POST /security-code')).toHaveLength(mailed);
  await device.end();
});

test('a browser that knows no passkeys says so and offers what it can', async ({ page, host }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
  await inside(page, host.url, { 'GET /me/passkeys': HELD });
  await page.goto(at(SECURITY));
  const card = page.getByRole('region', { name: CARD });
  await expect(card.getByText('Este navegador não usa chaves de acesso neste endereço.')).toBeVisible();
  await expect(card.getByRole('button', { name: 'Adicionar chave' })).toHaveCount(0);
  await expect(card.getByRole('button', { name: 'Remover Celular' })).toBeVisible();
  await expectAccessible(page);
});

test('where no password is, one is made first', async ({ page, host }) => {
  await inside(page, host.url, {}, { ...CUSTOMER, hasPassword: false });
  await page.goto(at(SECURITY));
  const card = page.getByRole('region', { name: CARD });
  await expect(card.getByText('Para adicionar uma chave de acesso, crie antes uma senha.')).toBeVisible();
  await expect(card.getByRole('button', { name: 'Adicionar chave' })).toHaveCount(0);
});
