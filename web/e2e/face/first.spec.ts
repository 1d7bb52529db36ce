/** The first minutes of customers and staff: what is kept, chosen and typed can be seen; everybody begins where they belong. */
import { readFileSync } from 'node:fs';
import { expectAccessible, fits, picture } from '../kit';
import { ago, JUST_NOW, MINUTE } from './clock';
import { AT_WORK, FRESH, OUTBOUND } from './fixtures';
import { deposit, page as list, RATE } from './pixFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, type Stub, stub } from './stub';
import { staffTicket } from './supportFixtures';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const CODES = Array.from({ length: 10 }, (_, n) => `VNJIZ-KAZAZ-Q5KM7-OZDVS-C76KR-${n}`);
const may = (...subjects: string[]) => ({
  ...CUSTOMER,
  roles: [{ _id: 'r', name: 'x', permissions: subjects.map((subject) => ({ action: 'read', subject })) }],
});
const AGENT = may('registered-user', 'customer-service_list-tickets', 'customer-service_response-ticket');

test('recovery codes can be read, copied, downloaded and printed', async ({ page }) => {
  await stub(
    page,
    { ...CUSTOMER, twoFactor: { email: false, app: false, passkey: false, recoveryCodesLeft: 0 } },
    {
      'POST /setup-2fa': async (route: Route) =>
        route.fulfill({
          json: route.request().postDataJSON().code
            ? { recoveryCodes: CODES }
            : { secret: 'JBSWY3DPEHPK3PXP', otpauthUrl: 'otpauth://totp/Arbora:m?secret=JBSWY3DPEHPK3PXP' },
        }),
    },
  );
  await page.goto('/account-setting?tab=security');
  await page.getByRole('button', { name: 'Ativar Aplicativo autenticador' }).click();
  const setup = page.getByRole('dialog');
  await setup.getByRole('textbox', { name: 'Senha atual' }).fill('segredo-bem-longo');
  await setup.getByRole('button', { name: 'Continuar' }).click();
  await expect(setup.getByLabel('Dígito 1 de 6')).toBeFocused();
  await page.keyboard.type('123456');
  const dialog = page.getByRole('dialog', { name: 'Guarde seus códigos de recuperação' });
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  await expect(dialog.getByText('Eles são mostrados só agora.')).toBeVisible();
  const readable = async () => {
    const boxes = await dialog.getByRole('listitem').evaluateAll((items) =>
      items.map((item) => {
        const { left, right, top, bottom } = item.getBoundingClientRect();
        const code = item.firstElementChild as HTMLElement;
        return { left, right, top, bottom, whole: code.scrollWidth <= code.clientWidth };
      }),
    );
    for (const [n, one] of boxes.entries()) {
      expect(one.whole, `code ${n} is whole`).toBe(true);
      for (const other of boxes.slice(n + 1))
        expect(
          one.right <= other.left ||
            other.right <= one.left ||
            one.bottom <= other.top ||
            other.bottom <= one.top,
          'no two lie on each other',
        ).toBe(true);
    }
  };
  await expect(readable).toPass();
  await picture(page, 'recovery-codes-dark');
  await expectAccessible(page);
  const file = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Baixar' }).click();
  const text = readFileSync(await (await file).path(), 'utf8');
  for (const code of CODES) expect(text).toContain(code);
  expect(text).toContain(CUSTOMER.email);
  await expect(dialog.getByRole('button', { name: 'Copiar todos' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Imprimir' })).toBeVisible();
  // On paper stand the codes, and whose they are; nothing of the screen behind.
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('heading', { level: 1 })).toBeHidden();
  await expect(dialog.getByText(CODES[0] ?? '')).toBeVisible();
  await expect(dialog.getByText(CUSTOMER.email)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Baixar' })).toBeHidden();
  await page.emulateMedia({ media: 'screen' });
  await page.setViewportSize(PHONE);
  await fits(page);
  await expect(readable).toPass();
  await picture(page, 'recovery-codes-phone');
  await expect(dialog.getByRole('button', { name: 'Concluir' })).toBeDisabled();
  await dialog.getByLabel('Guardei os códigos').check();
  await dialog.getByRole('button', { name: 'Concluir' }).click();
  await expect(dialog).toBeHidden();
});

test('a chosen plan, and a chosen source, can be seen', async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/licences?tab=plans');
  await page.getByRole('article').nth(1).getByRole('button', { name: 'Comprar licença' }).click();
  const dialog = page.getByRole('dialog');
  const looks = (checked: boolean) =>
    dialog
      .getByRole('radio', { checked })
      .first()
      .evaluate((card) => {
        const dot = card.querySelector('[class*="Indicator"]') ?? card.firstElementChild;
        return [getComputedStyle(card).borderColor, dot && getComputedStyle(dot).backgroundColor].join(' ');
      });
  await expect(dialog.getByRole('radio', { checked: true })).toHaveCount(1);
  const differ = async () => (await looks(true)) !== (await looks(false));
  await expect.poll(differ).toBe(true);
  await picture(page, 'buy-plan-dark');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await picture(page, 'buy-plan-phone');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await expect(dialog.getByRole('radiogroup', { name: 'Fonte' })).toBeVisible();
  await expect.poll(differ).toBe(true);
  await picture(page, 'buy-source-phone');
  await expectAccessible(page, ['dark']);
});

test.describe('who works here begins at work', () => {
  for (const [who, user, place, title] of [
    ['an administrator', ADMINISTRATOR, '/administrator/dashboard', 'Visão geral'],
    ['an agent', AGENT, '/customer-service/tickets-list', 'Chamados'],
    [
      'somebody with the approvals alone',
      may('registered-user', 'admin_permissions'),
      '/deposits-pix-approve-reject',
      'Aprovar depósitos PIX',
    ],
  ] as const)
    test(who, async ({ page }) => {
      await stub(page, user, FRESH);
      await page.goto('/');
      await expect(page).toHaveURL(place);
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
      // Their own results are one click away, without a newcomer's steps.
      await page.getByRole('link', { name: 'Meus resultados' }).click();
      await expect(page.getByRole('heading', { level: 1, name: /^Olá/ })).toBeVisible();
      await expect(page.getByRole('heading', { name: 'Evolução patrimonial' })).toBeVisible();
      await expect(page.getByText('Comece em 4 passos')).toHaveCount(0);
      await expect(page.getByRole('link', { name: 'Meus resultados' })).toHaveAttribute(
        'aria-current',
        'page',
      );
      await page.reload();
      await expect(page.getByRole('heading', { level: 1, name: /^Olá/ })).toBeVisible();
    });

  test('who signs in as an agent', async ({ page }) => {
    const state = await stub(page, null, {
      'POST /auth/login': { token: 'access' },
      'GET /me': { user: AGENT },
    });
    state.answers['POST /auth/refresh'] = refuse(401, 'session.missing', 'Entre de novo.');
    await page.goto('/login');
    await page.getByLabel('E-mail').fill('gisele@exemplo.com.br');
    await page.getByRole('textbox', { name: 'Senha' }).fill('segredo-bem-longo');
    await page.getByRole('button', { name: 'Entrar' }).click();
    await expect(page).toHaveURL('/customer-service/tickets-list');
  });

  test('a customer begins with their own results', async ({ page }) => {
    await stub(page, CUSTOMER, AT_WORK);
    await page.goto('/');
    await expect(page.getByRole('heading', { level: 1, name: 'Olá, Marina' })).toBeVisible();
    await expect(page).toHaveURL('/');
  });
});

test.describe('a code is typed at once', () => {
  const first = (page: Page) => page.getByRole('dialog').getByLabel('Dígito 1 de 6').first();
  const wrong = refuse(422, 'code.wrong', 'Código incorreto.');

  test('when a dialog opens, and again when the code was wrong', async ({ page }) => {
    const asked: string[] = [];
    await stub(page, CUSTOMER, {
      'POST /security-code': null,
      'PATCH /me': async (route: Route) => {
        asked.push(route.request().postDataJSON().securityCode);
        await wrong(route);
      },
    });
    await page.goto('/account-setting');
    await page.getByLabel('Nome completo').fill('Marina Duarte Lima');
    await page.getByRole('button', { name: 'Salvar alterações' }).click();
    await expect(first(page)).toBeFocused();
    await page.keyboard.type('123456');
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Código incorreto.');
    await expect(first(page)).toBeFocused();
    await expect(first(page)).toHaveValue('');
    await page.keyboard.type('654321');
    await expect.poll(() => asked).toEqual(['123456', '654321']);
  });

  test('after the question whether the transfer is meant', async ({ page }) => {
    await stub(page, CUSTOMER, {
      'GET /outbound-state': OUTBOUND,
      'GET /search-user/ana21': [{ username: 'ana21', name: 'Ana Prado', avatar: null }],
      'GET /transfers-list': list([]),
      'POST /security-code': null,
      'POST /transfer': wrong,
    });
    await page.goto('/wallet/transfers');
    await page.getByLabel('Para quem').fill('ana21');
    await page.getByText('Ana Prado').click();
    await page.getByRole('textbox', { name: 'Valor' }).fill('10');
    await page.getByRole('button', { name: 'Transferir' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Continuar' }).click();
    await expect(first(page)).toBeFocused();
    await page.keyboard.type('123456');
    await expect(first(page)).toBeFocused();
  });
});

test('how a ticket stands is said in a whole word, at every width', async ({ page }) => {
  await stub(page, AGENT, {
    'GET /support/list-tickets-all/': list([staffTicket({ waitingSince: ago(52 * MINUTE) })]),
  });
  await page.goto('/customer-service/tickets-list');
  const badge = page.locator('[data-status="waiting"]').first();
  for (const width of [1440, 1280, 1024, 800, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expect(badge).toBeVisible();
    const cut = () =>
      badge.evaluate((one) =>
        [one, ...one.querySelectorAll('*')].some(
          (part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0,
        ),
      );
    await expect.poll(cut, `${width} wide`).toBe(false);
    if (width === 1280) await picture(page, 'tickets-badge-dark');
  }
});

test('after the proof a deposit says what happens next, as it happens', async ({ page }) => {
  let rows: object[] = [deposit(1, { brCode: 'code' })];
  const sent = deposit(1, {
    status: 'pending_approval',
    proof: 'f',
    proofKind: 'image/png',
    waitingSince: JUST_NOW,
    approvalsNeeded: 2,
    version: 2,
  });
  const state: Stub = await stub(page, CUSTOMER, {
    'GET /pix/rate': RATE,
    'GET /list-deposits-pix': (route: Route) => route.fulfill({ json: list(rows) }),
    [`POST /deposit-pix/${(sent as { _id: string })._id}/proof`]: async (route: Route) => {
      rows = [sent];
      await route.fulfill({ json: sent });
    },
  });
  await page.goto('/wallet/my-deposits-pix');
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'comprovante.png', mimeType: 'image/png', buffer: Buffer.from('x') });
  await page.getByRole('button', { name: 'Enviar comprovante' }).click();
  const card = page.getByRole('region', { name: 'Comprovante enviado' });
  await expect(card.getByText('Você não precisa fazer mais nada.')).toBeVisible();
  await expect(card.getByText('0 de 2 aprovações')).toBeVisible();
  await picture(page, 'pix-sent-dark');
  await expectAccessible(page);
  const changed = (more: object) =>
    state.fact(`user:${CUSTOMER._id}`, 1, { kind: 'pix_deposit.changed', deposit: { ...sent, ...more } });
  // A reload finds it where it stands.
  await page.reload();
  await expect(card.getByText('0 de 2 aprovações')).toBeVisible();
  rows = [deposit(1, { status: 'approved', credited: '100.000000', version: 4 })];
  await changed({ status: 'approved', credited: '100.000000', version: 4 });
  const done = page.getByRole('region', { name: '100,00 USDT no seu saldo' });
  await expect(done).toBeVisible();
  await page.setViewportSize(PHONE);
  await picture(page, 'pix-credited-phone');
  await expectAccessible(page, ['dark']);
  await done.getByRole('button', { name: 'Fazer outro depósito' }).click();
  await expect(page.getByRole('heading', { name: 'Como funciona' })).toBeVisible();
});

test('a deposit that left the review before its fact came says how it came out', async ({ page }) => {
  const inReview = deposit(1, { status: 'pending_approval', proof: 'f', proofKind: 'image/png', version: 2 });
  let rows: object[] = [inReview];
  const state = await stub(page, CUSTOMER, {
    'GET /pix/rate': RATE,
    'GET /list-deposits-pix': (route: Route) => {
      const status = new URL(route.request().url()).searchParams.get('status');
      const shown = rows.filter((row) => !status || (row as { status: string }).status === status);
      return route.fulfill({ json: list(shown) });
    },
  });
  await page.goto('/wallet/my-deposits-pix');
  await expect(page.getByRole('region', { name: 'Comprovante enviado' })).toBeVisible();
  rows = [{ ...inReview, status: 'approved', credited: '100.000000', version: 4 }];
  // A fact about another one: the lists are read anew, and the one that is looked at has gone from its own.
  await state.fact(`user:${CUSTOMER._id}`, 1, {
    kind: 'pix_deposit.changed',
    deposit: deposit(2, { status: 'cancelled', version: 9 }),
  });
  await expect(page.getByRole('region', { name: '100,00 USDT no seu saldo' })).toBeVisible();
});

test('of one that is open and one in review the open one is shown, whichever is known first', async ({
  page,
}) => {
  const open = deposit(1, { brCode: 'code' });
  const inReview = deposit(2, { status: 'pending_approval', proof: 'f', proofKind: 'image/png', version: 2 });
  let told = () => {};
  const reviewed = new Promise<void>((done) => {
    told = done;
  });
  await stub(page, CUSTOMER, {
    'GET /pix/rate': RATE,
    'GET /list-deposits-pix': async (route: Route) => {
      const status = new URL(route.request().url()).searchParams.get('status');
      if (status === 'pending') {
        await reviewed;
        // What was answered before has been drawn.
        await page.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
      }
      await route.fulfill({
        json: list(
          status === 'pending' ? [open] : status === 'pending_approval' ? [inReview] : [open, inReview],
        ),
      });
      if (status === 'pending_approval') told();
    },
  });
  await page.goto('/wallet/my-deposits-pix');
  await expect(page.getByRole('heading', { name: 'Pague com PIX' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Comprovante enviado' })).toHaveCount(0);
});
