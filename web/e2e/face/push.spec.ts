/** Pushes to a browser, in the built face: chosen by a press of a button, shown by the worker, given up with the session. */
import { everywhere, expectAccessible, signOut } from '../kit';
import { pusher, pushService, type Subscription, watched } from '../pushes';
import { ACCOUNT } from './accountFixtures';
import { ago, HOUR } from './clock';
import { test } from './installed';
import { CUSTOMER, PUSH_KEY, refuse, stub } from './stub';
import { expect, type Page, type Route } from './window';

const NOTIFICATIONS = '/account-setting?tab=notifications';
const CARD = 'Avisos com a Arbora fechada';
const SUBSCRIPTION: Subscription = {
  endpoint: 'https://push.example/v2/abc',
  p256dh: 'BLjzH7rC2MwJNKaJXqmNdkDZl-iU9pVcwvW34KbK0X6WU3c2kkJ04O1Yw-Q3fESNi490XbvYhupixqBbQTvogRM',
  auth: 'AAECAwQFBgcICQoLDA0ODw',
};
const device = (id: string, name: string, lastSentAt: string | null = null) => ({
  id,
  name,
  since: '2026-11-18T12:00:00Z',
  lastSentAt,
});
const OWN = device('018f0000-0000-7000-8000-0000000000d1', 'Chrome, Windows');
const PHONE = device('018f0000-0000-7000-8000-0000000000d2', 'Safari, iPhone', ago(2 * HOUR));
const card = (page: Page) => page.getByRole('region', { name: CARD });
const devices = (...all: object[]) => ({ key: PUSH_KEY, devices: all });
const button = 'Ativar neste navegador';

/** As this browser is after its person has chosen it. */
async function chosen(page: Page, more: object = {}) {
  const browser = await pushService(page, SUBSCRIPTION, 'granted');
  const kept = {
    person: CUSTOMER._id,
    owner: '/',
    id: OWN.id,
    endpoint: SUBSCRIPTION.endpoint,
    key: PUSH_KEY,
    ...more,
  };
  await page.addInitScript(
    ([kept, key]) => {
      if (sessionStorage.getItem('test-chosen')) return;
      sessionStorage.setItem('test-chosen', 'yes');
      localStorage.setItem('test-push-key', key);
      localStorage.setItem('arbora-push', JSON.stringify({ state: { kept }, version: 0 }));
    },
    [kept, PUSH_KEY] as const,
  );
  return browser;
}

test('a browser is told from a press of a button on, tried and taken off', async ({ page }) => {
  const browser = await pushService(page, SUBSCRIPTION);
  const sent: unknown[] = [];
  const state = await stub(page, CUSTOMER, { ...ACCOUNT, 'GET /me/push': devices(PHONE) });
  state.answers['POST /me/push'] = async (route: Route) => {
    sent.push(route.request().postDataJSON());
    state.answers['GET /me/push'] = devices(OWN, PHONE);
    await route.fulfill({ json: OWN });
  };
  state.answers[`POST /me/push/${OWN.id}/try`] = null;
  state.answers[`DELETE /me/push/${OWN.id}`] = async (route: Route) => {
    state.answers['GET /me/push'] = devices(PHONE);
    await route.fulfill({ status: 204 });
  };
  await page.goto(NOTIFICATIONS);
  await expect(card(page).getByRole('listitem')).toHaveCount(1);
  await expect(card(page).getByText('este navegador', { exact: true })).toHaveCount(0);
  // Nothing is asked for before somebody wants it.
  expect(await browser.told()).toEqual({ key: null, asked: 0 });
  await card(page).getByRole('button', { name: button }).click();
  await expect(page.getByTestId('toast')).toContainText('Avisos ativados neste navegador.');
  expect(await browser.told()).toEqual({ key: PUSH_KEY, asked: 1 });
  expect(sent).toEqual([{ ...SUBSCRIPTION, name: expect.stringMatching(/^Chrome, \w+$/) }]);
  await expect(card(page).getByRole('listitem')).toHaveCount(2);
  await expect(card(page).getByText('este navegador', { exact: true })).toBeVisible();
  await expect(card(page).getByRole('button', { name: button })).toHaveCount(0);
  await everywhere(page, 'account-push');
  await card(page)
    .getByRole('button', { name: `Enviar um aviso de teste para ${OWN.name}` })
    .press('Enter');
  await expect(page.getByTestId('toast').filter({ hasText: 'Aviso de teste enviado.' })).toBeVisible();
  await card(page)
    .getByRole('button', { name: `Remover ${OWN.name}` })
    .click();
  await expect(card(page).getByRole('button', { name: button })).toBeVisible();
  await expect.poll(async () => (await browser.told()).key).toBeNull();
  expect(state.calls).toContain(`DELETE /me/push/${OWN.id}`);
});

test('a refusal of the server leaves nothing behind in the browser, and is said', async ({ page }) => {
  const browser = await pushService(page, SUBSCRIPTION);
  await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'POST /me/push': refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.'),
  });
  await page.goto(NOTIFICATIONS);
  await card(page).getByRole('button', { name: button }).click();
  await expect(card(page).getByRole('alert')).toContainText('Algo deu errado. Tente de novo.');
  expect((await browser.told()).key).toBeNull();
  await expectAccessible(page);
});

test('what the browser refuses is said, and nothing is offered', async ({ page }) => {
  await pushService(page, SUBSCRIPTION, 'denied');
  await stub(page, CUSTOMER, ACCOUNT);
  await page.goto(NOTIFICATIONS);
  await expect(card(page).getByText('O navegador bloqueou os avisos desta página')).toBeVisible();
  await expect(card(page).getByRole('button')).toHaveCount(0);
  await expectAccessible(page);
});

test('a browser that cannot be pushed to says so, and still shows the others', async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'));
  await stub(page, CUSTOMER, { ...ACCOUNT, 'GET /me/push': devices(PHONE) });
  await page.goto(NOTIFICATIONS);
  await expect(card(page).getByText('Este navegador não recebe avisos com a página fechada.')).toBeVisible();
  await expect(card(page).getByRole('button', { name: `Remover ${PHONE.name}` })).toBeVisible();
});

test('devices that cannot be fetched are asked for again', async ({ page }) => {
  await pushService(page, SUBSCRIPTION);
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /me/push': refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.'),
  });
  await page.goto(NOTIFICATIONS);
  await expect(card(page).getByText('Não foi possível carregar os aparelhos.')).toBeVisible();
  await expectAccessible(page);
  await state.fromClick('GET /me/push', devices(PHONE));
  await card(page).getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(card(page).getByRole('listitem')).toHaveCount(1);
});

test('a subscription is renewed without a question when the server has another key', async ({ page }) => {
  const browser = await chosen(page, { key: 'BAAA' });
  const sent: unknown[] = [];
  const state = await stub(page, CUSTOMER, { ...ACCOUNT, 'GET /me/push': devices(OWN) });
  state.answers[`DELETE /me/push/${OWN.id}`] = null;
  state.answers['POST /me/push'] = async (route: Route) => {
    sent.push(route.request().postDataJSON());
    await route.fulfill({ json: OWN });
  };
  await page.goto('/account-setting');
  await expect.poll(() => sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({ ...SUBSCRIPTION });
  await expect.poll(async () => (await browser.told()).key).toBe(PUSH_KEY);
  expect((await browser.told()).asked).toBe(0);
});

test('what was taken off the list elsewhere stays off', async ({ page }) => {
  const browser = await chosen(page);
  const { calls } = await stub(page, CUSTOMER, { ...ACCOUNT, 'GET /me/push': devices(PHONE) });
  await page.goto(NOTIFICATIONS);
  await expect.poll(async () => (await browser.told()).key).toBeNull();
  await expect(card(page).getByRole('button', { name: button })).toBeVisible();
  expect(calls).not.toContain('POST /me/push');
});

test("somebody else's pushes do not come to who signs in after them", async ({ page }) => {
  const browser = await chosen(page, { person: 'somebody-else' });
  const { calls } = await stub(page, CUSTOMER, { ...ACCOUNT, 'GET /me/push': devices() });
  await page.goto('/account-setting');
  await expect.poll(async () => (await browser.told()).key).toBeNull();
  expect(calls).not.toContain('POST /me/push');
});

test('who signs out is pushed nothing any more', async ({ page }) => {
  const browser = await chosen(page);
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /me/push': devices(OWN),
    [`DELETE /me/push/${OWN.id}`]: null,
    'POST /auth/logout': null,
  });
  await page.goto('/account-setting');
  await expect.poll(() => state.calls).toContain('GET /me/push');
  await signOut(page);
  await expect.poll(async () => (await browser.told()).key).toBeNull();
  const told = state.calls.indexOf(`DELETE /me/push/${OWN.id}`);
  // While the session still stands.
  expect(told).toBeGreaterThan(-1);
  expect(state.calls.indexOf('POST /auth/logout')).toBeGreaterThan(told);
});

test.describe('the worker', () => {
  test('shows what is pushed, and neutral words for what it cannot read', async ({ page }) => {
    await stub(page, CUSTOMER, ACCOUNT);
    await page.goto('/account-setting');
    const { seen } = await watched(page);
    const { push, end } = await pusher(page);
    const notice = {
      id: '018f0000-0000-7000-8000-0000000000e1',
      title: 'Depósito creditado',
      text: '100,00 USDT no seu saldo.',
      url: '/wallet/my-deposits-pix',
      tag: 'deposit:1',
      at: ago(HOUR),
    };
    await push(JSON.stringify(notice));
    await push('{"title":');
    await push(JSON.stringify({ ...notice, tag: 'deposit:2', url: 'https://evil.example/' }));
    await expect.poll(async () => (await seen()).shown).toHaveLength(3);
    expect((await seen()).shown).toEqual([
      { title: notice.title, body: notice.text, tag: 'deposit:1', url: '/wallet/my-deposits-pix' },
      {
        // In the browser's language.
        title: expect.stringMatching(/^(Novidade na sua conta|News in your account|Novedad en su cuenta)$/),
        body: expect.stringContaining('Arbora'),
        tag: 'neutral',
        url: '/',
      },
      { title: notice.title, body: notice.text, tag: 'deposit:2', url: '/' },
    ]);
    await end();
  });

  test('leads an open window to what a notice tells of, without loading it anew', async ({ page }) => {
    await stub(page, CUSTOMER, ACCOUNT);
    await page.goto('/account-setting');
    const { seen, press } = await watched(page);
    await page.evaluate(() => {
      document.documentElement.dataset.same = 'yes';
    });
    await press({ url: '/support' });
    await expect(page).toHaveURL('/support');
    await expect(page.locator('html')).toHaveAttribute('data-same', 'yes');
    expect((await seen()).opened).toEqual([]);
  });

  test('opens a window where none can go there, and never leads elsewhere', async ({ page }) => {
    await stub(page, CUSTOMER, ACCOUNT);
    await page.goto('/account-setting');
    const { seen, press } = await watched(page);
    // A document without the program.
    await page.goto('/skin.js');
    await press({ url: 'https://evil.example/' });
    await expect.poll(async () => (await seen()).opened).toEqual(['/']);
    await press({ url: '/support' });
    await expect.poll(async () => (await seen()).opened).toEqual(['/', '/support']);
  });
});
